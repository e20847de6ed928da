package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mcpdyno/internal/transport"
	"mcpdyno/internal/wire"
)

// Options say how to open a session.
type Options struct {
	Revision string        // required: a revision, not "auto"
	Client   string        // version of mcpdyno, told to the server
	Timeout  time.Duration // required: of each call, the opening included
	Start    time.Time     // required: zero of all moments
	IDs      *IDs          // required: ids, unique over the whole run
	HTTP     bool          // the connection is over HTTP, where closing it cancels a modern call
}

// IDs hands out request ids. Across all sessions of a run none is used twice, so
// that an answer that reaches the wrong call is seen.
type IDs struct{ last atomic.Int64 }

func (i *IDs) next() int64 { return wire.FirstID + i.last.Add(1) }

// Session is one MCP connection from open to close.
type Session struct {
	conn transport.Conn
	opt  Options
	d    dialect
	id   string // Mcp-Session-Id; "" where the server keeps none
	info Info
}

// Info is what a server says of itself.
type Info struct {
	Era          string
	Revision     string
	Server       string
	Version      string
	Instructions string
	Capabilities json.RawMessage
	Supported    []string // revisions named by a modern server
	Session      bool     // the server gave a session id
	Answers      string   // how the last HTTP answer came: json or sse
}

// Open opens a session on conn. In the modern era nothing is sent.
func Open(ctx context.Context, conn transport.Conn, opt Options) (*Session, error) {
	if _, err := Era(opt.Revision); err != nil {
		return nil, err
	}
	s := &Session{conn: conn, opt: opt, d: dialectOf(opt.Revision)}
	s.info.Era, s.info.Revision = Legacy, opt.Revision
	if s.d.modern {
		s.info.Era = Modern
		conn.SetAnswer(nil) // its server may not ask, and we may not answer
		return s, nil
	}
	conn.SetAnswer(Answer)
	if err := s.initialize(ctx); err != nil {
		return nil, fmt.Errorf("opening a session (initialize): %w", err)
	}
	return s, nil
}

// Info says what the server said of itself so far.
func (s *Session) Info() Info { return s.info }

// Conn is the connection below.
func (s *Session) Conn() transport.Conn { return s.conn }

func (s *Session) client() clientInfo { return clientInfo{"mcpdyno", s.opt.Client} }

func (s *Session) deadline() time.Duration { return s.in(s.opt.Timeout) }

// in is the moment so long from now.
func (s *Session) in(d time.Duration) time.Duration { return time.Since(s.opt.Start) + d }

type serverInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (s *Session) initialize(ctx context.Context) error {
	var result struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      serverInfo      `json:"serverInfo"`
		Instructions    string          `json:"instructions"`
	}
	reply, err := s.ask(ctx, "initialize", map[string]any{
		"protocolVersion": s.d.revision, "capabilities": map[string]any{}, "clientInfo": s.client()}, &result)
	if err != nil {
		return err
	}
	if era, err := Era(result.ProtocolVersion); err != nil || era != Legacy {
		return fmt.Errorf("the server answered with protocol version %q, which this handshake cannot have", result.ProtocolVersion)
	}
	s.d = dialectOf(result.ProtocolVersion)
	s.id = reply.Field("Mcp-Session-Id")
	i := &s.info
	i.Revision, i.Server, i.Version = result.ProtocolVersion, result.ServerInfo.Name, result.ServerInfo.Version
	i.Instructions, i.Capabilities, i.Session = result.Instructions, result.Capabilities, s.id != ""
	return s.tell(ctx, "notifications/initialized", nil, s.opt.Timeout)
}

// Discover asks a modern server what it is.
func (s *Session) Discover(ctx context.Context) error {
	var result struct {
		Supported    []string        `json:"supportedVersions"`
		Capabilities json.RawMessage `json:"capabilities"`
		ServerInfo   serverInfo      `json:"serverInfo"`
		Instructions string          `json:"instructions"`
		Meta         struct {
			ServerInfo serverInfo `json:"io.modelcontextprotocol/serverInfo"`
		} `json:"_meta"`
	}
	if _, err := s.ask(ctx, "server/discover", nil, &result); err != nil {
		return err
	}
	if result.ServerInfo.Name == "" {
		result.ServerInfo = result.Meta.ServerInfo
	}
	s.info.Server, s.info.Version = result.ServerInfo.Name, result.ServerInfo.Version
	s.info.Supported, s.info.Capabilities, s.info.Instructions = result.Supported, result.Capabilities, result.Instructions
	return nil
}

// An RPCError is a JSON-RPC error answer.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (e *RPCError) Error() string {
	return fmt.Sprintf("the server answered error %d: %q", e.Code, e.Message)
}

// ask makes a call whose answer is decoded: for opening and looking, never for
// measuring.
func (s *Session) ask(ctx context.Context, method string, params map[string]any, into any) (*transport.Reply, error) {
	raw, err := s.d.params(params, s.client())
	if err != nil {
		return nil, fmt.Errorf("encoding the params of %s: %w", method, err)
	}
	t, err := wire.NewTemplate(method, raw)
	if err != nil {
		return nil, err
	}
	id := s.opt.IDs.next()
	name, _ := params["name"].(string)
	req := &transport.Request{ID: id, Body: t.Append(nil, id, 0), Header: s.d.header(s.id, method, name), Deadline: s.deadline()}
	reply := new(transport.Reply)
	err = s.conn.RoundTrip(ctx, req, reply)
	defer s.conn.Release(reply)
	if s.info.Answers = "json"; reply.SSE {
		s.info.Answers = "sse"
	}
	if failure := rpcError(reply); failure != nil {
		return reply, failure
	}
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal(reply.Message.Result, into); err != nil {
		return reply, fmt.Errorf("reading the result of %s: %w", method, err)
	}
	return reply, nil
}

// rpcError is the JSON-RPC error in a reply, nil if there is none. One that came
// with an HTTP error status counts as well.
func rpcError(reply *transport.Reply) error {
	if reply.Message.Kind != wire.Error {
		return nil
	}
	e := new(RPCError)
	if err := json.Unmarshal(reply.Message.Error, e); err != nil {
		return fmt.Errorf("the server answered an error that cannot be read: %w", err)
	}
	return e
}

// tell sends a notification, for so long at most.
func (s *Session) tell(ctx context.Context, method string, params map[string]any, within time.Duration) error {
	raw, err := s.d.params(params, s.client())
	if err != nil {
		return fmt.Errorf("encoding the params of %s: %w", method, err)
	}
	body, err := wire.NewNotification(method, raw)
	if err != nil {
		return err
	}
	err = s.conn.Notify(ctx, &transport.Request{Body: body, Header: s.d.header(s.id, method, ""), Deadline: s.in(within)})
	if err != nil {
		return fmt.Errorf("sending %s: %w", method, err)
	}
	return nil
}

// closeTime bounds the farewell to a server that keeps sessions.
const closeTime = 3 * time.Second

// Close ends the session: where the server keeps one it is told (405 is a
// permitted answer), then the connection is closed.
func (s *Session) Close(ctx context.Context) error {
	var err error
	if s.id != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime) // an interrupt is no reason to leave a session behind
		defer cancel()
		err = s.conn.Notify(ctx, &transport.Request{Method: "DELETE", Header: s.d.header(s.id, "", ""), Deadline: s.in(closeTime)})
		var e *transport.Error
		if errors.As(err, &e) && e.Status == 405 {
			err = nil
		}
	}
	if err := s.conn.Close(); err != nil {
		return err
	}
	if err != nil {
		return fmt.Errorf("ending the session: %w", err)
	}
	return nil
}
