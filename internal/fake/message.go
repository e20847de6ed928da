package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The revisions of the two eras that the fake speaks.
const (
	legacyRevision = "2025-11-25"
	modernRevision = "2026-07-28"
)

// Keys of a modern request's _meta (2026-07-28, basic: "_meta").
const (
	metaRevision     = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
)

// JSON-RPC error codes, and those that MCP 2026-07-28 reserves.
const (
	parseError         = -32700
	invalidRequest     = -32600
	methodNotFound     = -32601
	invalidParams      = -32602
	sessionError       = -32001
	legacyError        = -32000
	headerMismatch     = -32020
	unsupportedVersion = -32022
)

type object = map[string]any

// message is what a client sent: a call, a notification, or (without a method)
// an answer to one of the fake's own requests.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name            string                     `json:"name"`
		Arguments       arguments                  `json:"arguments"`
		Cursor          *string                    `json:"cursor"` // an empty cursor is not an absent one
		ProtocolVersion string                     `json:"protocolVersion"`
		InputResponses  json.RawMessage            `json:"inputResponses"`
		Meta            map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
}

// arguments of echo and payload.
type arguments struct {
	Message string `json:"message"`
	Bytes   int    `json:"bytes"`
}

func parseMessage(data []byte) (*message, error) {
	m := new(message)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("parsing message: %w", err)
	}
	return m, nil
}

// revision is the one in the message's _meta; ok is false in the legacy era.
func (m *message) revision() (v string, ok bool) {
	raw, ok := m.Params.Meta[metaRevision]
	if ok {
		_ = json.Unmarshal(raw, &v) // not a string: an unsupported revision
	}
	return v, ok
}

func (m *message) isModern() bool {
	_, ok := m.revision()
	return ok || m.Method == "server/discover"
}

// reply is the answer to one call. A case may bend any part of it.
type reply struct {
	ID      json.RawMessage
	Result  object
	Error   any
	status  int    // of HTTP; 0 is 200
	session string // of HTTP; minted by initialize
	raw     []byte // if not nil, sent in place of the JSON
	hang    hang
}

// hang is how an answer stays out.
type hang int

const (
	answers      hang = iota
	hangSilent        // not a byte
	hangHeaders       // HTTP: the headers, then nothing; stdio: not a byte
	hangComments      // HTTP: SSE comments for ever; stdio: not a byte
)

// fail makes the reply an error.
func (r *reply) fail(status, code int, text string, data any) {
	e := object{"code": code, "message": text}
	if data != nil {
		e["data"] = data
	}
	r.Result, r.Error, r.status = nil, e, status
}

// set changes a part of the result; an error stays as it is.
func (r *reply) set(key string, value any) {
	if r.Result != nil {
		r.Result[key] = value
	}
}

// body is the reply as bytes, without a line end.
func (r *reply) body() []byte {
	if r.raw != nil {
		return r.raw
	}
	var b bytes.Buffer
	var result any // nil, unlike an empty object, is left out
	if r.Result != nil {
		result = r.Result
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result,omitempty"`
		Error   any             `json:"error,omitempty"`
	}{"2.0", r.ID, result, r.Error})
	if err != nil {
		panic(err) // the fake builds only what can be encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// text is the first text content of a tool's answer, "" without one.
func (r *reply) text() string {
	if c, ok := r.Result["content"].([]object); ok && len(c) > 0 {
		s, _ := c[0]["text"].(string)
		return s
	}
	return ""
}

// textResult is a tool's answer.
func textResult(text string) object {
	return object{"content": []object{{"type": "text", "text": text}}}
}
