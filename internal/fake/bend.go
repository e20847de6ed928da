package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

// This file holds the misbehaviours that do not depend on the transport.

type bender = func(s *server, m *message, r *reply, n int)

// pad makes answers at least n bytes long and leaves their content alone.
func pad(n int) bender {
	return func(_ *server, _ *message, r *reply, _ int) {
		meta, _ := r.Result["_meta"].(object)
		if meta == nil {
			meta = object{}
		}
		meta["pad"] = payload(n)
		r.set("_meta", meta)
	}
}

func raw(text string) bender {
	return func(_ *server, _ *message, r *reply, _ int) { r.raw = []byte(text) }
}

func hangs(how hang) bender {
	return func(_ *server, _ *message, r *reply, _ int) { r.hang = how }
}

func fixedID(id string) bender {
	return func(_ *server, _ *message, r *reply, _ int) { r.ID = json.RawMessage(id) }
}

func bendID(f func(string) string) bender {
	return func(_ *server, _ *message, r *reply, _ int) { r.ID = json.RawMessage(f(string(r.ID))) }
}

func isString(id string) bool { return strings.HasPrefix(id, `"`) }

func numberToString(id string) string {
	if isString(id) {
		return id
	}
	return `"` + id + `"`
}

// stringToNumber leaves a string that is not a number alone.
func stringToNumber(id string) string {
	if bare := strings.Trim(id, `"`); json.Valid([]byte(bare)) {
		return bare
	}
	return id
}

func numberToFloat(id string) string {
	if isString(id) {
		return id
	}
	return id + ".0"
}

func numberToFloatString(id string) string { return numberToString(numberToFloat(id)) }

// late waits for a time that seed and id alone decide, so that a run can be
// repeated although its calls race.
func late(s *server, m *message, _ *reply, _ int) {
	h := fnv.New64a()
	h.Write(m.ID)
	random := rand.New(rand.NewPCG(s.opt.seed, h.Sum64()))
	time.Sleep(time.Duration(random.Int64N(int64(s.opt.delay))))
}

// guest is a call that waits for another one.
type guest struct {
	reply *reply
	met   chan struct{}
}

// meet lets the call wait for another with the same key, up to the case's delay.
// The second to come gets both replies to change; the first wakes up after that.
func (s *server) meet(key string, r *reply, change func(first, second *reply)) {
	s.mu.Lock()
	if first, ok := s.guests[key]; ok {
		delete(s.guests, key)
		change(first.reply, r)
		s.mu.Unlock()
		close(first.met)
		return
	}
	me := &guest{r, make(chan struct{})}
	if s.guests == nil {
		s.guests = make(map[string]*guest)
	}
	s.guests[key] = me
	s.mu.Unlock()
	select {
	case <-me.met:
	case <-time.After(s.opt.delay):
		s.leave(key, me)
	}
}

// leave ends the waiting of me; somebody may have come in the last moment.
func (s *server) leave(key string, me *guest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guests[key] == me {
		delete(s.guests, key)
	}
}

func swap(first, second *reply) { first.Result, second.Result = second.Result, first.Result }

func swapAny(s *server, _ *message, r *reply, _ int) { s.meet("", r, swap) }

func swapEqual(s *server, m *message, r *reply, _ int) { s.meet(string(m.ID), r, swap) }

func lastWins(s *server, m *message, r *reply, _ int) {
	s.meet(string(m.ID), r, func(first, second *reply) {
		second.Result = first.Result
		first.hang = hangComments
	})
}

func filler(n int) object { return tool(fmt.Sprintf("filler%d", n), "message", "string") }

func noHints(_ *server, _ *message, r *reply, _ int) {
	tools := []object{tool("delete", "message", "string"), tool("send", "message", "string")}
	for _, t := range tools {
		delete(t, "annotations")
	}
	r.set("tools", tools)
}

func eightTools() []object {
	tools := []object{echoTool(), payloadTool()}
	for n := range 6 {
		tools = append(tools, filler(n))
	}
	return tools
}

func sameCursor(_ *server, _ *message, r *reply, _ int) {
	r.set("tools", eightTools())
	r.set("nextCursor", "8")
}

