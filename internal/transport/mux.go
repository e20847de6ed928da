package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mcpdyno/internal/wire"
)

// A mux carries concurrent calls over one stream of lines and gives each answer
// to the call with its id.
//
// There is no reader goroutine. Of the callers in flight one leads: it reads,
// settles whatever answers come, and when its own is among them hands the lead
// to another that is still waiting. A single caller is thus always the leader
// and is never woken by anybody.
type mux struct {
	s       *stream
	start   time.Time
	answer  Answer
	shared  atomic.Bool
	replies atomic.Int32 // answers to the server's own requests on their way
	notes   notes

	wmu sync.Mutex // held while a message is written: messages never mix
	out []byte     // the message being written

	mu      sync.Mutex // guards all below, and the call in every waiting Reply
	waiting map[int64]*Reply
	leading bool          // somebody reads
	sweep   time.Duration // when deadlines are looked at next
	err     error         // why the stream ended

	// Only the leader touches these.
	lines wire.Lines
	began time.Duration // when the first byte of the unfinished line was read
	heard bool          // anything was ever read
}

func newMux(s *stream, start time.Time, answer Answer) *mux {
	m := &mux{s: s, start: start, answer: answer, waiting: map[int64]*Reply{}}
	m.notes.connections.Store(1)
	return m
}

// Share sets the state of the connection.
func (m *mux) Share(callers int) {
	m.shared.Store(callers > 1)
	m.s.share(callers > 1)
}

// SetAnswer replaces the dialer's Answer.
func (m *mux) SetAnswer(answer Answer) {
	m.mu.Lock()
	m.answer = answer
	m.mu.Unlock()
}

// Stats says what was counted so far.
func (m *mux) Stats() Stats { return m.notes.stats() }

func (m *mux) now() time.Duration { return time.Since(m.start) }

// RoundTrip sends a request and waits for the answer with its id.
func (m *mux) RoundTrip(ctx context.Context, req *Request, reply *Reply) error {
	if err := m.enter(ctx, req, reply); err != nil {
		return err
	}
	if err := m.send(ctx, req); err != nil {
		m.leave(req.ID)
		return err
	}
	reply.Out = len(req.Body) + 1
	return m.await(reply)
}

// Notify sends a message that has no answer.
func (m *mux) Notify(ctx context.Context, req *Request) error {
	if err := m.send(ctx, req); err != nil {
		return err
	}
	return nil
}

func (m *mux) enter(ctx context.Context, req *Request, reply *Reply) error {
	if reply.wake == nil {
		reply.wake = make(chan struct{}, 1)
	}
	reply.clear()
	reply.call = call{id: req.ID, deadline: req.Deadline, ctx: ctx}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.broken()
	}
	m.waiting[req.ID] = reply
	return nil
}

func (m *mux) leave(id int64) {
	m.mu.Lock()
	delete(m.waiting, id)
	m.mu.Unlock()
}

// send writes one message in one write where it fits. A message once begun is
// finished, or the stream is given up: half a message would spoil all later
// ones.
func (m *mux) send(ctx context.Context, req *Request) *Error {
	m.wmu.Lock()
	defer m.wmu.Unlock()
	m.out = append(append(m.out[:0], req.Body...), '\n')
	for rest := m.out; ; {
		if m.ended() { // the descriptor may be another's by now
			return m.fail(nil)
		}
		n, err := m.s.write(rest)
		if err != nil {
			m.hearOut()
			return m.fail(err)
		}
		if rest = rest[n:]; len(rest) == 0 {
			return nil
		}
		if err := m.stuck(ctx, len(m.out), len(rest), req.Deadline); err != nil {
			return err
		}
		if n == 0 {
			m.unblock()
		}
	}
}

// stuck says whether a write that makes no way is to be given up.
func (m *mux) stuck(ctx context.Context, size, rest int, deadline time.Duration) *Error {
	late := m.now() >= deadline
	if !late && ctx.Err() == nil {
		return nil
	}
	fault, why := Canceled, "canceled"
	if late {
		fault, why = Timeout, "the deadline passed"
	}
	if rest < size {
		m.fail(errors.New("a message could not be written to its end"))
	}
	return faultf(fault, "%s while the server read none of the last %d of %d bytes of a request", why, rest, size)
}

// unblock waits until the server reads or, if nobody else does, reads what it
// wants to say: it may not read before it has been heard.
func (m *mux) unblock() {
	const pause = 5 * time.Millisecond
	m.mu.Lock()
	lead := !m.leading && m.err == nil
	m.leading = m.leading || lead
	m.mu.Unlock()
	m.s.blocked(pause, lead)
	if lead {
		m.read(0, false)
		m.mu.Lock()
		m.resign()
		m.mu.Unlock()
	}
}

