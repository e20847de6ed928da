package transport

import (
	"fmt"
	"strings"
)

// ours is the id of the call that every scripted response is for.
const (
	ours    = 100_000_000_007
	oursRaw = "100000000007"
	another = "100000000008"
)

// A scripted response, byte for byte, and what a caller is to make of it.
type scripted struct {
	name   string
	raw    string
	warn   string // the one liberty that is counted; "" for none
	events bool   // the answer came as an event
	closes bool   // the connection cannot be used again

	failed bool // there is no answer, but:
	fault  Fault
	words  string
}

const (
	result = `{"jsonrpc":"2.0","id":` + oursRaw + `,"result":{"n":1}}`
	notice = `{"jsonrpc":"2.0","method":"notifications/message"}`
	asJSON = "Content-Type: application/json\r\n"
	asSSE  = "Content-Type: text/event-stream\r\n"
)

func sized(status, fields, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s", status, fields, len(body), body)
}

func chunked(fields string, pieces ...string) string {
	var b strings.Builder
	b.WriteString("HTTP/1.1 200 OK\r\n" + fields + "Transfer-Encoding: chunked\r\n\r\n")
	for _, p := range pieces {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(p), p)
	}
	return b.String() + "0\r\n\r\n"
}

// answers are responses that hold our answer.
func answers() []scripted {
	return []scripted{
		{name: "content length", raw: sized("200 OK", asJSON, result)},
		{name: "chunked", raw: chunked(asJSON, result)},
		{name: "many chunks", raw: chunked(asJSON, result[:1], result[1:20], result[20:])},
		{name: "chunk extension and trailer", raw: "HTTP/1.1 200 OK\r\n" + asJSON + "Transfer-Encoding: Chunked\r\n\r\n" +
			fmt.Sprintf("%X;a=b\r\n%s\r\n0\r\nX-T: 1\r\n\r\n", len(result), result)},
		{name: "ends with its connection", raw: "HTTP/1.1 200 OK\r\n" + asJSON + "\r\n" + result, closes: true},
		{name: "connection close", raw: sized("200 OK", asJSON+"Connection: Close\r\n", result), closes: true},
		{name: "HTTP/1.0", raw: "HTTP/1.0 200 OK\r\n" + asJSON + "\r\n" + result, closes: true},
		{name: "bytes behind the body", raw: sized("200 OK", asJSON, result) + "HTTP/1.1 200 OK\r\n", closes: true},
		{name: "interim responses", raw: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + sized("200 OK", asJSON, result)},
		{name: "field names in lower case", raw: sized("200 OK", strings.ToLower(asJSON), result)},
		{name: "no reason phrase", raw: sized("200", asJSON, result)},

		{name: "media type with charset", raw: sized("200 OK", "Content-Type: application/json;charset=UTF-8\r\n", result)},
		{name: "media type in another case", raw: sized("200 OK", "Content-Type: Application/JSON\r\n", result)},
		{name: "no media type, JSON", raw: sized("200 OK", "", result), warn: WarnMediaType},
		{name: "no media type, events", raw: sized("200 OK", "", "data: "+result+"\n\n"), warn: WarnMediaType, events: true},
		{name: "another media type", raw: sized("200 OK", "Content-Type: text/plain\r\n", result), warn: WarnMediaType},
		{name: "events with charset", raw: sized("200 OK", "Content-Type: Text/Event-Stream; charset=utf-8\r\n", "data: "+result+"\n\n"), events: true},

		{name: "events, LF", raw: chunked(asSSE, "event: message\ndata: "+result+"\n\n"), events: true},
		{name: "events, CRLF", raw: chunked(asSSE, "event: message\r\ndata: "+result+"\r\n\r\n"), events: true},
		{name: "events, CR", raw: chunked(asSSE, "event: message\rdata: "+result+"\r\r"), events: true},
		{name: "events until the connection ends", raw: "HTTP/1.1 200 OK\r\n" + asSSE + "\r\ndata:" + result + "\n\n", events: true, closes: true},
		{name: "split data lines", raw: chunked(asSSE, "data: "+result[:15]+"\ndata:"+result[15:]+"\n\n"), events: true},
		{name: "comments", raw: chunked(asSSE, ": ping\n\n", ": ping\n\n", "data: "+result+"\n\n"), events: true},
		{name: "priming event", raw: chunked(asSSE, "id: 1\nretry: 500\ndata: \n\n", "data: "+result+"\n\n"), events: true},
		{name: "event of another name", raw: chunked(asSSE, "event: prime\ndata: x\n\n", "data: "+result+"\n\n"), events: true},
		{name: "notification before the answer", raw: chunked(asSSE, "data: "+notice+"\n\n", "data: "+result+"\n\n"), events: true, warn: WarnNotified},
		{name: "events behind the answer", raw: chunked(asSSE, "data: "+result+"\n\n", "data: "+notice+"\n\n"), events: true},
		{name: "array in an event", raw: chunked(asSSE, "data: ["+result+"]\n\n"), events: true, warn: WarnBatch},

		{name: "array", raw: sized("200 OK", asJSON, "["+notice+","+result+"]"), warn: WarnBatch},
		{name: "id as text", raw: sized("200 OK", asJSON, `{"jsonrpc":"2.0","id":"`+oursRaw+`","result":{"n":1}}`), warn: WarnIDType},
		{name: "error with null id", raw: sized("200 OK", asJSON, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`)},
		{name: "error with our id and a status", raw: sized("404 Not Found", asJSON, `{"jsonrpc":"2.0","id":`+oursRaw+`,"error":{"code":-32601,"message":"no"}}`)},
	}
}

// failures are responses without an answer for us.
func failures() []scripted {
	bad := func(name, raw string, fault Fault, words string) scripted {
		return scripted{name: name, raw: raw, failed: true, fault: fault, words: words}
	}
	closing := func(s scripted) scripted { s.closes = true; return s }
	warned := func(s scripted, code string) scripted { s.warn = code; return s }
	return []scripted{
		bad("204", "HTTP/1.1 204 No Content\r\n\r\n", Illegal, "empty body: HTTP 204"),
		bad("202", sized("202 Accepted", "", ""), Illegal, "empty body: HTTP 202"),
		bad("empty 200", sized("200 OK", asJSON, ""), Illegal, "empty body: HTTP 200"),
		bad("empty 200, chunked", chunked(asJSON), Illegal, "empty body"),
		bad("no JSON", sized("200 OK", asJSON, "<html>"), Illegal, "no JSON-RPC message"),
		bad("a notification alone", sized("200 OK", asJSON, notice), Illegal, "a notification instead of a response"),
		bad("a request alone", sized("200 OK", asJSON, `{"jsonrpc":"2.0","id":1,"method":"ping"}`), Illegal, "a request instead of a response"),
		warned(bad("array without a response", sized("200 OK", asJSON, "["+notice+"]"), Illegal, "an array without a response"), WarnBatch),
		warned(bad("broken array", sized("200 OK", asJSON, "["+result), Illegal, "a broken array"), WarnBatch),
		bad("result without id", sized("200 OK", asJSON, `{"jsonrpc":"2.0","id":null,"result":{}}`), Illegal, "the answer has no id"),
		bad("id 0", sized("200 OK", asJSON, `{"jsonrpc":"2.0","id":0,"result":{}}`), Illegal, "another id"),
		bad("id of another call", sized("200 OK", asJSON, `{"jsonrpc":"2.0","id":`+another+`,"result":{}}`), Foreign, "the id of another call: asked "+oursRaw),
		bad("event with the id of another call", chunked(asSSE, `data: {"jsonrpc":"2.0","id":`+another+`,"result":{}}`+"\n\n"), Foreign, "the id of another call"),
		closing(bad("event that is no JSON", chunked(asSSE, "data: hello\n\n"), Illegal, "an event is no JSON-RPC message")),
		bad("stream without an answer", chunked(asSSE, ": ok\n\n"), Broken, "ended without an answer"),
		bad("stream that ends before a blank line", chunked(asSSE, "data: "+result+"\n"), Broken, "ended without an answer"),

		bad("status without a body", sized("503 Service Unavailable", "", ""), Status, "HTTP 503 Service Unavailable, no body"),
		bad("status with text", sized("429 Too Many Requests", "", "slow down"), Status, "slow down"),
		bad("status with a null id", sized("400 Bad Request", asJSON, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`), Status, "HTTP 400"),
		bad("status with events", chunkedStatus("500 Internal Server Error", "data: "+result+"\n\n"), Status, "HTTP 500"),
		bad("redirect", sized("307 Temporary Redirect", "Location: /mcp/\r\n", ""), Status, "HTTP 307"),

		closing(bad("no response", "", Broken, "closed the connection without a response")),
		closing(bad("cut in the head", "HTTP/1.1 200 OK\r\nContent-", Broken, "before the end of the response head")),
		closing(bad("cut in the body", sized("200 OK", asJSON, result)[:90], Broken, "bytes of a response body")),
		closing(bad("cut in a chunk", chunked(asJSON, result)[:100], Broken, "in the middle of a response body")),
		closing(bad("cut between chunks", strings.TrimSuffix(chunked(asJSON, result), "0\r\n\r\n"), Broken, "in the middle of a chunked body")),
		closing(bad("bad chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Illegal, `a chunk begins with "zz"`)),
		closing(bad("bad content length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", Illegal, `content-length is "-1"`)),
		closing(bad("body over the limit", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", Illegal, "message too large")),
		closing(bad("no status line", "hello, world\r\n\r\n", Illegal, "no HTTP/1.1 status line")),
		closing(bad("no status", "HTTP/1.1 OK\r\n\r\n", Illegal, "no HTTP/1.1 status line")),
	}
}

func chunkedStatus(status, body string) string {
	return strings.Replace(chunked(asSSE, body), "200 OK", status, 1)
}
