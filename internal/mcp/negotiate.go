package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcpdyno/internal/transport"
)

// A Dial opens a new connection to the target, for stdio a new process.
type Dial func(ctx context.Context) (transport.Conn, error)

// probeTime bounds the wait for an answer to the question of a modern client: a
// legacy server may ignore it.
const probeTime = 10 * time.Second

// Negotiate opens a session in the newest revision that the server speaks, or
// in the one that opt pins. A modern server is asked what it is. The question
// may cost a legacy server its life (some exit on a request before initialize),
// so a second connection may be dialled.
func Negotiate(ctx context.Context, dial Dial, opt Options) (*Session, error) {
	pinned := opt.Revision != "" && opt.Revision != Auto
	if pinned {
		return openPinned(ctx, dial, opt)
	}
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	s, err := tryModern(ctx, conn, opt)
	if s != nil || err != nil {
		return s, err
	}
	opt.Revision = LatestLegacy
	s, err = Open(ctx, conn, opt)
	var gone *transport.Error
	if errors.As(err, &gone) && gone.Fault == transport.Broken {
		return openPinned(ctx, dial, opt)
	}
	return s, err
}

func openPinned(ctx context.Context, dial Dial, opt Options) (*Session, error) {
	conn, err := dial(ctx)
	if err != nil {
		return nil, err
	}
	s, err := Open(ctx, conn, opt)
	if err != nil || !s.d.modern {
		return s, err
	}
	if err := s.Discover(ctx); err != nil {
		return nil, fmt.Errorf("asking the server what it is (server/discover): %w", err)
	}
	return s, nil
}

// tryModern returns a session if the server is a modern one, nil if it may be a
// legacy one.
func tryModern(ctx context.Context, conn transport.Conn, opt Options) (*Session, error) {
	ask := opt
	ask.Revision, ask.Timeout = Latest, min(opt.Timeout, probeTime)
	s, err := Open(ctx, conn, ask)
	if err != nil {
		return nil, err
	}
	err = s.Discover(ctx)
	s.opt.Timeout = opt.Timeout
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, unsupported(err)
	case !slices.Contains(s.info.Supported, Latest):
		return nil, nil
	}
	return s, nil
}

// unsupportedVersion is a modern server's refusal of the revision asked for.
const unsupportedVersion = -32022

// unsupported is an error if the server refused our modern revision and names no
// legacy one either.
func unsupported(err error) error {
	var e *RPCError
	if !errors.As(err, &e) || e.Code != unsupportedVersion {
		return nil
	}
	var data struct {
		Supported []string `json:"supported"`
	}
	if json.Unmarshal(e.Data, &data) != nil || len(data.Supported) == 0 {
		return nil
	}
	for _, r := range data.Supported {
		if era, _ := Era(r); era == Legacy {
			return nil
		}
	}
	return fmt.Errorf("the server speaks only %v, which mcpdyno does not", data.Supported)
}
