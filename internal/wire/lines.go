package wire

import "bytes"

// Lines is newline framing, as on stdio: bytes are fed, lines come out. It
// splits on the byte 0x0A only. The zero value is ready; it is not for
// concurrent use.
//
//	n, err := r.Read(lines.Space(4096))
//	lines.Fed(n)
//	for line, ok, err := lines.Next(); ok || err != nil; line, ok, err = lines.Next() { … }
type Lines struct {
	Limit int // bytes of the longest line without its newline; 0 means [DefaultLimit]

	buffer
	seen     int // bytes held in which there is no newline
	skipping bool
	cr       bool
}

// Next returns the next complete line without its \n and without one \r before
// it, and whether there was one. The line is valid until the next Space. A line
// over the limit gives a [TooLarge] error once, as soon as that is known.
func (l *Lines) Next() (line []byte, ok bool, err error) {
	for {
		held := l.held()
		n := bytes.IndexByte(held[l.seen:], '\n')
		if n < 0 {
			return nil, false, l.unfinished(held)
		}
		n += l.seen
		l.seen = 0
		l.take(n + 1)
		switch {
		case l.skipping:
			l.skipping = false
		case n > limit(l.Limit):
			return nil, false, tooLarge(n, held[:n])
		default:
			line, l.cr = bytes.CutSuffix(held[:n], []byte("\r"))
			return line, true, nil
		}
	}
}

// unfinished notes that there is no newline in what is held, and drops what is
// over the limit.
func (l *Lines) unfinished(held []byte) error {
	l.seen = len(held)
	over := len(held) > limit(l.Limit)
	if !l.skipping && !over {
		return nil
	}
	l.seen = 0
	l.take(len(held))
	if l.skipping {
		return nil
	}
	l.skipping = true
	return tooLarge(len(held), held)
}

// Partial returns how many bytes of an unfinished line are held.
func (l *Lines) Partial() int { return len(l.held()) }

// CR reports whether the last line that Next returned ended in \r\n.
func (l *Lines) CR() bool { return l.cr }
