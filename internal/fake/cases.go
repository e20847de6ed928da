package fake

import (
	"maps"
	"net/http"
	"time"
)

// behaviour is what one case does otherwise than a well-behaved server.
type behaviour struct {
	does  string        // one sentence
	only  string        // stdio or http; "" is both
	on    []string      // the methods that trigger it; nil is tools/call, * any
	delay time.Duration // the default of --delay

	start func(*server) error                  // before serving; an error ends the program
	bend  func(*server, *message, *reply, int) // changes the n-th triggered answer
	line  func(*pipe, *message, int) error     // stdio: takes over the n-th triggered call
	post  func(*exchange, int) error           // HTTP: the same
	note  func(http.ResponseWriter)            // HTTP: answers a notification
	gone  func(http.ResponseWriter)            // HTTP: answers a DELETE
	frame func(body []byte) []byte             // HTTP: an SSE event; setting it makes answers SSE
	form                                       // how bytes look and when they go
}

// form is how a case's bytes look and when they go, where no decision is needed.
type form struct {
	eol         string        // stdio: ends every line; "" is \n
	contentType string        // HTTP: of answers; "none" leaves it out
	idle        time.Duration // HTTP: the default of --idle
	closes      bool          // HTTP: closes each connection after its answer, unannounced
	overlap     bool          // stdio: calls run at the same time
	atEOF       bool          // stdio: answers are held back until stdin ends
	crKills     bool          // stdio: ends at a line that ends in \r\n
	deaf        bool          // stdio: does not end when stdin does
}

// cases is the table of misbehaviours by name; "" is none.
func cases() map[string]behaviour {
	table := reported()
	maps.Copy(table, general())
	return table
}

// reported are the cases of public bug reports: A stdio and processes, B HTTP
// and SSE, C concurrency, D protocol. A .N is a variant of a case.
func reported() map[string]behaviour {
	every := []string{"*"}
	list := []string{"tools/list"}
	return map[string]behaviour{
		"A01":   {does: "log lines, one of them JSON, on stdout before and between answers", only: "stdio", on: every, start: banner, line: noise},
		"A02":   {does: "ends lines with CRLF", only: "stdio", form: form{eol: "\r\n"}},
		"A03":   {does: "exits 0 at a line that ends in CRLF", only: "stdio", form: form{crKills: true}},
		"A04":   {does: "well-behaved: ask payload for a long line, up to 256 MiB", only: "stdio"},
		"A05":   {does: "writes a traceback to stderr and exits 1 at initialize", only: "stdio", on: []string{"initialize"}, line: traceback},
		"A06":   {does: "256 KiB on stderr before the first answer, 2 KiB before each call's", only: "stdio", on: every, line: flood},
		"A07.1": {does: "exits 127 at once", start: notFound},
		"A07.2": {does: "takes 5 calls and exits 3 without answering them", only: "stdio", line: takeFive},
		"A07.3": {does: "prints a usage text on stdout and exits 0", start: usage},
		"A08":   {does: "ignores the end of stdin and SIGTERM", only: "stdio", start: ignoreSignals, form: form{deaf: true}},
		"A09":   {does: "prints its pid on stderr and holds 200 MiB; run it under testdata/wrapper.sh", start: ballast},
		"A13":   {does: "answers only when stdin ends", only: "stdio", form: form{atEOF: true}},
		"A14":   {does: "one thread: reads a call, writes a 1 MiB answer, blocking", only: "stdio", bend: pad(1 << 20)},

		"B01":   {does: "answers DELETE with 200 and 10 KB, notifications with 202 and a small body", only: "http", note: note202Body, gone: end200Body},
		"B03":   {does: "closes a connection idle for 1 s (--idle)", only: "http", form: form{idle: time.Second}},
		"B03.2": {does: "closes each connection after its answer without saying so", only: "http", form: form{closes: true}},
		"B10.1": {does: "answers notifications with 200 and no body", only: "http", note: status(http.StatusOK)},
		"B10.2": {does: "answers notifications with 204", only: "http", note: status(http.StatusNoContent)},
		"B10.3": {does: "answers notifications with 202 and a body", only: "http", note: note202Body},
		"B11":   {does: "SSE: a priming event with empty data before the answer", only: "http", frame: primed},
		"B13":   {does: "SSE with CRLF", only: "http", frame: crlfEvent},
		"B14":   {does: "SSE: JSON over two data lines, the second without the space", only: "http", frame: splitEvent},
		"B15.1": {does: "SSE: answers of 70 KB on one data line", only: "http", bend: pad(70 << 10), frame: event},
		"B15.2": {does: "SSE: answers of 2 MiB on one data line", only: "http", bend: pad(2 << 20), frame: event},
		"B17.1": {does: "Content-Type application/json;charset=UTF-8", only: "http", form: form{contentType: "application/json;charset=UTF-8"}},
		"B17.2": {does: "Content-Type Application/JSON", only: "http", form: form{contentType: "Application/JSON"}},
		"B17.3": {does: "Content-Type text/event-stream; charset=utf-8", only: "http", frame: event, form: form{contentType: "text/event-stream; charset=utf-8"}},
		"B17.4": {does: "no Content-Type", only: "http", form: form{contentType: "none"}},

		"C01":   {does: "two calls in flight at once get each other's content", bend: swapAny, delay: 100 * time.Millisecond, form: form{overlap: true}},
		"C01.2": {does: "the same, only where their ids are equal", bend: swapEqual, delay: 100 * time.Millisecond, form: form{overlap: true}},
		"C02":   {does: "of two calls with one id the last gets the first's content, the first only comments", bend: lastWins, delay: 100 * time.Millisecond, form: form{overlap: true}},
		"C04.1": {does: "a number id comes back as a string", bend: bendID(numberToString)},
		"C04.2": {does: "a string id comes back as a number", bend: bendID(stringToNumber)},
		"C04.3": {does: "a number id comes back as a string with .0", bend: bendID(numberToFloatString)},
		"C04.4": {does: "a number id comes back as a number with .0", bend: bendID(numberToFloat)},
		"C05":   {does: "every answer has id 0", on: every, bend: fixedID("0")},
		"C06":   {does: "answers are delayed at random (seeded, up to --delay)", bend: late, delay: 50 * time.Millisecond, form: form{overlap: true}},

		"D01":   {does: "tools/list: 8 tools and the same nextCursor for ever", on: list, bend: sameCursor},
		"D01.2": {does: "tools/list: 8 tools and a fresh nextCursor for ever", on: list, bend: freshCursor},
		"D02":   {does: "tools/list: 3 pages of 10, echo on the third", on: list, bend: pages("page2", "page3")},
		"D02.2": {does: "the same, and the cursor of page 2 is the empty string", on: list, bend: pages("", "page3")},
		"D03":   {does: "every third call is a tool error", bend: everyThirdFails},
		"D05":   {does: "asks roots/list and ping during a call and answers after the replies", line: askFirst, post: askFirstHTTP, form: form{overlap: true}},
		"D06":   {does: "ping is answered with an empty body (stdio: an empty line)", on: []string{"ping"}, bend: raw("")},
		"D10":   {does: "calls get an error with a null id (HTTP 200)", bend: nullID(http.StatusOK)},
		"D10.2": {does: "the same with HTTP 400", bend: nullID(http.StatusBadRequest)},
		"D10.3": {does: "the same with HTTP 401", bend: nullID(http.StatusUnauthorized)},
		"D10.4": {does: "the same with HTTP 200, the code as text and no message", bend: oddError},
		"D14":   {does: "5,000 log notifications before each answer", line: manyNotes, post: manyNotesHTTP},
	}
}

