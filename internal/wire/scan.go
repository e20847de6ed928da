package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// A Kind is what a JSON-RPC message is.
type Kind uint8

// The kinds. A request has an id (null counts), a notification has none.
const (
	Unreadable Kind = iota
	Result
	Error
	Request
	Notification
)

func (k Kind) String() string {
	return [...]string{"unreadable", "result", "error", "request", "notification"}[k]
}

// An IDKind is the JSON type of a message's id.
type IDKind uint8

// The id kinds. OtherID is what JSON-RPC forbids or discourages: a number that
// is not written as an integer (1.0, 1e3, one beyond 64 bits), the same in
// quotes ("1.0"), a boolean, an array or an object.
const (
	NoID IDKind = iota
	NullID
	IntID
	StringID
	OtherID
)

// A Message is what [Scan] found. Its slices alias the scanned bytes and are
// raw JSON where nothing else is said; a slice is nil if the member is absent.
type Message struct {
	Kind   Kind
	IDKind IDKind
	// ID is the id as a number: an IntID itself, what the digits of a StringID
	// spell, an integral OtherID. 0 if the id has no such number.
	ID         int64
	RawID      []byte
	Method     []byte // between the quotes, as sent (escapes are not decoded)
	Params     []byte
	Result     []byte
	Error      []byte // nil also for null
	IsError    bool   // result.isError is true
	ResultType []byte // result.resultType between the quotes, as sent; nil if absent or no string
	NoVersion  bool   // the message lacks "jsonrpc": illegal, though readable
}

var errNotRPC = errors.New("not a JSON-RPC message")

// Scan finds what the JSON-RPC message in b is. It builds nothing: all slices
// of the Message alias b.
//
// It is an error if b is not exactly one JSON object, if its members or those
// of result are not well-formed (truncated, missing comma or colon, trailing
// bytes), and if the object is not JSON-RPC: it needs a method, a result or an
// error, and either "jsonrpc" or, in an answer, an id. So a log line such as
// {"level":"info"} is an error. When b is cut short, the Message still has the
// id and method found before the cut, with Kind [Unreadable].
//
// Scan does not check the inside of strings (UTF-8, escapes, control
// characters), the grammar of numbers other than the id, and anything nested
// deeper than the members of result, of which it only counts the brackets. As
// in encoding/json, the last of several members with one name wins.
func Scan(b []byte) (Message, error) {
	s := scanner{b: b}
	m := Message{NoVersion: true}
	s.open('{', "an object")
	for first := true; s.more('}', first); first = false {
		s.message(&m)
	}
	s.end()
	if s.err == nil {
		s.err = m.classify()
	}
	if s.err != nil {
		return m, fmt.Errorf("scanning message: %w", s.err)
	}
	return m, nil
}

// message reads one member of a message.
func (s *scanner) message(m *Message) {
	switch string(s.name()) {
	case "jsonrpc":
		s.value()
		m.NoVersion = false
	case "id":
		s.id(m)
	case "method":
		m.Method = s.text("a method name")
	case "params":
		m.Params = s.value()
	case "result":
		s.result(m)
	case "error":
		m.Error = s.value()
		if string(m.Error) == "null" {
			m.Error = nil
		}
	default:
		s.value()
	}
}

// text reads a string and returns what is between its quotes, nil for null.
func (s *scanner) text(want string) []byte {
	at := s.i
	raw := s.value()
	switch {
	case s.err != nil || string(raw) == "null":
		return nil
	case raw[0] != '"':
		s.fail(fmt.Errorf("%s at byte %d where %s was expected", raw[:min(len(raw), 20)], at, want))
		return nil
	}
	return raw[1 : len(raw)-1]
}

// result reads the value of result, one level deep.
func (s *scanner) result(m *Message) {
	m.IsError, m.ResultType = false, nil
	if s.peek() != '{' {
		m.Result = s.value()
		return
	}
	start := s.i
	s.open('{', "an object")
	for first := true; s.more('}', first); first = false {
		switch string(s.name()) {
		case "isError":
			m.IsError = string(s.value()) == "true"
		case "resultType":
			m.ResultType = unquote(s.value())
		default:
			s.value()
		}
	}
	if s.err == nil {
		m.Result = s.b[start:s.i]
	}
}

// unquote returns what is between the quotes of raw, nil if it is no string.
func unquote(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// id reads the value of id.
func (s *scanner) id(m *Message) {
	raw := s.value()
	if s.err != nil {
		return
	}
	m.RawID, m.ID = raw, 0
	switch c := raw[0]; {
	case c == 'n':
		m.IDKind = NullID
	case c == '"':
		m.ID, m.IDKind = number(raw[1 : len(raw)-1])
		if m.IDKind != OtherID {
			m.IDKind = StringID
		}
	case c == '-' || isDigit(c):
		if m.ID, m.IDKind = number(raw); m.IDKind == NoID {
			s.fail(fmt.Errorf("id %s is not a JSON value", raw))
		}
	default:
		m.IDKind = OtherID
	}
}

// number reads text as a JSON number: an IntID, an OtherID with its value if
// that is integral, or NoID if text is no number.
func number(text []byte) (int64, IDKind) {
	if n, ok := integer(text); ok {
		return n, IntID
	}
	if len(text) == 0 || text[0] != '-' && !isDigit(text[0]) || !json.Valid(text) {
		return 0, NoID
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.Abs(f) >= 1<<63 || math.Trunc(f) != f {
		return 0, OtherID
	}
	return int64(f), OtherID
}

// integer reads text as JSON writes an integer: no plus, no leading zeros.
func integer(text []byte) (int64, bool) {
	digits := bytes.TrimPrefix(text, []byte("-"))
	if len(digits) == 0 || !isDigit(digits[0]) || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// classify sets the kind, or says that the object is no JSON-RPC message.
func (m *Message) classify() error {
	switch {
	case m.Method != nil && m.NoVersion:
		return errNotRPC // a log line of an HTTP server has a method too
	case m.Method != nil && m.IDKind == NoID:
		m.Kind = Notification
	case m.Method != nil:
		m.Kind = Request
	case m.NoVersion && m.IDKind == NoID:
		return errNotRPC
	case m.Error != nil:
		m.Kind = Error
	case m.Result != nil:
		m.Kind = Result
	default:
		return errNotRPC
	}
	return nil
}

// IsBatch reports whether b begins as a JSON array.
func IsBatch(b []byte) bool {
	s := scanner{b: b}
	return s.peek() == '['
}

// Elements splits a batch into its messages, which alias b and are to be
// scanned one by one. It is an error if b is not exactly one array, or if it is
// empty, which JSON-RPC forbids. The batch exists in revision 2025-03-26 only.
func Elements(b []byte) ([][]byte, error) {
	s := scanner{b: b}
	s.open('[', "an array")
	var messages [][]byte
	for first := true; s.more(']', first); first = false {
		messages = append(messages, s.value())
	}
	s.end()
	if s.err == nil && len(messages) == 0 {
		s.err = errors.New("empty batch")
	}
	if s.err != nil {
		return nil, fmt.Errorf("splitting batch: %w", s.err)
	}
	return messages, nil
}

// Members calls visit with each member of the JSON object in b, in order: its
// name, decoded, and its raw value. What it checks is what [Scan] checks.
func Members(b []byte, visit func(name, value []byte)) error {
	s := scanner{b: b}
	s.open('{', "an object")
	for first := true; s.more('}', first); first = false {
		name := s.name()
		if value := s.value(); s.err == nil {
			visit(name, value)
		}
	}
	s.end()
	if s.err != nil {
		return fmt.Errorf("scanning object: %w", s.err)
	}
	return nil
}
