package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"mcpdyno/internal/transport"
)

// A session is ended at the server even after an interrupt: servers keep
// sessions for ever.
func TestCloseAfterAnInterruptStillEndsTheSession(t *testing.T) {
	var deleted atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete && r.Header.Get("Mcp-Session-Id") == "s1" {
			deleted.Add(1)
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer s.Close()
	u, err := url.Parse(s.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	conn, err := transport.HTTP{URL: u, Start: start}.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session := &Session{conn: conn, opt: Options{Start: start, IDs: new(IDs), Timeout: time.Minute}, d: dialectOf(LatestLegacy), id: "s1"}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := session.Close(ctx); err != nil {
		t.Error(err)
	}
	if deleted.Load() != 1 {
		t.Errorf("%d DELETE requests of the session, want 1", deleted.Load())
	}
}
