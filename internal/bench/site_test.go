package bench

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"mcpdyno/internal/null"
)

// A site is the null server as one that runs already. It counts what it sees.
type site struct {
	*httptest.Server
	null        http.Handler
	onCall      func(n int64, w http.ResponseWriter) (answered bool) // before the n-th tool call, from 1
	connections atomic.Int64
	calls       atomic.Int64
	goodbyes    atomic.Int64 // sessions that were ended
}

func newSite(t *testing.T, onCall func(int64, http.ResponseWriter) bool) *site {
	s := &site{null: null.New(null.Options{Version: "test"}).Handler(), onCall: onCall}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func (s *site) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if r.Method == http.MethodDelete {
		s.goodbyes.Add(1)
	}
	if bytes.Contains(body, []byte(`"tools/call"`)) {
		if n := s.calls.Add(1); s.onCall != nil && s.onCall(n, w) {
			return
		}
	}
	s.null.ServeHTTP(w, r)
}

func (s *site) target() *Target {
	return &Target{Name: "site", URL: s.URL + "/mcp", Placement: "none"}
}

// broken is an answer that is none.
func broken(w http.ResponseWriter) bool {
	http.Error(w, "out of order", http.StatusInternalServerError)
	return true
}
