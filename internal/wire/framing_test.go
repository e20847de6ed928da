package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// feed is the part that both framers share.
type feed interface {
	Space(n int) []byte
	Fed(n int)
}

// chunks feeds text in pieces of the given sizes, over and over, and calls
// drain after each.
func chunks(f feed, text string, sizes []byte, drain func()) {
	for i := 0; len(text) > 0; i++ {
		n := len(text)
		if len(sizes) > 0 {
			n = min(int(sizes[i%len(sizes)])+1, n)
		}
		f.Fed(copy(f.Space(n)[:n], text))
		text = text[n:]
		drain()
	}
}

// linesOf returns the lines of text, each with how it ended, and "too large".
func linesOf(text string, limit int, sizes []byte) []string {
	l := Lines{Limit: limit}
	var got []string
	chunks(&l, text, sizes, func() {
		for line, ok, err := l.Next(); ok || err != nil; line, ok, err = l.Next() {
			if err != nil {
				got = append(got, "too large")
				continue
			}
			got = append(got, fmt.Sprintf("%q %v", line, l.CR()))
		}
	})
	return got
}

func naiveLines(text string, limit int) []string {
	var want []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		last := i == len(lines)-1
		switch {
		case len(line) > limit:
			want = append(want, "too large")
		case !last:
			cut, cr := strings.CutSuffix(line, "\r")
			want = append(want, fmt.Sprintf("%q %v", cut, cr))
		}
	}
	return want
}

func TestLines(t *testing.T) {
	text := "one\r\n\n" + strings.Repeat("x", 5000) + "\nraw \u2028 and \r inside\n\r\nhalf"
	for _, sizes := range [][]byte{nil, {0}, {2}, {255}, {0, 99}} {
		got, want := linesOf(text, 1<<20, sizes), naiveLines(text, 1<<20)
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("pieces of %v: got %.200q, want %.200q", sizes, got, want)
		}
	}
	var l Lines
	chunks(&l, "whole\nhalf", nil, func() { l.Next() })
	if line, ok, _ := l.Next(); ok || l.Partial() != 4 {
		t.Errorf("half a line: %q, partial %d; want 4", line, l.Partial())
	}
}

func TestLinesOverTheLimit(t *testing.T) {
	head := `{"jsonrpc":"2.0","id":123456789012,"result":"`
	text := "first\n" + head + strings.Repeat("y", 300_000) + "\nlast\n"
	l := Lines{Limit: 100_000}
	var lines []string
	var large *TooLarge
	errs := 0
	chunks(&l, text, []byte{255, 100}, func() {
		for line, ok, err := l.Next(); ok || err != nil; line, ok, err = l.Next() {
			if errors.As(err, &large) {
				errs++
				continue
			}
			lines = append(lines, string(line))
		}
		if held := l.Partial(); held > 100_001 {
			t.Fatalf("%d bytes held of a line over the limit of 100,000", held)
		}
	})
	if strings.Join(lines, " ") != "first last" || errs != 1 {
		t.Fatalf("lines %.50q and %d errors, want first, last and 1", lines, errs)
	}
	if large.Size <= 100_000 || len(large.Head) != 64<<10 || !bytes.HasPrefix(large.Head, []byte(head)) {
		t.Errorf("size %d, a head of %d bytes", large.Size, len(large.Head))
	}
	if m, _ := Scan(large.Head); m.ID != 123456789012 {
		t.Errorf("the id in the head is %d", m.ID)
	}
}

func TestLinesReuseTheirBuffer(t *testing.T) {
	var l Lines
	text := strings.Repeat("x", 1000) + "\n"
	round := func() {
		chunks(&l, text, nil, func() { l.Next() })
	}
	round()
	if n := testing.AllocsPerRun(1000, round); n > 0 {
		t.Errorf("%v allocations a line", n)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\r\nb\n\n", []byte{0, 3}, uint8(5))
	f.Add("abcdefgh\nx\n", []byte{4}, uint8(3))
	f.Fuzz(func(t *testing.T, text string, sizes []byte, limit uint8) {
		limit = max(limit, 1)
		got, want := linesOf(text, int(limit), sizes), naiveLines(text, int(limit))
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("pieces of %v: got %q, want %q", sizes, got, want)
		}
	})
}

