package proc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestTailKeepsTheLastLines(t *testing.T) {
	var all strings.Builder
	var want []string
	for i := range 100 {
		fmt.Fprintf(&all, "line %d\n", i)
		want = append(want, fmt.Sprint("line ", i))
	}
	all.WriteString("unfinished")
	want = append(want, "unfinished")
	for _, piece := range []int{1, 7, 1000} { // however it arrives
		var tl tail
		for chunk := range slices.Chunk([]byte(all.String()), piece) {
			tl.write(chunk)
		}
		lines, n := tl.snapshot()
		if !slices.Equal(lines, want[len(want)-tailLines:]) || n != int64(all.Len()) {
			t.Errorf("in pieces of %d: %d bytes, %q", piece, n, lines)
		}
	}
}

func TestClean(t *testing.T) {
	check := func(line, want string) {
		t.Helper()
		if got := clean([]byte(line)); got != want {
			t.Errorf("clean(%q) = %q, want %q", line, got, want)
		}
	}
	check("plain, größer, 日本", "plain, größer, 日本")
	check("\x1b[1;31mred\x1b[0m", "red")
	check("\x1b]0;title\x07text", "text")
	check("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link")
	check("\x1b(Bcharset\x1b=", "charset")
	check("a\tb\rc\x00d\x7f\u009b31m", "a bcd31m")
	check("\xff\xfebroken", "\uFFFDbroken")
	check("left\u202eright", "leftright") // no reversing of the terminal
	check("cut \x1b[", "cut ")
	long := clean([]byte(strings.Repeat("ä", 600)))
	if long != strings.Repeat("ä", tailWidth/2) {
		t.Errorf("a long line has %d bytes", len(long))
	}
}
