package null

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"mcpdyno/internal/wire"
)

// answer appends the answer to r, and says which HTTP status the modern era
// wants for it. The error is that of a ctx which ended first: then there is no
// answer.
func (s *Server) answer(ctx context.Context, dst []byte, r *request) ([]byte, int, error) {
	out, err := s.perform(ctx, dst, r)
	if f, ok := errors.AsType[*fault](err); ok {
		return f.append(dst, r.RawID), f.status(), nil
	}
	return out, http.StatusOK, err
}

// perform appends the answer to r, or fails with a fault or with ctx's error.
func (s *Server) perform(ctx context.Context, dst []byte, r *request) ([]byte, error) {
	if r.IDKind == wire.NullID {
		return nil, &fault{code: codeInvalidRequest, message: "the id of a request is a string or an integer, not null"}
	}
	if r.modern {
		if err := s.checkMeta(r); err != nil {
			return nil, err
		}
	}
	switch method := string(r.Method); {
	case method == "tools/call":
		return s.call(ctx, dst, r)
	case method == "tools/list":
		return s.cacheable(dst, r, `"tools":`+tools), nil
	case method == "server/discover" && r.modern:
		return s.cacheable(dst, r, `"supportedVersions":`+s.supported()+`,"capabilities":{"tools":{}}`), nil
	case method == "initialize" && !r.modern:
		return wire.AppendResult(dst, r.RawID, []byte(`{"protocolVersion":"`+negotiate(string(r.asked))+
			`","capabilities":{"tools":{}},"serverInfo":`+s.info+`}`)), nil
	case method == "ping" && !r.modern:
		return wire.AppendResult(dst, r.RawID, []byte(`{}`)), nil
	}
	return nil, &fault{code: codeUnknownMethod, message: "unknown method"}
}

// negotiate answers the version asked for if it is known, else the newest.
func negotiate(asked string) string {
	if isLegacy(asked) {
		return asked
	}
	return legacyVersions()[0]
}

// cacheable appends a result with these members. In the modern era it carries
// the fields of a cacheable result (server/utilities/caching), stale at once.
func (s *Server) cacheable(dst []byte, r *request, members string) []byte {
	if r.modern {
		members = modernHead + members + `,"ttlMs":0,"cacheScope":"public"` + s.modernTail
	}
	return wire.AppendResult(dst, r.RawID, []byte("{"+members+"}"))
}

// modernHead, and the server's modernTail, stand around the members of every
// modern result.
const modernHead = `"resultType":"complete",`

// supported is the JSON array of the revisions that the server speaks.
func (s *Server) supported() string { return `["` + strings.Join(s.versions, `","`) + `"]` }

// checkMeta refuses a modern request whose _meta lacks what every request must
// carry, or names a revision that is not spoken that way. A modern-only server
// tells its versions to a client that begins with initialize.
func (s *Server) checkMeta(r *request) error {
	switch {
	case string(r.Method) == "initialize":
		return s.unsupported(r.asked)
	case r.version == nil || !r.capabilities:
		return &fault{code: codeInvalidParams, message: "params._meta needs io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities"}
	case string(r.version) != modernVersion:
		return s.unsupported(r.version)
	}
	return nil
}

// unsupported is the fault that lists the versions to choose from. Requested is
// the inside of a JSON string.
func (s *Server) unsupported(requested []byte) error {
	return &fault{codeUnsupported, "unsupported protocol version",
		`{"supported":` + s.supported() + `,"requested":"` + string(requested) + `"}`}
}
