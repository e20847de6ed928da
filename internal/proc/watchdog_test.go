package proc

import (
	"slices"
	"strings"
	"testing"
)

func TestWatchdogLines(t *testing.T) {
	f := family{prefix: true}
	for _, line := range []string{"= abc", "+ 70", "+ 80", "+ 70", "- 80", "- 90"} {
		if err := f.note(line); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	if f.token != "abc-" || !slices.Equal(f.groups, []int{70}) {
		t.Errorf("noted %+v", f)
	}
	// kill(2) takes 0, 1 and below for groups that are not ours.
	for _, line := range []string{"", "=", "+", "+ 1", "+ 0", "+ -1", "+ x", "* 70", "+ 70 80"} {
		if err := f.note(line); err == nil {
			t.Errorf("%q was taken", line)
		}
	}
	if f.token != "abc-" || !slices.Equal(f.groups, []int{70}) {
		t.Errorf("noted %+v", f)
	}
}

func TestWatchReportsWhatItCannotRead(t *testing.T) {
	if err := Watch(strings.NewReader("= abc\n+ 1\n.\n")); err == nil {
		t.Error("no error")
	}
}
