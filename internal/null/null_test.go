package null

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// meta is what a modern client puts into the params of every request.
const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// An answer is an answer as a client reads it.
type answer struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  struct {
		ProtocolVersion   string   `json:"protocolVersion"`
		SupportedVersions []string `json:"supportedVersions"`
		ServerInfo        any      `json:"serverInfo"`
		ResultType        string   `json:"resultType"`
		TTL               *int     `json:"ttlMs"`
		CacheScope        string   `json:"cacheScope"`
		Content           []struct{ Type, Text string }
		Tools             []struct {
			Name        string
			InputSchema struct{ Type string }
			Annotations struct{ ReadOnlyHint bool }
		}
		Meta map[string]any `json:"_meta"`
	} `json:"result"`
	Error *struct {
		Code    int
		Message string
		Data    struct {
			Supported []string
			Requested string
		}
	} `json:"error"`
}

func (a answer) text() string {
	if len(a.Result.Content) != 1 || a.Result.Content[0].Type != "text" {
		return fmt.Sprintf("no text content: %+v", a)
	}
	return a.Result.Content[0].Text
}

func (a answer) code() int {
	if a.Error == nil {
		return 0
	}
	return a.Error.Code
}

func decode(t *testing.T, b []byte) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal(b, &a); err != nil || a.JSONRPC != "2.0" {
		t.Fatalf("answer %.200q: %v", b, err)
	}
	return a
}

// A client sends one request and returns its answer, over some transport, in
// some era.
type client struct {
	modern bool
	ask    func(t *testing.T, request string) answer
}

// request builds a request; params without the braces.
func (c client) request(id, method, params string) string {
	if c.modern {
		params = strings.TrimPrefix(params+","+meta, ",")
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, method, params)
}

