package null

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"mcpdyno/internal/wire"
)

// buffers are what one POST needs; they are used again.
type buffers struct {
	body bytes.Buffer
	line bytes.Buffer // the body without line ends, if it had some
	out  []byte
}

// exchange is one POST.
type exchange struct {
	s       *Server
	w       http.ResponseWriter
	r       *http.Request
	version string // its protocol version header, or empty
	*buffers
}

func (x *exchange) serve() {
	media, _, _ := strings.Cut(x.r.Header.Get("Content-Type"), ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/json") {
		http.Error(x.w, "content type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	message, err := x.read()
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		http.Error(x.w, "request too large: 4 MiB is the limit", http.StatusRequestEntityTooLarge)
		return
	}
	var r request
	if err == nil {
		r, err = parse(message)
	}
	switch {
	case err != nil:
		x.write(http.StatusBadRequest, "application/json", unreadable(x.out[:0], err))
	case x.isModern(&r):
		x.serveModern(&r)
	default:
		x.serveLegacy(&r)
	}
}

// read returns the body, brought on one line if need be: parts of it go back
// in the answer, and an event must not have line ends in it.
func (x *exchange) read() ([]byte, error) {
	x.body.Reset()
	if _, err := x.body.ReadFrom(http.MaxBytesReader(x.w, x.r.Body, maxRequest)); err != nil {
		return nil, fmt.Errorf("reading request: %w", err)
	}
	body := x.body.Bytes()
	if bytes.IndexByte(body, '\n') < 0 && bytes.IndexByte(body, '\r') < 0 {
		return body, nil
	}
	x.line.Reset()
	if err := json.Compact(&x.line, body); err != nil {
		return nil, fmt.Errorf("reading request: %w", err)
	}
	return x.line.Bytes(), nil
}

// isModern decides the era: by the version header, and where there is none, by
// the _meta that only modern requests have.
func (x *exchange) isModern(r *request) bool {
	switch {
	case x.s.o.Era == "legacy" || x.s.o.Era == "modern":
		return x.s.o.Era == "modern"
	case x.version == "":
		return r.version != nil
	}
	return !isLegacy(x.version)
}

// serveModern serves a message without a session (2026-07-28,
// basic/transports/streamable-http).
func (x *exchange) serveModern(r *request) {
	r.modern = true
	switch r.Kind {
	case wire.Notification:
		x.w.WriteHeader(http.StatusAccepted)
		return
	case wire.Result, wire.Error:
		x.fail(http.StatusBadRequest, nil, &fault{code: codeInvalidRequest, message: "clients send no answers in " + modernVersion})
		return
	}
	if f := x.checkHeaders(r); f != nil {
		x.fail(f.status(), r.RawID, f)
		return
	}
	x.reply(x.r.Context(), r)
}

// checkHeaders refuses a request whose headers are not those of its body.
// Where the body does not say what to compare with, the body is refused later.
func (x *exchange) checkHeaders(r *request) *fault {
	mismatch := func(header string) *fault {
		return &fault{code: codeHeaderMismatch, message: "header " + header + " is missing or differs from the body"}
	}
	h := x.r.Header
	switch {
	case string(r.Method) == "initialize" && r.version == nil:
		return nil // a legacy client, to be told the versions
	case x.version == "" || r.version != nil && x.version != string(r.version):
		return mismatch("MCP-Protocol-Version")
	case x.version != modernVersion:
		return nil
	case h.Get(headerMethod) != string(r.Method):
		return mismatch("Mcp-Method")
	case string(r.Method) == "tools/call" && plain(h.Get(headerName)) != string(r.tool):
		return mismatch("Mcp-Name")
	}
	return nil
}

// plain decodes a header value that is wrapped as =?base64?…?=.
func plain(value string) string {
	inner, isWrapped := strings.CutPrefix(value, "=?base64?")
	inner, isClosed := strings.CutSuffix(inner, "?=")
	if !isWrapped || !isClosed {
		return value
	}
	text, err := base64.StdEncoding.DecodeString(inner)
	if err != nil {
		return value
	}
	return string(text)
}

// serveLegacy serves a message of a session (2025-11-25, basic/transports). A
// client that goes away does not cancel its call, as that revision says.
func (x *exchange) serveLegacy(r *request) {
	if x.version != "" && !isLegacy(x.version) {
		x.fail(http.StatusBadRequest, nil, &fault{code: codeBadRequest,
			message: "unsupported protocol version, choose one of " + strings.Join(x.s.versions, ", ")})
		return
	}
	if r.Kind == wire.Request && string(r.Method) == "initialize" {
		x.w.Header().Set(headerSession, x.s.beginSession())
	} else if status := x.s.findSession(x.r); status != http.StatusOK {
		x.fail(status, r.RawID, &fault{code: codeNoSession, message: "no such session: send initialize first, then its Mcp-Session-Id"})
		return
	}
	if r.Kind != wire.Request {
		x.w.WriteHeader(http.StatusAccepted)
		return
	}
	x.reply(context.WithoutCancel(x.r.Context()), r)
}

// reply answers a request, as an event or in JSON. What fails in the modern era
// goes out in JSON, under its own status.
func (x *exchange) reply(ctx context.Context, r *request) {
	const event = "event: message\ndata: "
	out, status, err := x.s.answer(ctx, append(x.out[:0], event...), r)
	if err != nil {
		return // the client has gone
	}
	x.out = out
	switch {
	case r.modern && status != http.StatusOK:
		x.write(status, "application/json", out[len(event):])
	case x.s.o.Answers != "sse":
		x.write(http.StatusOK, "application/json", out[len(event):])
	default:
		x.out = append(out, "\n\n"...)
		x.stream(x.out)
	}
}

// stream sends one event and flushes it, as a server does that may have more.
func (x *exchange) stream(event []byte) {
	h := x.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	if _, err := x.w.Write(event); err == nil {
		http.NewResponseController(x.w).Flush()
	}
}

func (x *exchange) fail(status int, id []byte, f *fault) {
	x.write(status, "application/json", f.append(x.out[:0], id))
}

// write sends a whole answer. Its error would be that of a client that has gone.
func (x *exchange) write(status int, media string, body []byte) {
	h := x.w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(status)
	x.w.Write(body)
}
