package interop

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A peer is a server of somebody else, unmodified, and what mcpdyno should find
// out about it.
type peer struct {
	name    string
	target  string // TARGET; {port} is a free port
	flags   []string
	server  string
	version string // protocol revision
	answers string
	session string
	tool    string
}

// invalid is the exit code of a run with the verdict INVALID. On a busy machine a
// run is that for mcpdyno's own lateness, which is no fault of a peer.
const invalid = 5

// document is what the test reads of mcpdyno's JSON report.
type document struct {
	Verdict struct {
		Reasons []struct{ Code, Text string }
	}
	Targets []struct {
		Name, Role, Era, Protocol, Answers, Session, Server, Version, Op, Status string
		Outcomes                                                                 map[string]int64
	}
	Rows []struct {
		Target, Phase string
		SizeBytes     *int             `json:"size_bytes"`
		Outcomes      map[string]int64 `json:"outcomes"`
	}
}

// TestTransportStudy runs a small transport study against every peer: all calls
// end ok, and the facts in the report are those of the server.
func TestTransportStudy(t *testing.T) {
	mcpdyno := build(t, "..", "./cmd/mcpdyno")
	for _, p := range peers(t) {
		t.Run(p.name, func(t *testing.T) {
			args := append([]string{"transport", "--blocks", "2", "--runs", "20", "--batches", "4", "--cold-starts", "2", "--warmup", "5",
				"--work", "0", "--sizes", "1KB,256KB", "-o", "none", "--format", "json"}, append(p.flags, p.target)...)
			cmd := exec.CommandContext(t.Context(), mcpdyno, args...)
			var errors strings.Builder
			cmd.Stderr = &errors
			out, err := cmd.Output()
			if err != nil && cmd.ProcessState.ExitCode() != invalid {
				t.Fatalf("%v\n%s", err, errors.String())
			}
			check(t, p, out)
		})
	}
}

func peers(t *testing.T) []peer {
	sdk := build(t, ".", "./cmd/sdk-server")
	every := everything(t)
	node, err := filepath.Abs("../servers/null-node/null-node.mjs")
	if err != nil {
		t.Fatal(err)
	}
	const latest, legacy = "2026-07-28", "2025-11-25"
	web := func(start string) string { return fmt.Sprintf(`[start=%q]http://127.0.0.1:{port}/mcp`, start) }
	pin := []string{"--protocol", legacy}
	return []peer{
		{"Go SDK, stdio, modern", "stdio:" + sdk + " -stdio", nil, "sdk-server", latest, "json", "no", "payload"},
		{"Go SDK, stdio, legacy", "stdio:" + sdk + " -stdio", pin, "sdk-server", legacy, "json", "yes", "payload"},
		{"Go SDK, HTTP, sessions, SSE", web(sdk + " -http 127.0.0.1:{port}"), nil, "sdk-server", legacy, "sse", "yes", "payload"},
		{"Go SDK, HTTP, sessions, JSON", web(sdk + " -http 127.0.0.1:{port} -json"), nil, "sdk-server", legacy, "json", "yes", "payload"},
		{"Go SDK, HTTP, stateless, modern", web(sdk + " -http 127.0.0.1:{port} -stateless"), nil, "sdk-server", latest, "sse", "no", "payload"},
		{"everything, stdio", "stdio:" + every + " stdio", nil, "mcp-servers/everything", legacy, "json", "yes", "echo"},
		{"everything, HTTP", web("sh -c 'PORT={port} exec " + every + " streamableHttp'"), nil, "mcp-servers/everything", legacy, "sse", "yes", "echo"},
		{"null-node, stdio", "stdio:node " + node + " --stdio", nil, "null-node", latest, "json", "no", "payload"},
		{"null-node, stdio, legacy", "stdio:node " + node + " --stdio", pin, "null-node", legacy, "json", "yes", "payload"},
		{"null-node, stdio over sockets", "[pipes=socketpair]stdio:node " + node + " --stdio", nil, "null-node", latest, "json", "no", "payload"},
		{"null-node, HTTP", web("node " + node + " --http 127.0.0.1:{port}"), nil, "null-node", latest, "json", "no", "payload"},
		{"null-node, HTTP, legacy", web("node " + node + " --http 127.0.0.1:{port}"), pin, "null-node", legacy, "json", "yes", "payload"},
	}
}

func check(t *testing.T, p peer, out []byte) {
	t.Helper()
	var d document
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatalf("reading the report: %v", err)
	}
	for _, r := range d.Verdict.Reasons {
		if slices.Contains([]string{"mismatch", "outcomes-disagree", "failed-calls", "damaged-file", "cut-file"}, r.Code) {
			t.Errorf("%s: %s", r.Code, r.Text)
		}
	}
	seen := 0
	for _, x := range d.Targets {
		for outcome, n := range x.Outcomes {
			if n > 0 && outcome != "ok" {
				t.Errorf("%s: %d calls ended %s", x.Name, n, outcome)
			}
		}
		if x.Role != "target" {
			continue
		}
		seen++
		got := []string{x.Status, x.Server, x.Protocol, x.Answers, x.Session, x.Op}
		want := []string{"ok", p.server, p.version, p.answers, p.session, p.tool}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v, want %v", x.Name, got, want)
		}
		if x.Version == "" {
			t.Errorf("%s: the server's version is missing", x.Name)
		}
	}
	want := 1
	if strings.Contains(p.target, "http://") {
		want = 2 // and its twin with fresh connections
	}
	if seen != want {
		t.Errorf("%d targets, want %d", seen, want)
	}
	checkSizes(t, p, d)
}

// checkSizes makes sure that both answer sizes were measured where the tool can
// be asked for one.
func checkSizes(t *testing.T, p peer, d document) {
	t.Helper()
	sizes := map[int]bool{}
	for _, r := range d.Rows {
		if r.Phase == "steady" && r.SizeBytes != nil && r.Outcomes["ok"] > 0 {
			sizes[*r.SizeBytes] = true
		}
	}
	if sized := p.tool == "payload"; sized != (sizes[1<<10] && sizes[256<<10]) {
		t.Errorf("sizes measured: %v, with the tool %s", sizes, p.tool)
	}
}

// TestInspect says of each kind of peer what a user would read.
func TestInspect(t *testing.T) {
	mcpdyno := build(t, "..", "./cmd/mcpdyno")
	out, err := exec.CommandContext(t.Context(), mcpdyno, "inspect", "--", everything(t), "stdio").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"mcp-servers/everything", "2025-11-25 (legacy era)", "echo  (only reads)", `--args '{"a":1,"b":1}'`, "mcpdyno would call echo: an echo"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("inspect does not say %q:\n%s", want, out)
		}
	}
}