func (c client) call(t *testing.T, tool, arguments string) answer {
	t.Helper()
	return c.ask(t, c.request("1", "tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments)))
}

// clients returns one for each transport and era.
func clients(t *testing.T) map[string]client {
	all := map[string]client{}
	for _, answers := range []string{"json", "sse"} {
		srv := httptest.NewServer(New(Options{Version: "1.2.3", Answers: answers}).Handler())
		t.Cleanup(srv.Close)
		session := open(t, srv.URL)
		all["http "+answers+" legacy"] = client{false, func(t *testing.T, request string) answer {
			_, body := post(t, srv.URL, request, "Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-11-25")
			return decode(t, body)
		}}
		all["http "+answers+" modern"] = client{true, func(t *testing.T, request string) answer {
			_, body := post(t, srv.URL, request, modernHeaders(t, request)...)
			return decode(t, body)
		}}
	}
	stdio := func(t *testing.T, request string) answer {
		var out strings.Builder
		if err := New(Options{Version: "1.2.3"}).ServeStdio(t.Context(), strings.NewReader(request+"\r\n"), &out); err != nil {
			t.Fatal(err)
		}
		line, ended := strings.CutSuffix(out.String(), "\n")
		if !ended || strings.Contains(line, "\n") {
			t.Fatalf("not one line: %q", out.String())
		}
		return decode(t, []byte(line))
	}
	all["stdio legacy"], all["stdio modern"] = client{false, stdio}, client{true, stdio}
	return all
}

// modernHeaders are those that belong to a request in the modern era.
func modernHeaders(t *testing.T, request string) []string {
	var r struct {
		Method string
		Params struct{ Name string }
	}
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		t.Fatal(err)
	}
	return []string{"MCP-Protocol-Version", modernVersion, "Mcp-Method", r.Method, "Mcp-Name", r.Params.Name}
}

// post sends a body and returns the response and the message in it, taken out
// of its event if it came as one.
func post(t *testing.T, base, body string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	return do(t, http.MethodPost, base+"/mcp", body, headers...)
}

func do(t *testing.T, method, url, body string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		return resp, answer
	}
	message, isEvent := strings.CutPrefix(string(answer), "event: message\ndata: ")
	message, isWhole := strings.CutSuffix(message, "\n\n")
	if !isEvent || !isWhole || strings.ContainsAny(message, "\r\n") {
		t.Fatalf("not one event: %.200q", answer)
	}
	return resp, []byte(message)
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`

// open begins a legacy session over HTTP and returns its id.
func open(t *testing.T, base string) string {
	t.Helper()
	resp, body := post(t, base, initialize)
	id := resp.Header.Get("Mcp-Session-Id")
	if a := decode(t, body); resp.StatusCode != 200 || id == "" || a.Result.ProtocolVersion != "2025-06-18" {
		t.Fatalf("initialize: status %d, session %q, %s", resp.StatusCode, id, body)
	}
	return id
}

func TestTools(t *testing.T) {
	for name, c := range clients(t) {
		t.Run(name, func(t *testing.T) {
			text := "a \"quoted\" line\nand a back\\slash, \u2028 and é"
			quoted, _ := json.Marshal(text)
			if got := c.call(t, "echo", `{"other":1,"message":`+string(quoted)+`}`).text(); got != text {
				t.Errorf("echo of %q is %q", text, got)
			}
			for _, size := range []int{0, 1, 63, 64, 65, 1 << 10, 64 << 10, 256 << 10, 100} {
				if got := c.call(t, "payload", fmt.Sprintf(`{"bytes":%d}`, size)).text(); len(got) != size || strings.Trim(got, "0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
					t.Errorf("payload of %d bytes: %d bytes, %.20q", size, len(got), got)
				}
			}
			large := strings.Repeat("x", 300<<10)
			if got := c.call(t, "echo", `{"message":"`+large+`"}`).text(); got != large {
				t.Errorf("echo of %d bytes: %d bytes", len(large), len(got))
			}
			for tool, arguments := range map[string]string{"nope": `{}`, "echo": `{"message":5}`, "payload": `{"bytes":16777217}`, "": `{"bytes":1}`} {
				if a := c.call(t, tool, arguments); a.code() != -32602 || string(a.ID) != "1" {
					t.Errorf("%s(%s): id %s, %+v; want error -32602", tool, arguments, a.ID, a.Error)
				}
			}
			for _, arguments := range []string{`{"bytes":-1}`, `{"bytes":"x"}`, `{}`, `[]`, `null`} {
				if a := c.call(t, "payload", arguments); a.code() != -32602 {
					t.Errorf("payload(%s): %+v, want error -32602", arguments, a)
				}
			}
		})
	}
}

func TestMethods(t *testing.T) {
	for name, c := range clients(t) {
		t.Run(name, func(t *testing.T) {
			for _, id := range []string{`7`, `"seven"`, `"\u0041"`, `123456789012`} {
				if a := c.ask(t, c.request(id, "tools/list", "")); string(a.ID) != id {
					t.Errorf("the answer to %s has id %s", id, a.ID)
				}
			}
			if a := c.ask(t, c.request("null", "tools/list", "")); a.code() != -32600 {
				t.Errorf("id null: %+v, want error -32600", a)
			}
			a := c.ask(t, c.request("1", "tools/list", ""))
			checkEra(t, a, c.modern, true)
			if tools := a.Result.Tools; len(tools) != 2 || tools[0].Name != "echo" || tools[1].Name != "payload" ||
				!tools[0].Annotations.ReadOnlyHint || !tools[1].Annotations.ReadOnlyHint || tools[0].InputSchema.Type != "object" {
				t.Errorf("tools: %+v", tools)
			}
			checkEra(t, c.call(t, "echo", `{"message":"x"}`), c.modern, false)
			if a := c.ask(t, c.request("1", "prompts/list", "")); a.code() != -32601 {
				t.Errorf("unknown method: %+v, want error -32601", a)
			}
			ping, discover := c.ask(t, c.request("1", "ping", "")), c.ask(t, c.request("1", "server/discover", ""))
			if c.modern {
				ping, discover = discover, ping
				checkEra(t, ping, true, true)
				if got := strings.Join(ping.Result.SupportedVersions, " "); !strings.HasPrefix(got, modernVersion) {
					t.Errorf("supported versions: %s", got)
				}
			}
			if ping.code() != 0 || discover.code() != -32601 {
				t.Errorf("ping and server/discover are not each of one era: %+v, %+v", ping, discover)
			}
		})
	}
}

// checkEra looks for what results carry in one era and not in the other.
func checkEra(t *testing.T, a answer, modern, cacheable bool) {
	t.Helper()
	info, _ := a.Result.Meta["io.modelcontextprotocol/serverInfo"].(map[string]any)
	if a.Error != nil || (a.Result.ResultType == "complete") != modern || (a.Result.TTL != nil) != (modern && cacheable) ||
		(a.Result.CacheScope == "public") != (modern && cacheable) || (info["version"] == "1.2.3") != modern {
		t.Errorf("modern %v, cacheable %v: %+v", modern, cacheable, a)
	}
}

func TestInitializeNegotiates(t *testing.T) {
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18",
		"2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25", "1900-01-01": "2025-11-25"} {
		a := stdioAnswers(t, Options{Version: "1.2.3"}, strings.Replace(initialize, "2025-06-18", asked, 1))[0]
		if a.Result.ProtocolVersion != want || fmt.Sprint(a.Result.ServerInfo) != "map[name:mcpdyno-null version:1.2.3]" {
			t.Errorf("asked for %s: %+v, want %s", asked, a.Result, want)
		}
	}
}

func TestOneEraOnly(t *testing.T) {
	modern := client{modern: true}.request("1", "server/discover", "")
	legacy := client{}.request("1", "tools/list", "")
	for _, c := range []struct {
		era, request string
		code         int
	}{
		{"legacy", initialize, 0}, {"legacy", legacy, 0}, {"legacy", modern, -32601},
		{"modern", initialize, -32022}, {"modern", legacy, -32602}, {"modern", modern, 0},
		{"both", initialize, 0}, {"both", legacy, 0}, {"both", modern, 0},
		{"both", strings.Replace(modern, modernVersion, "1900-01-01", 1), -32022},
		{"both", strings.Replace(modern, "clientCapabilities", "clientInfo", 1), -32602},
	} {
		a := stdioAnswers(t, Options{Era: c.era}, c.request)[0]
		if a.code() != c.code {
			t.Errorf("era %s, %s: %+v, want code %d", c.era, c.request, a.Error, c.code)
		}
		if c.code == -32022 && (a.Error.Data.Supported[0] != modernVersion || a.Error.Data.Requested == "") {
			t.Errorf("era %s: the versions are not named: %+v", c.era, a.Error)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, good := range []Options{{}, {Era: "modern", Answers: "sse", Path: "/x", Delay: 1}} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for _, bad := range []Options{{Era: "new"}, {Answers: "xml"}, {Path: "mcp"}, {CPU: -1}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is no error", bad)
		}
	}
}

// stdioAnswers serves the lines and returns the answers in the order they came.
func stdioAnswers(t *testing.T, o Options, lines ...string) []answer {
	t.Helper()
	var out strings.Builder
	if err := New(o).ServeStdio(context.Background(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	var answers []answer
	for line := range strings.Lines(out.String()) {
		answers = append(answers, decode(t, []byte(line)))
	}
	return answers
}
