// Package null is the server that does nothing, on every transport.
//
// It is what a run is held against: a call to it costs what the instrument and
// the transport cost. Every transport takes the same way:
//
//  1. [Server.ServeStdio] and [Server.ServeHTTP] take one request off the wire
//     and decide its era (by its _meta, by its headers).
//  2. parse finds the few things that matter in it, without decoding the rest.
//  3. answer appends the answer to a buffer that the transport writes at once.
//
// It offers two tools, echo and payload, as servers/CONTRACT.md has them. It has
// no prompts, resources, tasks or subscriptions, takes no batches, and never
// sends a request or a notification of its own. It does not choose an address:
// keeping to loopback is up to the caller.
package null

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options say how the server behaves. The zero value is the server that
// answers at once, in both eras, in JSON.
type Options struct {
	Version string // of the server, as it tells its clients
	Era     string // "legacy" (up to 2025-11-25), "modern" (2026-07-28) or "both"; "" is both
	Answers string // HTTP answers as "json" or as "sse"; "" is json
	Path    string // of the HTTP endpoint; "" is /mcp

	Delay  time.Duration // every tool call waits so long; calls overlap
	Serial time.Duration // every tool call takes so long, one call at a time
	CPU    time.Duration // every tool call keeps one core busy for so long
}

// Validate names the first option that has no meaning.
func (o Options) Validate() error {
	switch {
	case !slices.Contains([]string{"", "both", "legacy", "modern"}, o.Era):
		return fmt.Errorf("era %q: choose legacy, modern or both", o.Era)
	case !slices.Contains([]string{"", "json", "sse"}, o.Answers):
		return fmt.Errorf("answers %q: choose json or sse", o.Answers)
	case o.Path != "" && o.Path[0] != '/':
		return fmt.Errorf("path %q: begin it with a slash", o.Path)
	case min(o.Delay, o.Serial, o.CPU) < 0:
		return fmt.Errorf("delay %v, serial %v, cpu %v: none can be negative", o.Delay, o.Serial, o.CPU)
	}
	return nil
}

// A Server answers MCP requests. It may serve several transports at a time.
type Server struct {
	o          Options
	info       string   // its name and version, as a JSON object
	versions   []string // the revisions it speaks, newest first
	modernTail string
	turn       chan struct{} // held by the one call of Serial
	cores      chan struct{} // held by the calls of CPU, one a core
	filler     atomic.Pointer[[]byte]
	sessions   sync.Map  // id → struct{}, of legacy HTTP
	buffers    sync.Pool // of *buffers
}

// New returns a server with valid options (see [Options.Validate]). It does no
// work ahead: a server should answer its first request as early as it can.
func New(o Options) *Server {
	if o.Path == "" {
		o.Path = "/mcp"
	}
	version, _ := json.Marshal(o.Version) // a string always encodes
	info := `{"name":"mcpdyno-null","version":` + string(version) + `}`
	return &Server{
		o:          o,
		info:       info,
		modernTail: `,"_meta":{"io.modelcontextprotocol/serverInfo":` + info + `}`,
		versions:   versionsOf(o.Era),
		turn:       make(chan struct{}, 1),
		cores:      make(chan struct{}, runtime.GOMAXPROCS(0)),
		buffers:    sync.Pool{New: func() any { return new(buffers) }},
	}
}

// instant reports whether a call needs no time of its own.
func (s *Server) instant() bool { return max(s.o.Delay, s.o.Serial, s.o.CPU) == 0 }