func freshCursor(_ *server, _ *message, r *reply, n int) {
	r.set("tools", eightTools())
	r.set("nextCursor", fmt.Sprint(n))
}

// pages serves 3 pages of 10 tools; second and third are the cursors to them.
func pages(second, third string) bender {
	return func(_ *server, m *message, r *reply, _ int) {
		page, next := 1, &second
		switch c := m.Params.Cursor; {
		case c == nil:
		case *c == second:
			page, next = 2, &third
		case *c == third:
			page, next = 3, nil
		default:
			r.fail(0, invalidParams, "Invalid cursor", nil)
			return
		}
		r.set("tools", pageOfTools(page))
		if next != nil {
			r.set("nextCursor", *next)
		}
	}
}

// pageOfTools is ten tools; the last two of page 3 are payload and echo.
func pageOfTools(page int) []object {
	var tools []object
	for n := range 10 {
		tools = append(tools, filler(page*10+n))
	}
	if page == 3 {
		tools[8], tools[9] = payloadTool(), echoTool()
	}
	return tools
}

func everyThirdFails(_ *server, _ *message, r *reply, n int) {
	if n%3 == 0 {
		r.set("content", textResult("missing parameter")["content"])
		r.set("isError", true)
	}
}

func nullID(status int) bender {
	return func(_ *server, _ *message, r *reply, _ int) {
		r.fail(status, sessionError, "no", nil)
		r.ID = null()
	}
}

func oddError(_ *server, _ *message, r *reply, _ int) {
	r.ID, r.Result, r.Error = null(), nil, object{"code": "ENOPE"}
}

func wrongContent(_ *server, m *message, r *reply, _ int) {
	text := "somebody else's answer"
	if m.Params.Name == "payload" {
		text = r.text() + "?"
	}
	r.set("content", textResult(text)["content"])
}

// evilText tries to colour, to ring, to reverse, and to speak in mcpdyno's name.
const evilText = "\x1b[31mevil\x1b[0m\x1b]0;title\x07\u202e\r\nmcpdyno: all is well"

func evilStderr(s *server) error {
	fmt.Fprintln(s.errw, evilText)
	return nil
}

// evil puts evilText wherever a client may print what a server says. Every third
// answer to a call is a tool error.
func evil(_ *server, m *message, r *reply, n int) {
	says := object{"name": evilText, "version": evilText}
	switch m.Method {
	case "initialize":
		r.set("serverInfo", says)
	case "server/discover":
		r.set("_meta", object{metaServerInfo: says})
	case "tools/list":
		r.set("tools", []object{tool(evilText, evilText, "string"), echoTool(), payloadTool()})
	case "tools/call":
		if n%3 == 0 {
			r.set("content", textResult(evilText)["content"])
			r.set("isError", true)
		}
	}
}

// inputRequired asks once: a call that brings inputResponses is answered.
func inputRequired(_ *server, m *message, r *reply, _ int) {
	if !m.isModern() || bytes.HasPrefix(m.Params.InputResponses, []byte("{")) {
		return
	}
	r.Result = object{
		"resultType":    "input_required",
		"inputRequests": object{"roots": object{"method": "roots/list", "params": object{}}},
		"requestState":  "opaque",
	}
}

func banner(s *server) error {
	_, err := fmt.Fprint(s.out, "Starting v1.2\n\nChecking 127.0.0.1...\n")
	return err
}

func notFound(s *server) error {
	fmt.Fprintln(s.errw, "sh: 1: server: not found")
	return exit(127)
}

func usage(s *server) error {
	fmt.Fprintln(s.out, "usage: server --stdio")
	return exit(0)
}

func exitOnStart(s *server) error {
	fmt.Fprintln(s.errw, "error: no configuration")
	return exit(1)
}

func slowStart(s *server) error {
	time.Sleep(s.opt.delay)
	return nil
}

// ballast touches every page, so that the memory is resident.
func ballast(s *server) error {
	s.ballast = bytes.Repeat([]byte{1}, 200<<20)
	fmt.Fprintln(s.errw, "pid", os.Getpid())
	return nil
}