// eventsOf returns the events of text in short, and the number of comments.
func eventsOf(text string, limit int, sizes []byte) ([]string, int) {
	e := Events{Limit: limit}
	var got []string
	chunks(&e, text, sizes, func() {
		for ev, ok, err := e.Next(); ok || err != nil; ev, ok, err = e.Next() {
			if err != nil {
				got = append(got, "too large")
				continue
			}
			got = append(got, fmt.Sprintf("%q %q %q %d", ev.Name, ev.ID, ev.Data, ev.Retry))
		}
	})
	return got, e.Comments()
}

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "data: {\"a\":1}\n\n", `"message" "" "{\"a\":1}" -1`},
		{"no space (Spring), an id", "id:s1\ndata:x\n\n", `"message" "s1" "x" -1`},
		{"one space only", "data:  x\n\n", `"message" "" " x" -1`},
		{"CRLF (Python)", "event: message\r\ndata: x\r\n\r\n", `"message" "" "x" -1`},
		{"lone CR", "event: e\rdata: x\r\rdata: y\r\r", `"e" "" "x" -1|"message" "" "y" -1`},
		{"mixed ends", "data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\n", `"message" "" "a\nb\nc" -1|"message" "" "d" -1`},
		{"data around a name", "data: a\nevent: n\ndata: b\nid: 7\ndata\ndata: c\n\n", `"n" "7" "a\nb\n\nc" -1`},
		{"comments", ": ok\n\n: ping\n\ndata: x\n: in between\n\n:", `"message" "" "x" -1`},
		{"BOM", "\xef\xbb\xbfdata: x\n\n", `"message" "" "x" -1`},
		{"priming, then close (GO, TS1)", "event: prime\nid: 1\nretry: 3000\ndata: \n\nevent: close\nretry: 0\n\n", `"prime" "1" "" 3000|"close" "1" "" 0`},
		{"id stays, is emptied, NUL is ignored", "id: 1\ndata: a\n\ndata: b\n\nid: x\x00\ndata: c\n\nid\ndata: d\n\n", `"message" "1" "a" -1|"message" "1" "b" -1|"message" "1" "c" -1|"message" "" "d" -1`},
		{"bad retry, unknown field", "retry: 1s\nfoo: bar\n\ndata: x\n\n", `"message" "" "x" -1`},
		{"cut off", "data: x\n\ndata: y\n", `"message" "" "x" -1`},
	} {
		for _, sizes := range [][]byte{nil, {0}, {1}, {6}} {
			got, _ := eventsOf(c.in, 0, sizes)
			if strings.Join(got, "|") != c.want {
				t.Errorf("%s, pieces of %v: got %s, want %s", c.name, sizes, strings.Join(got, "|"), c.want)
			}
		}
	}
	if _, n := eventsOf(": ok\n\n:\ndata: x\n: in between\n\n", 0, nil); n != 3 {
		t.Errorf("%d comments, want 3", n)
	}
}

func TestEventsOverTheLimit(t *testing.T) {
	big := "data: " + strings.Repeat("z", 200) + "\n"
	text := "data: a\n\n" + "event: big\n" + big + big + "\r\n\r" + "data: b\n\n"
	for _, sizes := range [][]byte{nil, {0}, {6}, {250}} {
		got, _ := eventsOf(text, 100, sizes)
		if want := `"message" "" "a" -1|too large|"message" "" "b" -1`; strings.Join(got, "|") != want {
			t.Errorf("pieces of %v: got %s", sizes, strings.Join(got, "|"))
		}
	}
}

