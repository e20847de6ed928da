package proc

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Whoever waits for a server's end must not sit in a system call: with one
// processor for Go it would take that along and hold up a call by 20 ms.
func TestAServersEndIsWaitedForInThePoller(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k, err := NewKeeper(t.Context(), exe)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	p, err := k.Start(Command{Args: []string{"sleep", "60"}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); runtime.Gosched() {
		for one := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if !strings.Contains(one, "proc.(*Process).watch") || strings.Contains(one, "(*tail).drain") {
				continue
			}
			head, _, _ := strings.Cut(one, "\n")
			if strings.Contains(head, "[IO wait") && strings.Contains(one, "awaitEnd") {
				return
			}
			if strings.Contains(one, "(*Process).Wait") {
				t.Fatalf("it is waited for in a system call:\n%s", one)
			}
		}
	}
	t.Error("nobody was seen to wait for the process")
}