// general are the misbehaviours that need no bug report, named by words.
func general() map[string]behaviour {
	every := []string{"*"}
	handshake := []string{"initialize", "server/discover"}
	return map[string]behaviour{
		"": {does: "well-behaved"},

		"exit-on-start":         {does: "exits 1 at once", start: exitOnStart},
		"slow-start":            {does: "waits (--delay) before it reads or listens", start: slowStart, delay: 500 * time.Millisecond},
		"never-initialize":      {does: "does not answer initialize or server/discover", on: handshake, bend: hangs(hangSilent)},
		"rejects-discover-exit": {does: "exits 1 on any request before initialize", only: "stdio", on: every, line: exitBeforeInitialize},
		"no-hints":              {does: "tools/list: two tools that do not say that they only read", on: []string{"tools/list"}, bend: noHints},
		"never-answers":         {does: "does not answer calls", bend: hangs(hangSilent)},
		"wrong-id":              {does: "answers calls with an id nobody used", bend: fixedID("-1")},
		"wrong-content":         {does: "echo returns another text, payload one byte too many", bend: wrongContent},
		"not-json":              {does: "answers calls with a line that is not JSON", bend: raw("Internal problem, sorry")},
		"half-line":             {does: "writes half an answer and then nothing, ever", only: "stdio", line: halfLine},
		"half-line-exit":        {does: "writes half an answer and exits 1", only: "stdio", line: halfLineExit},
		"dies-mid-call":         {does: "exits 3 in the middle of a call", line: die, post: dieHTTP},
		"ansi":                  {does: "name, tools, tool errors and stderr contain escape sequences and line ends", on: every, start: evilStderr, bend: evil},
		"input-required":        {does: "modern: calls ask for input first (resultType input_required)", bend: inputRequired},

		"tells-token":          {does: "quotes the Authorization header on stderr and in tool errors", only: "http", post: tellToken},
		"http-500":             {does: "answers calls with 500 and a text", only: "http", post: httpError(http.StatusInternalServerError)},
		"http-401":             {does: "answers everything with 401 and WWW-Authenticate", only: "http", on: every, post: httpError(http.StatusUnauthorized)},
		"bad-chunk":            {does: "answers calls with a chunk whose size is not a number", only: "http", post: badChunk},
		"truncated-body":       {does: "sends less than its Content-Length and closes", only: "http", post: truncatedBody},
		"headers-only":         {does: "sends the headers of an answer and nothing more", only: "http", bend: hangs(hangHeaders)},
		"sse-no-answer":        {does: "ends the SSE stream of a call without an answer", only: "http", post: sseNoAnswer},
		"sse-comments-forever": {does: "sends only SSE comments for a call, for ever", only: "http", bend: hangs(hangComments)},
		"keepalive-then-reset": {does: "resets a connection at the first request after an answered call", only: "http", on: every, post: resetAfterCall},
	}
}