func TestTooLargeEventShowsItsID(t *testing.T) {
	e := Events{Limit: 100}
	var large *TooLarge
	text := "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":123456789012,\"result\":\"" + strings.Repeat("y", 300)
	chunks(&e, text, []byte{60}, func() {
		if _, _, err := e.Next(); err != nil && !errors.As(err, &large) {
			t.Fatal(err)
		}
	})
	if large == nil || large.Size <= 100 || e.Partial() > 0 {
		t.Fatalf("error %v with %d bytes held", large, e.Partial())
	}
	if m, _ := Scan(large.Head); m.ID != 123456789012 {
		t.Errorf("the id in %q is %d", large.Head, m.ID)
	}
}

func TestEventsPartial(t *testing.T) {
	for text, want := range map[string]int{"data: x\r\n\r\n": 0, "data: x\n\ndata: y": 7, ": comment\n": 0} {
		var e Events
		chunks(&e, text, []byte{0}, func() { e.Next() })
		if e.Partial() != want {
			t.Errorf("%q leaves %d bytes, want %d", text, e.Partial(), want)
		}
	}
}

// naiveEvents reads a whole stream as the HTML standard words it.
func naiveEvents(text string) ([]string, int) {
	text = strings.TrimPrefix(text, "\xef\xbb\xbf")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(text, "\n")
	var events []string
	name, id, retry, comments, fields := "", "", -1, 0, false
	var data []string
	for _, line := range lines[:len(lines)-1] {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		ms, notMS := strconv.ParseUint(value, 10, 31)
		switch {
		case line == "" && fields:
			if name == "" {
				name = "message"
			}
			events = append(events, fmt.Sprintf("%q %q %q %d", name, id, strings.Join(data, "\n"), retry))
			name, retry, fields, data = "", -1, false, nil
		case line == "":
		case field == "":
			comments++
		case field == "data":
			data, fields = append(data, value), true
		case field == "event":
			name, fields = value, true
		case field == "id" && !strings.Contains(value, "\x00"):
			id, fields = value, true
		case field == "retry" && notMS == nil:
			retry, fields = int(ms), true
		}
	}
	return events, comments
}

func FuzzEvents(f *testing.F) {
	f.Add("data: a\r\ndata:b\n\n", []byte{0, 3}, uint8(5))
	f.Add("\xef\xbb\xbfid: 1\revent: x\n: c\nretry: 5\n\r\n", []byte{1}, uint8(9))
	f.Fuzz(func(t *testing.T, text string, sizes []byte, limit uint8) {
		want, wantComments := naiveEvents(text)
		got, comments := eventsOf(text, 1<<20, sizes)
		if strings.Join(got, "|") != strings.Join(want, "|") || comments != wantComments {
			t.Fatalf("pieces of %v: got %q and %d comments, want %q and %d", sizes, got, comments, want, wantComments)
		}
		limit = max(limit, 3) // a BOM, of which half may have come, is no event
		whole, _ := eventsOf(text, int(limit), nil)
		cut, _ := eventsOf(text, int(limit), sizes)
		if strings.Join(whole, "|") != strings.Join(cut, "|") {
			t.Fatalf("limit %d, pieces of %v: got %q, in one piece %q", limit, sizes, cut, whole)
		}
	})
}

func TestResetForgetsTheStreamBefore(t *testing.T) {
	var e Events
	feedAll := func(text string) (Event, bool) {
		e.Fed(copy(e.Space(len(text)), text))
		ev, ok, _ := e.Next()
		return ev, ok
	}
	if _, ok := feedAll("\xef\xbb\xbf: hi\nid: 7\nevent: prime\nretry: 5\ndata: cut o\r"); ok {
		t.Fatal("an event came out of half a one")
	}
	e.Reset()
	ev, ok := feedAll("\xef\xbb\xbfdata: whole\n\n")
	if !ok || string(ev.Data) != "whole" || string(ev.Name) != "message" || len(ev.ID) > 0 || ev.Retry != -1 || e.Comments() != 0 || e.Partial() != 0 {
		t.Errorf("after the reset came %q, event %q, id %q, retry %d, %d comments", ev.Data, ev.Name, ev.ID, ev.Retry, e.Comments())
	}
}
