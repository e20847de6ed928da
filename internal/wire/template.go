package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Ids from FirstID to LastID always have 12 digits, so that every request made
// from one template has the same size.
const (
	FirstID = 100_000_000_000
	LastID  = 999_999_999_999
)

// NonceHole, put anywhere in a request's params, is where [Template.Append]
// writes the nonce. The nonce has the hole's width, 16 bytes.
const NonceHole = "mcpdyno:nonce000"

// A Template is a request encoded once, with holes for its id and its nonce. It
// may be used by several goroutines at a time.
type Template struct {
	head   []byte // up to the id
	tail   []byte // from behind the id
	nonces []int  // where the holes are in tail
}

// NewTemplate encodes a request for method. Params is a JSON object or array,
// or nil, and then left out; white space between its tokens is removed, so that
// a message is one line. It is an error if params is anything else.
func NewTemplate(method string, params json.RawMessage) (Template, error) {
	tail, err := appendCall([]byte(`,`), method, params)
	if err != nil {
		return Template{}, fmt.Errorf("encoding request %q: %w", method, err)
	}
	t := Template{head: []byte(`{"jsonrpc":"2.0","id":`), tail: tail}
	for at := 0; ; {
		n := bytes.Index(tail[at:], []byte(NonceHole))
		if n < 0 {
			return t, nil
		}
		t.nonces = append(t.nonces, at+n)
		at += n + len(NonceHole)
	}
}

// HasNonce reports whether the params have a [NonceHole].
func (t *Template) HasNonce() bool { return len(t.nonces) > 0 }

// Append appends one request, without a newline. It allocates only if dst has
// too little room. An id outside [FirstID, LastID] is legal JSON-RPC and changes
// the width of the message.
func (t *Template) Append(dst []byte, id int64, nonce uint64) []byte {
	dst = append(dst, t.head...)
	dst = strconv.AppendInt(dst, id, 10)
	start := len(dst)
	dst = append(dst, t.tail...)
	if len(t.nonces) > 0 {
		text := NonceText(nonce)
		for _, at := range t.nonces {
			copy(dst[start+at:], text[:])
		}
	}
	return dst
}

// NonceText is what [Template.Append] writes for a nonce: 16 lower-case
// hexadecimal digits.
func NonceText(nonce uint64) [16]byte {
	var text [16]byte
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = "0123456789abcdef"[nonce&15]
		nonce >>= 4
	}
	return text
}

// NewNotification encodes a notification, without a newline. Params as in
// [NewTemplate].
func NewNotification(method string, params json.RawMessage) ([]byte, error) {
	message, err := appendCall([]byte(`{"jsonrpc":"2.0",`), method, params)
	if err != nil {
		return nil, fmt.Errorf("encoding notification %q: %w", method, err)
	}
	return message, nil
}

// appendCall appends the method and params of a message and its closing brace.
func appendCall(dst []byte, method string, params json.RawMessage) ([]byte, error) {
	dst = append(dst, `"method":`...)
	dst = appendString(dst, method)
	if params != nil {
		compact := bytes.NewBuffer(append(dst, `,"params":`...))
		start := compact.Len()
		if err := json.Compact(compact, params); err != nil {
			return nil, fmt.Errorf("reading params: %w", err)
		}
		dst = compact.Bytes()
		if c := dst[start]; c != '{' && c != '[' {
			return nil, errors.New("params are neither an object nor an array")
		}
	}
	return append(dst, '}'), nil
}

// AppendResult appends the answer with that result to the request with that id,
// both raw JSON, without a newline. A nil id becomes null.
func AppendResult(dst, rawID, result []byte) []byte {
	dst = appendAnswer(dst, rawID)
	dst = append(dst, `"result":`...)
	dst = append(dst, result...)
	return append(dst, '}')
}

// AppendError appends an error answer to the request with that raw id, without
// a newline. A nil id, of a request that could not be read, becomes null.
func AppendError(dst, rawID []byte, code int, message string) []byte {
	dst = appendAnswer(dst, rawID)
	dst = append(dst, `"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, message)
	return append(dst, `}}`...)
}

func appendAnswer(dst, rawID []byte) []byte {
	if rawID == nil {
		rawID = []byte("null")
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, rawID...)
	return append(dst, ',')
}

// appendString appends text as a JSON string; encoding/json cannot fail on one.
func appendString(dst []byte, text string) []byte {
	quoted, _ := json.Marshal(text)
	return append(dst, quoted...)
}
