package null

import (
	"bytes"
	"context"
	"math/bits"
	"strconv"
	"time"

	"mcpdyno/internal/wire"
)

// maxPayload is the largest text that the payload tool makes, in bytes.
const maxPayload = 16 << 20

// tools is the answer to tools/list.
const tools = `[` +
	`{"name":"echo","description":"Returns the message, unchanged.",` +
	`"inputSchema":{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]},` +
	`"annotations":{"readOnlyHint":true}},` +
	`{"name":"payload","description":"Returns an ASCII text of exactly so many bytes.",` +
	`"inputSchema":{"type":"object","properties":{"bytes":{"type":"integer","minimum":0,"maximum":16777216}},"required":["bytes"]},` +
	`"annotations":{"readOnlyHint":true}}]`

// call appends the answer to a tools/call after the time that calls are to
// take. Its text goes from the request, or from the filler, straight into dst.
func (s *Server) call(ctx context.Context, dst []byte, r *request) ([]byte, error) {
	text, err := s.toolText(r)
	if err != nil {
		return nil, err
	}
	if err := s.work(ctx); err != nil {
		return nil, err
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, r.RawID...)
	dst = append(dst, `,"result":{`...)
	if r.modern {
		dst = append(dst, modernHead...)
	}
	dst = append(dst, `"content":[{"type":"text","text":"`...)
	dst = append(dst, text...)
	dst = append(dst, `"}]`...)
	if r.modern {
		dst = append(dst, s.modernTail...)
	}
	return append(dst, `}}`...), nil
}

// toolText returns the text of the answer as it stands between the quotes. The
// echoed message is never decoded: what was valid JSON stays so.
func (s *Server) toolText(r *request) ([]byte, error) {
	switch string(r.tool) {
	case "echo":
		message := argument(r.arguments, "message")
		if message == nil || message[0] != '"' {
			return nil, &fault{code: codeInvalidParams, message: "echo needs a string argument, message"}
		}
		return message[1 : len(message)-1], nil
	case "payload":
		n, err := strconv.Atoi(string(argument(r.arguments, "bytes")))
		if err != nil || n < 0 || n > maxPayload {
			return nil, &fault{code: codeInvalidParams, message: "payload needs an integer argument, bytes, from 0 to 16777216"}
		}
		return s.fill(n), nil
	}
	return nil, &fault{code: codeInvalidParams, message: "unknown tool, choose echo or payload"}
}

// argument returns the raw value of one argument, nil if it is not there.
func argument(arguments []byte, name string) (value []byte) {
	err := wire.Members(arguments, func(n, v []byte) {
		if string(n) == name {
			value = v
		}
	})
	if err != nil {
		return nil
	}
	return value
}

// fill returns n bytes of ASCII that needs no escapes in JSON. All sizes are
// cut from one text, made when it is first needed.
func (s *Server) fill(n int) []byte {
	if filler := s.filler.Load(); filler != nil && len(*filler) >= n {
		return (*filler)[:n]
	}
	const pattern = "0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz"
	filler := bytes.Repeat([]byte(pattern), 1<<bits.Len(uint(n/len(pattern))))
	s.filler.Store(&filler) // a concurrent one may be shorter: then it is made again
	return filler[:n]
}

// work spends the time that a call is to take.
func (s *Server) work(ctx context.Context) error {
	if err := wait(ctx, s.o.Delay); err != nil {
		return err
	}
	if s.o.Serial > 0 {
		if err := hold(ctx, s.turn, func() error { return wait(ctx, s.o.Serial) }); err != nil {
			return err
		}
	}
	if s.o.CPU > 0 {
		return hold(ctx, s.cores, func() error { return spin(s.o.CPU) })
	}
	return nil
}

// hold does something while it holds one of the places of a semaphore.
func hold(ctx context.Context, places chan struct{}, do func() error) error {
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// spin keeps a core busy. It measures wall time, so it is CPU time only as long
// as no more calls spin than there are cores.
func spin(d time.Duration) error {
	for start := time.Now(); time.Since(start) < d; {
	}
	return nil
}
