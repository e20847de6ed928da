package null

import (
	"net/http"

	"mcpdyno/internal/wire"
)

// The error codes in use: JSON-RPC's own, MCP's (2026-07-28, basic/index,
// "Error Codes"), and two that servers of the legacy era have by habit.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInvalidParams  = -32602
	codeHeaderMismatch = -32020
	codeUnsupported    = -32022
	codeBadRequest     = -32000
	codeNoSession      = -32001
)

// A fault is what is wrong with a request.
type fault struct {
	code    int
	message string
	data    string // raw JSON, or empty
}

func (f *fault) Error() string { return f.message }

// append appends the error answer to the request with that raw id.
func (f *fault) append(dst, id []byte) []byte {
	dst = wire.AppendError(dst, id, f.code, f.message)
	if f.data == "" {
		return dst
	}
	dst = dst[:len(dst)-len("}}")] // back into the error object
	dst = append(dst, `,"data":`...)
	dst = append(dst, f.data...)
	return append(dst, "}}"...)
}

// status is the HTTP status that the modern era wants (2026-07-28,
// basic/transports/streamable-http); the legacy era sends the answer with 200.
func (f *fault) status() int {
	if f.code == codeUnknownMethod {
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}
