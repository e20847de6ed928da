// Sdk-server is the official Go SDK's MCP server, unmodified, with the tools
// echo and payload: the peer that mcpdyno's own protocol code is tested against.
//
// Over stdio it serves both eras at once. Over HTTP the SDK serves sessions
// (2025-11-25 and earlier), or with -stateless also the revision 2026-07-28.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPayload bounds the tool payload, in bytes.
const maxPayload = 256 << 20

func main() {
	stdio := flag.Bool("stdio", false, "serve stdin and stdout")
	addr := flag.String("http", "", "serve http://`ADDR`/mcp; port 0 picks a free one")
	stateless := flag.Bool("stateless", false, "HTTP: no sessions; also serve 2026-07-28")
	json := flag.Bool("json", false, "HTTP: answer in JSON instead of SSE")
	flag.Parse()
	err := errors.New("give either -stdio or -http ADDR")
	switch {
	case *stdio && *addr == "":
		err = newServer().Run(context.Background(), &mcp.StdioTransport{})
	case *addr != "" && !*stdio:
		err = serveHTTP(*addr, &mcp.StreamableHTTPOptions{Stateless: *stateless, JSONResponse: *json})
	}
	if err != nil {
		log.Fatal("sdk-server: ", err)
	}
}

func serveHTTP(addr string, opts *mcp.StreamableHTTPOptions) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	s := newServer()
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, opts))
	log.Printf("listening on http://%s/mcp", l.Addr())
	return (&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}).Serve(l)
}

type echoArgs struct {
	Message string `json:"message" jsonschema:"the text to give back"`
}

type payloadArgs struct {
	Bytes int `json:"bytes" jsonschema:"the size of the answer's text in bytes"`
}

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk-server", Version: "1"}, nil)
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "Gives the message back.", Annotations: readOnly}, echo)
	mcp.AddTool(s, &mcp.Tool{Name: "payload", Description: "Gives a text of the size asked for.", Annotations: readOnly}, payload)
	return s
}

func echo(_ context.Context, _ *mcp.CallToolRequest, args echoArgs) (*mcp.CallToolResult, any, error) {
	return text(args.Message), nil, nil
}

func payload(_ context.Context, _ *mcp.CallToolRequest, args payloadArgs) (*mcp.CallToolResult, any, error) {
	if args.Bytes < 0 || args.Bytes > maxPayload {
		return nil, nil, fmt.Errorf("bytes must be between 0 and %d", maxPayload)
	}
	return text(strings.Repeat("x", args.Bytes)), nil, nil
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
