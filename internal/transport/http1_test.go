package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"
)

// nobody takes what it is told.
func nobody(t testing.TB) *os.File {
	t.Helper()
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// pieced returns an endpoint with one connection, on which out is what the
// server says, and a reply that keeps the connection.
func pieced(t testing.TB, out, in *os.File) (*httpConn, *Reply) {
	t.Helper()
	s, err := newPipes(out, in)
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/mcp"}
	c := &httpConn{start: time.Now(), head: requestHead(HTTP{URL: u})}
	h := &http1{s: s, start: c.start, shared: &c.shared}
	c.inUse = map[*http1]bool{h: true}
	return c, &Reply{conn: h}
}

// said is an output that holds text and then ends.
func said(t testing.TB, text []byte) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	w.Close()
	return r
}

// maxFuzz is what a pipe holds on every system.
const maxFuzz = 16 << 10

// FuzzResponse feeds arbitrary bytes as a response. A call on them ends when
// they end, and where net/http reads a body as well, it is the same one.
func FuzzResponse(f *testing.F) {
	for _, s := range append(answers(), failures()...) {
		f.Add([]byte(s.raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > maxFuzz {
			return
		}
		c, reply := pieced(t, said(t, raw), nobody(t))
		var fault *Error
		if err := post(c, time.Minute, reply); err != nil && (!errors.As(err, &fault) || fault.Fault == Timeout) {
			t.Fatalf("the call did not end with its bytes: %v", err)
		}
		ours, err := bodyByUs(t, raw)
		theirs, theirErr := bodyByNetHTTP(raw)
		if err == nil && theirErr == nil && !bytes.Equal(ours, theirs) {
			t.Fatalf("body %q, by net/http %q", ours, theirs)
		}
	})
}

func bodyByUs(t *testing.T, raw []byte) ([]byte, error) {
	c, reply := pieced(t, said(t, raw), nobody(t))
	h := reply.conn
	x := exchange{conn: c, ctx: context.Background(), reply: reply, h: h, limit: time.Minute}
	if _, err := h.readHead(x.ctx, x.limit); err != nil {
		return nil, err
	}
	if oddHead(h.head.raw) {
		return nil, errors.New("a head that net/http reads in another way")
	}
	return collect(x.ctx, &x, h.head, nil)
}

// oddHead says whether a head has what only net/http knows: lines that end in
// LF alone, fields that go on in the next line, HTTP/1.0 without chunks.
func oddHead(raw []byte) bool {
	return bytes.Count(raw, []byte("\n")) != bytes.Count(raw, []byte("\r\n")) ||
		bytes.Contains(raw, []byte("\n ")) || bytes.Contains(raw, []byte("\n\t")) ||
		bytes.HasPrefix(raw, []byte("HTTP/1.0")) && bytes.Contains(raw, []byte("ransfer"))
}

func bodyByNetHTTP(raw []byte) ([]byte, error) {
	in := bufio.NewReader(bytes.NewReader(raw))
	for {
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			return nil, err
		}
		if r.StatusCode >= 200 {
			return io.ReadAll(r.Body)
		}
	}
}
