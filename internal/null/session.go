package null

import (
	"crypto/rand"
	"net/http"
)

// beginSession mints the id of a session of the legacy era. The server keeps
// the ids only: a session has no state, and lives until its client ends it.
func (s *Server) beginSession() string {
	id := rand.Text()
	s.sessions.Store(id, struct{}{})
	return id
}

// findSession returns the HTTP status for the session that a request names: 200
// for one that lives, 400 for none, 404 for one that is gone (2025-11-25,
// basic/transports, "Session Management").
func (s *Server) findSession(r *http.Request) int {
	id := r.Header.Get(headerSession)
	if id == "" {
		return http.StatusBadRequest
	}
	if _, ok := s.sessions.Load(id); !ok {
		return http.StatusNotFound
	}
	return http.StatusOK
}

func (s *Server) endSession(w http.ResponseWriter, r *http.Request) {
	if status := s.findSession(r); status != http.StatusOK {
		http.Error(w, "no such session", status)
		return
	}
	s.sessions.Delete(r.Header.Get(headerSession))
	w.WriteHeader(http.StatusNoContent)
}
