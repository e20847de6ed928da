package fake

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// maxPayload bounds the tool payload; it is above every limit a client may have.
const maxPayload = 256 << 20

// server is what both transports share: the right answers, and the state of the
// case.
type server struct {
	opt  options
	does behaviour
	in   io.Reader
	out  io.Writer
	errw io.Writer

	mu      sync.Mutex
	seen    int                     // calls that triggered the case
	asked   map[string]chan message // the fake's own requests, by id
	asks    int
	guests  map[string]*guest // calls that wait for another one (see meet)
	ballast []byte
}

func (s *server) speaks(era string) bool { return s.opt.era == era || s.opt.era == "both" }

// triggered says whether m is one of the calls that the case is about, and the
// how manyth it is, from 1, after those let off.
func (s *server) triggered(m *message) (n int, ok bool) {
	on := s.does.on
	if s.opt.on != "" {
		on = []string{s.opt.on}
	}
	if on == nil {
		on = []string{"tools/call"}
	}
	if !slices.Contains(on, "*") && !slices.Contains(on, m.Method) {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen++
	return s.seen - s.opt.after, s.seen > s.opt.after
}

// reply answers m, bent where the case says so.
func (s *server) reply(m *message) *reply {
	r := s.right(m)
	if s.does.bend != nil {
		if n, ok := s.triggered(m); ok {
			s.does.bend(s, m, r, n)
		}
	}
	return r
}

// right is the well-behaved answer to m.
func (s *server) right(m *message) *reply {
	r := &reply{ID: m.ID}
	switch {
	case s.speaks("modern") && m.isModern():
		s.modern(m, r)
	case s.speaks("legacy"):
		s.legacy(m, r)
	case m.Method == "initialize":
		r.fail(400, unsupportedVersion, "Unsupported protocol version", versions(m.Params.ProtocolVersion))
	default:
		r.fail(400, invalidParams, "_meta lacks "+metaRevision, nil)
	}
	return r
}

func versions(requested string) object {
	return object{"supported": []string{modernRevision}, "requested": requested}
}

// legacy answers as 2025-11-25 and earlier revisions want it.
func (s *server) legacy(m *message, r *reply) {
	switch m.Method {
	case "initialize":
		v := legacyRevision
		if isLegacy(m.Params.ProtocolVersion) {
			v = m.Params.ProtocolVersion
		}
		r.Result = object{"protocolVersion": v, "capabilities": capabilities(), "serverInfo": info()}
	case "ping":
		r.Result = object{}
	default:
		s.tools(m, r)
	}
}

// revisions are those of the eras that the server speaks, newest first.
func (s *server) revisions() []string {
	if s.speaks("legacy") {
		return []string{modernRevision, legacyRevision}
	}
	return []string{modernRevision}
}

func isLegacy(revision string) bool {
	return slices.Contains([]string{"2024-11-05", "2025-03-26", "2025-06-18", legacyRevision}, revision)
}

// modern answers as 2026-07-28 wants it.
func (s *server) modern(m *message, r *reply) {
	v, ok := m.revision()
	_, capable := m.Params.Meta[metaCapabilities]
	switch {
	case !ok || !capable:
		r.fail(400, invalidParams, "_meta lacks "+metaRevision+" or "+metaCapabilities, nil)
		return
	case v != modernRevision:
		r.fail(400, unsupportedVersion, "Unsupported protocol version", versions(v))
		return
	case m.Method == "server/discover":
		r.Result = object{"supportedVersions": s.revisions(), "capabilities": capabilities()}
	default:
		s.tools(m, r)
	}
	if r.Result != nil {
		complete(m, r.Result)
	}
}

// complete adds what every modern result carries.
func complete(m *message, result object) {
	result["resultType"] = "complete"
	result["_meta"] = object{metaServerInfo: info()}
	if m.Method != "tools/call" {
		result["ttlMs"], result["cacheScope"] = 0, "public"
	}
}

func info() object         { return object{"name": "fake", "version": "1"} }
func capabilities() object { return object{"tools": object{}} }

// tools answers the methods that both eras have.
func (s *server) tools(m *message, r *reply) {
	switch m.Method {
	case "tools/list":
		r.Result = object{"tools": []object{echoTool(), payloadTool()}}
	case "tools/call":
		call(m, r)
	default:
		r.fail(404, methodNotFound, "Method not found", nil)
		if !m.isModern() {
			r.status = 0 // the status is part of the protocol only since 2026-07-28
		}
	}
}

func echoTool() object    { return tool("echo", "message", "string") }
func payloadTool() object { return tool("payload", "bytes", "integer") }

func tool(name, argument, kind string) object {
	return object{
		"name":        name,
		"description": "The fake's " + name + ".",
		"inputSchema": object{
			"type":       "object",
			"properties": object{argument: object{"type": kind}},
			"required":   []string{argument},
		},
		"annotations": object{"readOnlyHint": true},
	}
}

func call(m *message, r *reply) {
	args := m.Params.Arguments
	switch m.Params.Name {
	case "echo":
		r.Result = textResult(args.Message)
	case "payload":
		if args.Bytes < 0 || args.Bytes > maxPayload {
			r.Result = textResult("bytes is out of range")
			r.Result["isError"] = true
			return
		}
		r.Result = textResult(payload(args.Bytes))
	default:
		r.fail(0, invalidParams, "Unknown tool", nil)
		if m.isModern() {
			r.status = 400
		}
	}
}

// payload is a text of exactly n bytes.
func payload(n int) string {
	const pattern = "0123456789abcdef"
	return strings.Repeat(pattern, n/len(pattern)+1)[:n]
}

// ask sends a request of the fake's own and waits for its answer; false when ctx
// ended first.
func (s *server) ask(ctx context.Context, method string, send func([]byte) error) bool {
	s.mu.Lock()
	s.asks++
	id := fmt.Sprintf(`"s%d"`, s.asks)
	answered := make(chan message, 1)
	if s.asked == nil {
		s.asked = make(map[string]chan message)
	}
	s.asked[id] = answered
	s.mu.Unlock()
	if send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)) != nil {
		return false
	}
	select {
	case <-answered:
		return true
	case <-ctx.Done():
		return false
	}
}

// answered takes the client's answer to a request of the fake's own.
func (s *server) answered(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.asked[string(m.ID)]; ok {
		delete(s.asked, string(m.ID))
		c <- *m
	}
}

// isCall says whether m wants an answer; a notification has no id.
func (m *message) isCall() bool { return m.Method != "" && m.ID != nil }

// null is the id of an answer to something unreadable.
func null() json.RawMessage { return json.RawMessage("null") }
