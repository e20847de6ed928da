package mcp

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"mcpdyno/internal/transport"
)

// stdioServer is the server of a transcript as a process: two pipes.
type stdioServer struct {
	s     *script
	start time.Time
	dials chan pipes
	ends  []*os.File // of the client
	done  chan struct{}
}

// pipes are the server's ends of a connection.
type pipes struct {
	in  *bufio.Reader
	inF *os.File
	out *os.File
}

func (p pipes) close() { p.inF.Close(); p.out.Close() }

func newStdioServer(s *script, start time.Time) *stdioServer {
	srv := &stdioServer{s: s, start: start, dials: make(chan pipes, 4), done: make(chan struct{})}
	go srv.run()
	return srv
}

func (srv *stdioServer) dial(ctx context.Context) (transport.Conn, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	srv.ends = append(srv.ends, in, out)
	srv.dials <- pipes{bufio.NewReader(theirIn), theirIn, theirOut}
	return transport.Stdio{In: in, Out: out, Start: srv.start, Answer: Answer}.Dial(ctx)
}

// end closes the client's ends and waits until the server has seen it.
func (srv *stdioServer) end() {
	close(srv.dials)
	for _, f := range srv.ends {
		f.Close()
	}
	<-srv.done
}

// run plays the steps, each connection up to its exit.
func (srv *stdioServer) run() {
	defer close(srv.done)
	for p := range srv.dials {
		more := srv.serve(p)
		p.close()
		if !more {
			break
		}
	}
	for p := range srv.dials {
		srv.s.t.Error("one connection too many")
		p.close()
	}
}

// serve plays the steps up to an exit or the end; more says whether it was an
// exit.
func (srv *stdioServer) serve(p pipes) (more bool) {
	for {
		switch srv.s.peek() {
		case "client":
			if !srv.expect(p.in) {
				return false
			}
		case "server":
			io.WriteString(p.out, literal(srv.s.next().Data))
		case "exit":
			srv.s.next()
			return true
		default:
			rest, _ := io.ReadAll(p.in)
			if len(rest) > 0 {
				srv.s.t.Errorf("the client sent at the end:\n%s", symbolic(string(rest)))
			}
			return false
		}
	}
}

// expect reads as many lines as the next step has.
func (srv *stdioServer) expect(in *bufio.Reader) bool {
	srv.s.mu.Lock()
	lines := bytes.Count(srv.s.steps[0].Data, []byte("\n"))
	srv.s.mu.Unlock()
	var sent strings.Builder
	for range lines {
		line, err := in.ReadString('\n')
		if err != nil {
			return false // the step stays, and is missed at the end
		}
		sent.WriteString(line)
	}
	return srv.s.expect(sent.String())
}

// httpServer is the server of a transcript as an endpoint.
type httpServer struct {
	s     *script
	start time.Time
	http  *httptest.Server
	more  chan string // the rest of the open response
}

func newHTTPServer(s *script, start time.Time) *httpServer {
	srv := &httpServer{s: s, start: start, more: make(chan string, 1)}
	srv.http = httptest.NewServer(http.HandlerFunc(srv.serve))
	return srv
}

func (srv *httpServer) dial(ctx context.Context) (transport.Conn, error) {
	u, err := url.Parse(srv.http.URL + "/mcp")
	if err != nil {
		return nil, err
	}
	return transport.HTTP{URL: u, Start: srv.start, Answer: Answer}.Dial(ctx)
}

func (srv *httpServer) end() { srv.http.CloseClientConnections(); srv.http.Close() }

func (srv *httpServer) serve(w http.ResponseWriter, r *http.Request) {
	if !srv.s.expect(requestText(r)) {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	kind := srv.s.peek()
	if kind != "server" && kind != "open" {
		<-r.Context().Done() // the server says nothing
		return
	}
	respond(w, literal(srv.s.next().Data))
	if kind == "open" {
		io.WriteString(w, <-srv.more)
	} else if srv.s.peek() == "more" {
		srv.more <- literal(srv.s.next().Data)
	}
}

// requestText is what a transcript shows of a request.
func requestText(r *http.Request) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.Method)
	for _, key := range slices.Sorted(maps.Keys(r.Header)) {
		if strings.HasPrefix(key, "Mcp-") {
			fmt.Fprintf(&b, "%s: %s\n", key, r.Header.Get(key))
		}
	}
	body, _ := io.ReadAll(r.Body)
	fmt.Fprintf(&b, "\n%s\n", body)
	return b.String()
}

// respond sends a response as a transcript shows it: the status and the media
// type, header fields, a blank line and the body.
func respond(w http.ResponseWriter, text string) {
	in := bufio.NewReader(strings.NewReader(text))
	var status int
	var media string
	line, _ := in.ReadString('\n')
	fmt.Sscan(line, &status, &media)
	fields, _ := textproto.NewReader(in).ReadMIMEHeader()
	for key := range fields {
		w.Header().Set(key, fields.Get(key))
	}
	if media != "" {
		w.Header().Set("Content-Type", media)
	}
	body, _ := io.ReadAll(in)
	if media != "text/event-stream" {
		body = bytes.TrimSuffix(body, []byte("\n")) // the section's end
	}
	w.WriteHeader(status)
	w.Write(body)
	w.(http.Flusher).Flush()
}
