package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// errTruncated says that the bytes ended inside a JSON value.
var errTruncated = errors.New("message is cut short")

// scanner walks JSON from left to right without building it. Its first error
// stays and stops every loop.
type scanner struct {
	b   []byte
	i   int
	err error
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// unexpected fails with the byte that should not be here, or with errTruncated.
func (s *scanner) unexpected(want string) {
	if s.i >= len(s.b) {
		s.fail(errTruncated)
		return
	}
	s.fail(fmt.Errorf("%q at byte %d where %s was expected", s.b[s.i], s.i, want))
}

// peek returns the next byte that is not white space, 0 at the end.
func (s *scanner) peek() byte {
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// open steps into an object or array.
func (s *scanner) open(bracket byte, want string) {
	if s.peek() != bracket {
		s.unexpected(want)
		return
	}
	s.i++
}

// more reports whether another item follows in the object or array that ends
// with bracket, and steps over what stands before it (or over the bracket).
func (s *scanner) more(bracket byte, first bool) bool {
	if s.err != nil {
		return false
	}
	c := s.peek()
	switch {
	case c == bracket:
		s.i++
		return false
	case first:
		return true
	case c != ',':
		s.unexpected("a comma")
		return false
	}
	s.i++
	if s.peek() == bracket {
		s.unexpected("an item")
	}
	return s.err == nil
}

// name reads a member's name and its colon. A name is decoded only when it has
// an escape in it.
func (s *scanner) name() []byte {
	if s.peek() != '"' {
		s.unexpected("a member name")
		return nil
	}
	start := s.i
	s.skipString()
	if s.err != nil {
		return nil
	}
	name := s.b[start+1 : s.i-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = s.decode(s.b[start:s.i])
	}
	if s.peek() != ':' {
		s.unexpected("a colon")
	}
	s.i++
	return name
}

func (s *scanner) decode(quoted []byte) []byte {
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		s.fail(fmt.Errorf("decoding a member name: %w", err))
	}
	return []byte(text)
}

// value steps over one value and returns it.
func (s *scanner) value() []byte {
	if s.err != nil {
		return nil
	}
	c := s.peek()
	start := s.i
	switch c {
	case '"':
		s.skipString()
	case '{', '[':
		s.skipNested()
	default:
		s.skipScalar()
	}
	if s.err != nil {
		return nil
	}
	return s.b[start:s.i]
}

// near is how many bytes of a string without a quote or a backslash make it
// worth to search for the next quote with a call.
const near = 32

// skipString steps over a string. It walks where there are quotes and escapes
// every few bytes and jumps from quote to quote elsewhere, so that long plain
// text costs next to nothing.
func (s *scanner) skipString() {
	b, at := s.b, s.i+1
	for at < len(b) {
		for quiet := at + near; at < len(b) && at < quiet; at++ {
			switch b[at] {
			case '"':
				s.i = at + 1
				return
			case '\\':
				at++
				quiet = at + near
			}
		}
		if at >= len(b) {
			break
		}
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			break
		}
		at += n - backslashes(b[at:at+n])
	}
	s.i = len(b)
	s.fail(errTruncated)
}

// backslashes counts those at the end of b.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}

// skipNested steps over an object or array by counting brackets.
func (s *scanner) skipNested() {
	depth := 0
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case '"':
			s.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.i++
		if depth == 0 {
			return
		}
	}
	s.fail(errTruncated)
}

// skipScalar steps over a number, true, false or null.
func (s *scanner) skipScalar() {
	start := s.i
	for s.i < len(s.b) && isScalar(s.b[s.i]) {
		s.i++
	}
	switch text := s.b[start:s.i]; {
	case s.i == len(s.b): // it stands in an object or array, so more must follow
		s.fail(errTruncated)
	case len(text) == 0:
		s.unexpected("a value")
	case text[0] == '-' || isDigit(text[0]):
	case string(text) == "true" || string(text) == "false" || string(text) == "null":
	default:
		s.i = start
		s.unexpected("a value")
	}
}

func isScalar(c byte) bool {
	return c >= 'a' && c <= 'z' || isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'E'
}

// end fails unless only white space is left.
func (s *scanner) end() {
	if s.err != nil {
		return
	}
	if s.peek(); s.i < len(s.b) {
		s.unexpected("the end of the message")
	}
}
