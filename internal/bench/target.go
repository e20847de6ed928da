package bench

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strings"

	shellquote "github.com/kballard/go-shellquote"

	"mcpdyno/internal/mcp"
	"mcpdyno/result"
)

// A Target is what is measured: a server, how it is started or reached, over
// one transport, in one protocol revision.
type Target struct {
	Name     string
	Role     result.Role // "" is RoleTarget
	Command  []string    // how mcpdyno starts it; empty when it runs already
	URL      string      // where it is reached; "" for stdio. {port} stands for a free one
	Env      []string    // K=V, added to ours
	Dir      string
	Header   []string // "Name: value", of every HTTP request
	Secrets  []string // what must not reach a result
	Insecure bool
	Fresh    bool   // HTTP: a new connection for each call
	Sockets  bool   // stdio: over socket pairs instead of pipes
	Revision string // a revision, or "" for auto
	Answers  string // json or sse where only that will do
	Wish     mcp.Wish
	Work     string // the null server's kind of work, see result.Target

	Placement string // split, shared, none
}

// HTTP says whether the target is reached over HTTP.
func (t *Target) HTTP() bool { return t.URL != "" }

// Started says whether mcpdyno starts the server.
func (t *Target) Started() bool { return len(t.Command) > 0 }

// transport is the transport's name.
func (t *Target) transport() string {
	if t.HTTP() {
		return "http"
	}
	return "stdio"
}

// pipes names what a stdio target is connected by.
func (t *Target) pipes() string {
	switch {
	case t.HTTP():
		return ""
	case t.Sockets:
		return "socketpair"
	}
	return "pipe"
}

func (t *Target) connection() string {
	if t.Fresh {
		return "fresh"
	}
	return "reused"
}

// portHole, in a command or URL, stands for a free port.
const portHole = "{port}"

// at fills the port of a target whose server mcpdyno starts.
func (t *Target) at(port string) (command []string, address string) {
	command = slices.Clone(t.Command)
	for i, arg := range command {
		command[i] = strings.ReplaceAll(arg, portHole, port)
	}
	return command, strings.ReplaceAll(t.URL, portHole, port)
}

func (t *Target) needsPort() bool {
	return strings.Contains(t.URL, portHole) || slices.ContainsFunc(t.Command, func(a string) bool { return strings.Contains(a, portHole) })
}

// freePort finds a port of the loopback interface that nobody listens on.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// header encodes the target's header lines.
func (t *Target) header() []byte {
	var b bytes.Buffer
	for _, line := range t.Header {
		b.WriteString(line)
		b.WriteString("\r\n")
	}
	return b.Bytes()
}

// Redact takes the target's secrets and any URL's password out of a text.
func (t *Target) Redact(text string) string {
	for _, s := range t.Secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "[redacted]")
		}
	}
	return text
}

// quoteAll writes a command as a shell would have to be told it.
func quoteAll(command []string) string {
	return strings.ReplaceAll(shellquote.Join(command...), `\{port}`, portHole)
}