// hearOut reads, for a moment, what a server still says that reads no more: it
// is likely to be the reason.
func (m *mux) hearOut() {
	const patience = 200 * time.Millisecond
	m.mu.Lock()
	lead := !m.leading
	m.leading = true
	m.mu.Unlock()
	for end := m.now() + patience; lead && m.now() < end && !m.ended(); {
		m.read(patience/10, false)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if lead {
		m.resign()
	}
}

func (m *mux) ended() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err != nil
}

// await leads, or follows, until the reply is settled.
func (m *mux) await(reply *Reply) error {
	m.mu.Lock()
	for !reply.settled {
		if !m.leading {
			m.leading = true
			m.mu.Unlock()
			m.lead(reply)
			m.mu.Lock()
			continue
		}
		reply.parked = true
		m.mu.Unlock()
		<-reply.wake
		m.mu.Lock()
	}
	err := reply.err
	m.mu.Unlock()
	return err
}

// lead reads until the leader's own reply is settled, then resigns.
func (m *mux) lead(own *Reply) {
	alone := !m.shared.Load()
	if !alone {
		runtime.Gosched() // let the others write first: fewer, fuller reads
	}
	for wait := own.deadline - m.now(); ; wait = own.deadline - m.now() {
		at := m.read(min(wait, slice), alone)
		alone = false
		m.mu.Lock()
		if at >= min(m.sweep, own.deadline) {
			m.expire(at)
		}
		if own.settled {
			m.resign()
			m.mu.Unlock()
			return
		}
		m.mu.Unlock()
	}
}

// resign ends a leadership and calls a parked caller to lead. The lock is held.
func (m *mux) resign() {
	m.leading = false
	for _, r := range m.waiting {
		if r.parked {
			r.signal()
			return
		}
	}
}

// signal gives the reply's owner something to look at.
func (r *Reply) signal() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// read takes in what comes within wait, settles what it answers, and says when
// that was.
func (m *mux) read(wait time.Duration, alone bool) time.Duration {
	fresh := m.lines.Partial() == 0
	n, err := m.s.read(m.lines.Space(4<<10), wait, alone)
	at := m.now()
	if err != nil {
		m.fail(m.ending(err))
		return at
	}
	if n == 0 {
		return at
	}
	if fresh {
		m.began = at
	}
	m.heard = true
	m.lines.Fed(n)
	m.mu.Lock()
	m.takeLines(at)
	m.mu.Unlock()
	return at
}

// takeLines takes every complete line that was read by at.
func (m *mux) takeLines(at time.Duration) {
	for {
		line, ok, err := m.lines.Next()
		var big *wire.TooLarge
		switch {
		case errors.As(err, &big):
			m.tooLarge(big)
		case !ok:
			return
		default:
			m.take(line, m.began, at)
		}
		m.began = at
	}
}

func (m *mux) take(line []byte, first, done time.Duration) {
	if m.lines.CR() {
		m.notes.count(WarnCRLF, line)
	}
	if wire.IsBatch(line) {
		m.takeBatch(line, first, done)
		return
	}
	m.takeMessage(line, first, done)
}

func (m *mux) takeMessage(line []byte, first, done time.Duration) {
	msg, err := wire.Scan(line)
	if err != nil {
		if len(line) > 0 {
			m.notes.count(WarnNoise, line)
		}
		return
	}
	switch msg.Kind {
	case wire.Result, wire.Error:
		m.settle(msg, line, first, done)
	default:
		m.asked(msg)
	}
}

func (m *mux) takeBatch(line []byte, first, done time.Duration) {
	m.notes.count(WarnBatch, line)
	all, err := wire.Elements(line)
	if err != nil {
		m.notes.count(WarnNoise, line)
	}
	for _, one := range all { // an array in an array is no message
		m.takeMessage(one, first, done)
	}
}

// settle gives an answer to the call with its id.
func (m *mux) settle(msg wire.Message, line []byte, first, done time.Duration) {
	r := m.waiting[msg.ID]
	if r == nil || msg.IDKind == wire.NoID || msg.IDKind == wire.NullID {
		m.notes.count(WarnUnmatched, line)
		return
	}
	if msg.IDKind != wire.IntID {
		m.notes.count(WarnIDType, line)
	}
	r.First, r.Done, r.In = first, done, len(line)+1
	r.Message = msg
	if r.parked || m.shared.Load() {
		r.keep(line)
	}
	m.finish(r, nil)
}

