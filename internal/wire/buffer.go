package wire

import (
	"bytes"
	"fmt"
)

// DefaultLimit is the limit of a framer whose Limit is 0: 64 MiB.
const DefaultLimit = 64 << 20

// firstSpace is the smallest buffer in bytes: a short message and its framing.
const firstSpace = 4 << 10

// headSize is how much of a message over the limit is kept, in bytes.
const headSize = 64 << 10

// A TooLarge error says that a message went over its framer's limit. The rest
// of it is skipped; the messages behind it are fine.
type TooLarge struct {
	Size int64  // bytes seen when the limit was passed; the message may be longer
	Head []byte // a copy of the first 64 KiB at most of the line, or of the event's data, for [Scan] to find an id in
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("message too large: %d bytes and more", e.Size)
}

func tooLarge(size int, text []byte) *TooLarge {
	return &TooLarge{Size: int64(size), Head: bytes.Clone(text[:min(len(text), headSize)])}
}

// buffer holds bytes that were fed and not yet taken. It is kept and reused;
// b[start:end] is held, b[end:] is free.
type buffer struct {
	b          []byte
	start, end int
}

// Space returns where the next read may put bytes, at least n and at least one
// of them. What Next returned is valid until this call. The buffer grows by
// doubling and is kept.
func (f *buffer) Space(n int) []byte {
	n = max(n, 1)
	if f.start == f.end {
		f.start, f.end = 0, 0
	}
	if len(f.b)-f.end < n {
		f.makeRoom(n)
	}
	return f.b[f.end:]
}

// makeRoom moves what is held to the front, of a larger buffer if need be.
func (f *buffer) makeRoom(n int) {
	to, held := f.b, f.b[f.start:f.end]
	if len(f.b)-len(held) < n || len(held) > len(f.b)/2 {
		to = make([]byte, max(2*len(f.b), len(held)+n, firstSpace))
	}
	f.start, f.end = 0, copy(to, held)
	f.b = to
}

// Fed says that the first n bytes of Space were filled.
func (f *buffer) Fed(n int) { f.end += n }

// held returns the bytes that were fed and not yet taken.
func (f *buffer) held() []byte { return f.b[f.start:f.end] }

// take removes the first n bytes of what is held.
func (f *buffer) take(n int) { f.start += n }

func limit(n int) int {
	if n <= 0 {
		return DefaultLimit
	}
	return n
}
