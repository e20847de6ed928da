package bench

import (
	"net"
	"slices"
	"testing"
)

func TestTargetAt(t *testing.T) {
	for _, c := range []struct {
		name    string
		target  Target
		needs   bool
		command []string
		url     string
	}{
		{"stdio", Target{Command: []string{"server", "--stdio"}}, false, []string{"server", "--stdio"}, ""},
		{"both", Target{Command: []string{"server", "--http=:{port}"}, URL: "http://127.0.0.1:{port}/mcp"}, true,
			[]string{"server", "--http=:4000"}, "http://127.0.0.1:4000/mcp"},
		{"a port of its own", Target{Command: []string{"server"}, URL: "http://127.0.0.1:80/mcp"}, false, []string{"server"}, "http://127.0.0.1:80/mcp"},
		{"twice in one word", Target{Command: []string{"{port}:{port}"}}, true, []string{"4000:4000"}, ""},
		{"only the URL", Target{URL: "http://127.0.0.1:{port}/mcp"}, true, nil, "http://127.0.0.1:4000/mcp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := slices.Clone(c.target.Command)
			command, url := c.target.at("4000")
			if c.target.needsPort() != c.needs || !slices.Equal(command, c.command) || url != c.url {
				t.Errorf("needs a port: %v, %q, %q; want %v, %q, %q", c.target.needsPort(), command, url, c.needs, c.command, c.url)
			}
			if !slices.Equal(c.target.Command, before) {
				t.Errorf("the target itself was changed to %q: its next server would get the same port", c.target.Command)
			}
		})
	}
}

func TestFreePortCanBeListenedOn(t *testing.T) {
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestRedact(t *testing.T) {
	const clean = "[redacted]"
	for name, c := range map[string]struct {
		secrets  []string
		url      string
		in, want string
	}{
		"nothing secret":          {nil, "", "Bearer abc", "Bearer abc"},
		"everywhere":              {[]string{"t0ken"}, "", "t0ken and t0ken", clean + " and " + clean},
		"an empty secret":         {[]string{""}, "", "text", "text"},
		"one begins as another":   {[]string{"pass", "password1"}, "", "password1 pass", clean + " " + clean},
		"a header's whole value":  {[]string{"Bearer abc", "abc"}, "", "got Bearer abc, not abc", "got " + clean + ", not " + clean},
		"the mark's own letters":  {[]string{"t0ken", "act"}, "", "t0ken act", clean + " " + clean},
		"a URL's password":        {nil, "http://me:hunter2@127.0.0.1:{port}/mcp", "as hunter2", "as " + clean},
		"as it stands in the URL": {nil, "http://me:p%40ss@127.0.0.1/mcp", "p@ss is in http://me:p%40ss@127.0.0.1/mcp", clean + " is in http://" + clean + "@127.0.0.1/mcp"},
	} {
		t.Run(name, func(t *testing.T) {
			target := &Target{Secrets: c.secrets, URL: c.url}
			if got := target.Redact(c.in); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestRedactURL(t *testing.T) {
	for in, want := range map[string]string{
		"":                                       "",
		"http://127.0.0.1:{port}/mcp":            "http://127.0.0.1:{port}/mcp",
		"http://me:hunter2@127.0.0.1:{port}/mcp": "http://[redacted]@127.0.0.1:{port}/mcp",
		"http://me:p%40ss@example.com/mcp?a=b%20c": "http://[redacted]@example.com/mcp?a=b%20c",
		"https://token@example.com/mcp":            "https://[redacted]@example.com/mcp",
		"https://example.com/mcp?key=s3cret":       "https://example.com/mcp?key=[redacted]",
	} {
		target := &Target{URL: in, Secrets: []string{"s3cret"}}
		if got := target.Redact(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// A command line in a result can be pasted into a shell of any machine, and
// tells no secret.
func TestCommandLine(t *testing.T) {
	b := &Bench{Exe: "/opt/bin/mcpdyno"}
	for want, command := range map[string][]string{
		"":                                      nil,
		"mcpdyno serve --stdio":                 {"/opt/bin/mcpdyno", "serve", "--stdio"},
		"mcpdyno serve --http 127.0.0.1:{port}": {"/opt/bin/mcpdyno", "serve", "--http", "127.0.0.1:{port}"},
		"/opt/bin/other /opt/bin/mcpdyno":       {"/opt/bin/other", "/opt/bin/mcpdyno"},
		`sh -c 'echo "a b"'`:                    {"sh", "-c", `echo "a b"`},
		"server --key=[redacted] ''":            {"server", "--key=pa$$word!", ""},
		"server 'the key is [redacted]'":        {"server", "the key is pa$$word!"},
	} {
		if got := b.commandLine(&Target{Command: command, Secrets: []string{"pa$$word!"}}); got != want {
			t.Errorf("%q becomes %s, want %s", command, got, want)
		}
	}
}
