package null

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"mcpdyno/internal/wire"
)

const (
	// maxRequest is the longest request in bytes, as in the official SDKs.
	maxRequest = 4 << 20
	// maxRead is how much one read takes at least room for: a pipe's buffer.
	maxRead = 64 << 10
	// maxAnswers is when answers are written although more requests are at
	// hand, in bytes.
	maxAnswers = 1 << 20
)

// ServeStdio answers the requests on in, one a line, until its end, and returns
// when the calls in flight then have been answered. Requests that came with one
// read are answered with one write; calls that take time of their own overlap
// and are answered as they finish.
//
// When ctx ends, such calls go without an answer; a read that waits ends only
// with in. The error is that of reading or of the first write that failed.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	p := &pipe{s: s, out: out}
	lines := wire.Lines{Limit: maxRequest}
	for {
		n, err := in.Read(lines.Space(maxRead))
		lines.Fed(n)
		p.serveLines(ctx, &lines)
		if err == nil && ctx.Err() == nil {
			continue
		}
		p.calls.Wait()
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("reading requests: %w", err)
		}
		return p.err
	}
}

// pipe is one stdio connection.
type pipe struct {
	s       *Server
	answers []byte         // not yet written; used by the reading loop only
	calls   sync.WaitGroup // that take time of their own

	mu  sync.Mutex // guards what follows
	out io.Writer
	err error // of the first write that failed; then no more is written
}

// serveLines answers all complete lines.
func (p *pipe) serveLines(ctx context.Context, lines *wire.Lines) {
	for {
		line, ok, err := lines.Next()
		switch {
		case err != nil:
			p.answers = tooLarge(p.answers, err)
		case !ok:
			p.flush()
			return
		default:
			p.serveLine(ctx, line)
		}
		if len(p.answers) > maxAnswers {
			p.flush()
		}
	}
}

// tooLarge appends the refusal of a line over the limit, with its id if that
// stood near the beginning.
func tooLarge(dst []byte, err error) []byte {
	var id []byte
	if large, ok := errors.AsType[*wire.TooLarge](err); ok {
		message, _ := wire.Scan(large.Head) // cut short by nature
		id = message.RawID
	}
	f := fault{code: codeInvalidRequest, message: err.Error()}
	return append(f.append(dst, id), '\n')
}

// serveLine answers one message, here or in a goroutine of its own.
func (p *pipe) serveLine(ctx context.Context, line []byte) {
	if !p.s.instant() {
		line = bytes.Clone(line) // it outlives the next read
	}
	r, err := parse(line)
	switch {
	case err != nil:
		p.answers = append(unreadable(p.answers, err), '\n')
	case r.Kind != wire.Request: // a notification, or an answer to nothing
	case p.s.instant() || string(r.Method) != "tools/call":
		p.answers, _ = p.s.answerLine(ctx, p.answers, &r) // cannot wait, so cannot fail
	default:
		p.calls.Go(func() {
			if answer, err := p.s.answerLine(ctx, nil, &r); err == nil {
				p.write(answer)
			}
		})
	}
}

// unreadable appends the error answer to what could not be parsed.
func unreadable(dst []byte, err error) []byte {
	f := fault{code: codeParse, message: err.Error()}
	if errors.Is(err, errBatch) {
		f.code = codeInvalidRequest
	}
	return f.append(dst, nil)
}

// answerLine appends the answer to r and its newline. A request with modern
// _meta is of the modern era, if the server speaks that.
func (s *Server) answerLine(ctx context.Context, dst []byte, r *request) ([]byte, error) {
	r.modern = s.o.Era == "modern" || s.o.Era != "legacy" && r.version != nil
	out, _, err := s.answer(ctx, dst, r)
	if err != nil {
		return dst, err
	}
	return append(out, '\n'), nil
}

// flush writes the answers of the reading loop.
func (p *pipe) flush() {
	if len(p.answers) > 0 {
		p.write(p.answers)
		p.answers = p.answers[:0]
	}
}

func (p *pipe) write(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return
	}
	if _, err := p.out.Write(b); err != nil {
		p.err = fmt.Errorf("writing answers: %w", err)
	}
}
