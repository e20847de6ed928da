package null

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// The headers of MCP, as net/http spells them.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// graceful is how long calls in flight have when the server is to stop.
const graceful = 5 * time.Second

// ServeHTTP serves streamable HTTP on l, which it closes, until ctx ends. Then
// calls in flight have five seconds to finish. The error is nil if ctx ended
// it.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener) error {
	srv := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		limit, cancel := context.WithTimeout(context.Background(), graceful)
		defer cancel()
		if srv.Shutdown(limit) != nil {
			srv.Close()
		}
	})
	err := srv.Serve(l)
	if stop() {
		return fmt.Errorf("serving HTTP: %w", err)
	}
	<-stopped
	return nil
}

// Handler returns the MCP endpoint as a handler for any HTTP server.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	version := r.Header.Get(headerVersion)
	switch {
	case r.URL.Path != s.o.Path:
		http.Error(w, "the MCP endpoint is "+s.o.Path, http.StatusNotFound)
	case !isLocal(r.Header.Get("Origin")):
		http.Error(w, "origin not allowed: only pages from this machine are", http.StatusForbidden)
	case r.Method == http.MethodPost:
		b := s.buffers.Get().(*buffers)
		defer s.buffers.Put(b)
		x := exchange{s: s, w: w, r: r, version: version, buffers: b}
		x.serve()
	case r.Method == http.MethodDelete && s.o.Era != "modern" && version != modernVersion:
		s.endSession(w, r)
	default:
		w.Header().Set("Allow", "POST")
		http.Error(w, "method not allowed: POST a message", http.StatusMethodNotAllowed)
	}
}

// isLocal reports whether a browser's page from this origin may call: a page
// from elsewhere would be a DNS rebinding attack. Programs send no origin.
func isLocal(origin string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
}
