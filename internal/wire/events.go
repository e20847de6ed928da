package wire

import (
	"bytes"
	"strconv"
)

// An Event is one server-sent event.
type Event struct {
	Name  []byte // "message" if the server gave none
	ID    []byte // the last id that the stream has set, in this event or before
	Data  []byte // its data lines, joined with \n; empty in a priming event
	Retry int    // reconnection time in milliseconds, -1 if the event has none
}

// Events is the framing of server-sent events (HTML standard, section 9.2.6):
// bytes are fed, events come out. Lines end in LF, CRLF or CR, also mixed. The
// zero value is ready; it is not for concurrent use.
//
// It differs from the standard in one point: an event without data is returned
// as well, for its id or retry. An event that the end of the stream cuts off
// never comes out, as the standard demands.
type Events struct {
	Limit int // bytes of the longest event as sent; 0 means [DefaultLimit]

	buffer
	pos      int  // held bytes before the line being searched
	seen     int  // held bytes known not to end that line
	afterCR  bool // the last line ended in \r, so a \n now belongs to it
	begun    bool // the stream's first line has been read
	skipping bool // inside an event over the limit
	dirty    bool // while skipping: the line being searched is not blank
	comments int
	id       []byte
	pending
}

// pending is what is known of an event whose blank line has not come.
type pending struct {
	fields   bool // it has a field, so a blank line ends it
	hasData  bool
	from, to int // where its data is among the held bytes
	name     []byte
	retry    int // milliseconds plus one, 0 for none
}

// Next returns the next complete event, and whether there was one. The event is
// valid until the next Next or Space. An event over the limit gives a
// [TooLarge] error once, as soon as that is known.
func (e *Events) Next() (Event, bool, error) {
	for {
		line, ok := e.line()
		switch {
		case !ok:
			return Event{}, false, e.unfinished()
		case e.skipping:
			e.skipping = len(line) > 0 || e.dirty
			e.dirty = false
			e.drop()
		case len(line) == 0 && e.fields:
			return e.event(), true, nil
		case len(line) == 0:
			e.drop()
		case e.pos-1 > limit(e.Limit):
			err := e.tooLarge(line, e.pos-1)
			e.skipping = true
			e.drop()
			return Event{}, false, err
		default:
			e.field(line)
		}
	}
}

// Reset makes e ready for another stream. It keeps the limit and the buffers;
// what Next returned is no longer valid.
func (e *Events) Reset() {
	e.take(len(e.held()))
	*e = Events{Limit: e.Limit, buffer: e.buffer, id: e.id[:0], pending: pending{name: e.name[:0]}}
}

// Comments returns how many comment lines there have been: keep-alives, mostly.
func (e *Events) Comments() int { return e.comments }

// Partial returns how many bytes of an unfinished event are held.
func (e *Events) Partial() int { return len(e.held()) }

// line steps over the next complete line and returns it without its end.
func (e *Events) line() ([]byte, bool) {
	e.finishCRLF()
	held := e.held()
	end := lineEnd(held, e.seen)
	if end < 0 {
		e.seen = len(held)
		return nil, false
	}
	line := held[e.pos:end]
	e.afterCR = held[end] == '\r'
	e.pos, e.seen = end+1, end+1
	if !e.begun {
		e.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, true
}

// finishCRLF steps over a \n whose \r has ended a line already, perhaps at the
// end of an earlier read.
func (e *Events) finishCRLF() {
	held := e.held()
	if !e.afterCR || e.pos >= len(held) {
		return
	}
	e.afterCR = false
	if held[e.pos] == '\n' {
		e.pos, e.seen = e.pos+1, e.pos+1
		if !e.fields {
			e.drop()
		}
	}
}

// searchWindow bounds how many bytes one search looks at: enough to be fast on
// long lines, few enough not to be read again for each of many short ones.
const searchWindow = 1 << 10

// lineEnd returns the index of the first \n or \r in b at or after from, or -1.
func lineEnd(b []byte, from int) int {
	for from < len(b) {
		window := b[from:min(from+searchWindow, len(b))]
		lf := bytes.IndexByte(window, '\n')
		if lf >= 0 {
			window = window[:lf]
		}
		if cr := bytes.IndexByte(window, '\r'); cr >= 0 {
			return from + cr
		}
		if lf >= 0 {
			return from + lf
		}
		from += len(window)
	}
	return -1
}

// unfinished notes that no line end is held, and drops what is over the limit.
func (e *Events) unfinished() error {
	held := e.held()
	if len(held) == e.pos { // no byte of the next line has come
		return nil
	}
	over := len(held) > limit(e.Limit)
	if !e.skipping && !over {
		return nil
	}
	var err error
	if !e.skipping {
		err = e.tooLarge(held[e.pos:], len(held))
	}
	e.skipping, e.dirty = true, true
	e.pos = len(held)
	e.drop()
	return err
}

// tooLarge describes an event that passed the limit in line, after size bytes.
func (e *Events) tooLarge(line []byte, size int) error {
	if e.hasData {
		return tooLarge(size, e.held()[e.from:e.to])
	}
	data, _ := bytes.CutPrefix(line, []byte("data:"))
	return tooLarge(size, bytes.TrimPrefix(data, []byte(" ")))
}

// event returns the pending event and begins the next one.
func (e *Events) event() Event {
	if len(e.name) == 0 {
		e.name = append(e.name, "message"...)
	}
	ev := Event{Name: e.name, ID: e.id, Data: e.held()[e.from:e.to], Retry: e.retry - 1}
	e.drop()
	return ev
}

// drop forgets the pending event and the bytes of its lines.
func (e *Events) drop() {
	e.take(e.pos)
	e.pos, e.seen = 0, 0
	e.pending = pending{name: e.name[:0]}
}

// field reads one line into the pending event. Lines before its first field
// (comments, unknown fields) are dropped at once.
func (e *Events) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "":
		e.comments++
	case "data":
		e.data(len(value))
	case "event":
		e.name, e.fields = append(e.name[:0], value...), true
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			e.id, e.fields = append(e.id[:0], value...), true
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.retry, e.fields = int(ms)+1, true
		}
	}
	if !e.fields {
		e.drop()
	}
}

// data adds a data line, the last n bytes of the line just read. The data of
// several lines is moved together in place: what lies between two of them, at
// least a line end and a name, has been read.
func (e *Events) data(n int) {
	held, end := e.held(), e.pos-1
	if !e.hasData {
		e.from, e.to = end-n, end
		e.hasData, e.fields = true, true
		return
	}
	held[e.to] = '\n'
	e.to += 1 + copy(held[e.to+1:], held[end-n:end])
}
