//go:build !linux

package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"time"
)

// A stream is a byte stream read by a goroutine of its own: the portable form.
// (On Linux the caller reads by itself, which is faster.)
type stream struct {
	w    io.WriteCloser
	got  chan []byte
	rest []byte
	err  error
}

func newPipes(out, in *os.File) (*stream, error) { return start(out, in), nil }

func dialTCP(ctx context.Context, addr netip.AddrPort, wait time.Duration) (*stream, error) {
	d := net.Dialer{Timeout: wait}
	c, err := d.DialContext(ctx, "tcp", addr.String())
	if err != nil {
		return nil, err
	}
	return start(c, c), nil
}

func start(r io.Reader, w io.WriteCloser) *stream {
	s := &stream{w: w, got: make(chan []byte)}
	go s.pump(r)
	return s
}

func (s *stream) pump(r io.Reader) {
	defer close(s.got)
	for {
		p := make([]byte, 64<<10)
		n, err := r.Read(p)
		if n > 0 {
			s.got <- p[:n]
		}
		if err != nil {
			s.err = err
			return
		}
	}
}

// read reads what is there, waiting up to wait for it. It returns 0 and no
// error when nothing came.
func (s *stream) read(p []byte, wait time.Duration, _ bool) (int, error) {
	if len(s.rest) == 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case b, ok := <-s.got:
			if !ok {
				return 0, s.end()
			}
			s.rest = b
		case <-timer.C:
			return 0, nil
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *stream) end() error {
	if errors.Is(s.err, io.EOF) || errors.Is(s.err, os.ErrClosed) {
		return io.EOF
	}
	return s.err
}

func (s *stream) write(p []byte) (int, error) { return s.w.Write(p) }

// blocked has nothing to wait for: write blocks by itself.
func (s *stream) blocked(time.Duration, bool) {}

// park reads like read: there a goroutine waits as well.
func (s *stream) park(p []byte, wait time.Duration) (int, error) { return s.read(p, wait, false) }

func (s *stream) unpark() {}

func (s *stream) share(bool) {}

// close closes a socket; pipes belong to the process they lead to.
func (s *stream) close() {
	if c, ok := s.w.(net.Conn); ok {
		c.Close()
		go func() {
			for range s.got {
			}
		}()
	}
}
