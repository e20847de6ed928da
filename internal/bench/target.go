package bench

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
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

// redacted stands where a secret was.
const redacted = "[redacted]"

// Redact takes the target's secrets, and what its URL says of a user, out of a
// text.
func (t *Target) Redact(text string) string {
	var pairs []string
	user := t.user()
	if user != "" {
		pairs = append(pairs, user+"@", redacted+"@")
	}
	for _, s := range t.secrets(user) {
		pairs = append(pairs, s, redacted)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// secrets are the target's and the URL's password, as written and as meant. The
// longest come first: another may be its beginning.
func (t *Target) secrets(user string) []string {
	_, password, _ := strings.Cut(user, ":")
	meant, _ := url.PathUnescape(password) // such a URL cannot be read either
	all := append(slices.Clone(t.Secrets), password, meant)
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	return all
}

// user is what stands before the @ of the URL, as it is written.
func (t *Target) user() string {
	_, rest, _ := strings.Cut(t.URL, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest[:max(0, strings.LastIndex(rest, "@"))]
}

// quoteAll writes a command as a shell would have to be told it, but for what
// stands for something else.
func quoteAll(command []string) string {
	plain := strings.NewReplacer(`\`+portHole, portHole, `\`+redacted, redacted)
	return plain.Replace(shellquote.Join(command...))
}
