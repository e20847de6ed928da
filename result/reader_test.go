package result

import (
	"fmt"
	"strings"
	"testing"
)

// A reader keeps a value a round: a round that cannot be costs a line, and not
// all the memory there is.
func TestImpossibleRoundsAreNotRead(t *testing.T) {
	const run = `{"type":"run","format":1,"plan":{"blocks":%d}}` + "\n"
	lines := fmt.Sprintf(run, 3) +
		`{"type":"trial","trial":0,"round":2}` + "\n" +
		`{"type":"trial","trial":1,"round":1000000000000}` + "\n" +
		`{"type":"cold","trial":2,"round":-1}` + "\n"
	l, err := Read(strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Trials) != 1 || len(l.Cold) != 0 || len(l.SyntaxErrors) != 2 {
		t.Errorf("%d trials, %d cold starts and errors %v were read", len(l.Trials), len(l.Cold), l.SyntaxErrors)
	}
	for _, blocks := range []int{-1, 1 << 40} {
		if _, err := Read(strings.NewReader(fmt.Sprintf(run, blocks))); err == nil || !strings.Contains(err.Error(), "blocks") {
			t.Errorf("a plan of %d blocks: the error is %v", blocks, err)
		}
	}
}
