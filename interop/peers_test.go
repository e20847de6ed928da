package interop

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build builds the program pkg of the module in dir and returns its path.
func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), filepath.Base(pkg))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, out)
	}
	return bin
}

// everything is the path of server-everything's launcher.
func everything(t *testing.T) string {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join("node_modules", ".bin", "mcp-server-everything"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("%v: run npm ci in interop first", err)
	}
	return bin
}

// TestPeers shows that the servers that mcpdyno is tested against are there and
// answer, so that a failure elsewhere is mcpdyno's.
func TestPeers(t *testing.T) {
	for name, c := range map[string]struct {
		command []string
		answer  string
	}{
		"Go SDK":     {[]string{build(t, ".", "./cmd/sdk-server"), "-stdio"}, `"text":"hi"`},
		"everything": {[]string{everything(t), "stdio"}, `"text":"Echo: hi"`},
	} {
		t.Run(name, func(t *testing.T) {
			answer := callEcho(t, c.command)
			if !strings.Contains(answer, c.answer) {
				t.Errorf("echo answered %s, want %s in it", answer, c.answer)
			}
		})
	}
}

// callEcho initializes a stdio server, calls its tool echo with "hi" and
// returns the answer.
func callEcho(t *testing.T, command []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { watchdog.Stop(); in.Close(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	ask(t, in, lines, 1, `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"interop","version":"1"}}`)
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return ask(t, in, lines, 2, `"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}`)
}

// ask sends a request and returns its answer; notifications in between are
// skipped.
func ask(t *testing.T, in io.Writer, lines *bufio.Reader, id int, request string) string {
	t.Helper()
	_, _ = fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", id, request)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("waiting for answer %d: %v", id, err)
		}
		if strings.Contains(line, fmt.Sprintf(`"id":%d`, id)) {
			return line
		}
	}
}