// keep copies a message out of the shared buffer.
func (r *Reply) keep(line []byte) {
	r.buf = append(r.buf[:0], line...)
	r.Message, _ = wire.Scan(r.buf)
}

func (m *mux) finish(r *Reply, err error) {
	delete(m.waiting, r.id)
	r.settled, r.err = true, err
	if r.parked {
		r.signal()
	}
}

// asked answers a request of the server and counts its notifications.
func (m *mux) asked(msg wire.Message) {
	code := WarnNotified
	if msg.Kind == wire.Request {
		code = WarnAsked
	}
	m.notes.count(code, msg.Method)
	if m.answer == nil {
		return
	}
	if body := m.answer(msg); body != nil {
		m.respond(body)
	}
}

// What answers to the server's own requests may take: time to be written, and
// how many may wait for that. A server that asks on and reads none gets no more.
const (
	replyTime  = 10 * time.Second
	maxReplies = 100
)

// respond sends an answer to a request of the server, by a goroutine of its own:
// the leader must not wait for room to write.
func (m *mux) respond(body []byte) {
	if m.replies.Add(1) > maxReplies {
		m.replies.Add(-1)
		m.notes.count(WarnUnheard, body)
		return
	}
	go func() {
		defer m.replies.Add(-1)
		m.send(context.Background(), &Request{Body: body, Deadline: m.now() + replyTime})
	}()
}

// tooLarge fails the call whose answer is over the limit: the one named at the
// head of it, or the only one there is.
func (m *mux) tooLarge(big *wire.TooLarge) {
	r := m.waiting[headID(big.Head)]
	for _, only := range m.waiting {
		if r == nil && len(m.waiting) == 1 {
			r = only
		}
	}
	if r != nil {
		r.First, r.Done, r.In = m.began, m.now(), int(big.Size)
		m.finish(r, faultf(Illegal, "message too large: over %d bytes in one line", big.Size))
	}
}

// headID finds the id of a message of which only the beginning is known.
func headID(head []byte) int64 {
	_, rest, _ := bytes.Cut(head[:min(len(head), 256)], []byte(`"id":`))
	rest = bytes.TrimLeft(rest, ` "`)
	end := bytes.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return 0
	}
	id, _ := strconv.ParseInt(string(rest[:end]), 10, 64)
	return id
}

// expire settles the calls that have waited long enough. The lock is held.
func (m *mux) expire(now time.Duration) {
	m.sweep = now + sweepEvery
	for _, r := range m.waiting {
		switch {
		case now >= r.deadline:
			m.giveUp(r, faultf(Timeout, "no answer in time%s%s%s", m.silence(), m.half(), m.notes.hint()))
		case r.ctx.Err() != nil:
			m.giveUp(r, faultf(Canceled, "canceled while waiting for an answer"))
		}
	}
}

func (m *mux) giveUp(r *Reply, err error) {
	r.Done = m.now()
	m.finish(r, err)
}

// sweepEvery is how often the deadlines of all callers are looked at.
const sweepEvery = 5 * time.Millisecond

// silence says that nothing has ever come.
func (m *mux) silence() string {
	if m.heard {
		return ""
	}
	return ": not a byte came on its stdout; if it buffers its output, turn that off (Python: PYTHONUNBUFFERED=1)"
}

// half says that the beginning of a message has come and not its end.
func (m *mux) half() string {
	if n := m.lines.Partial(); n > 0 {
		return "; " + strconv.Itoa(n) + " bytes of a line have come, and no line end"
	}
	return ""
}

// fail ends the stream, unless it has ended: every call in flight, and every
// later one, is broken.
func (m *mux) fail(err error) *Error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.err = err
	}
	fault := m.broken()
	for _, r := range m.waiting {
		m.giveUp(r, fault)
	}
	return fault
}

func (m *mux) broken() *Error { return &Error{Fault: Broken, Err: m.err} }

// ending puts the end of the stream in words. Only the leader calls it.
func (m *mux) ending(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the server closed its output%s%s", m.half(), m.notes.hint())
	}
	return err
}

// Close gives the stream up. After it nobody writes any more: the descriptors
// can be closed, and their numbers used again. No call is in flight.
func (m *mux) Close() error {
	m.fail(errors.New("the connection was closed"))
	m.wmu.Lock() // until a writer that waits for room has seen it
	defer m.wmu.Unlock()
	m.s.close()
	return nil
}

// Release has nothing to give back: all callers share the stream.
func (m *mux) Release(*Reply) {}
