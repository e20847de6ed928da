package fake

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// stdioCases drives each case with raw lines and says what comes back.
func stdioCases() map[string]func(t *testing.T, r *run) {
	return map[string]func(t *testing.T, r *run){
		"": stdioWellBehaved,

		"A01":   stdioA01,
		"A02":   stdioA02,
		"A03":   stdioA03,
		"A04":   stdioA04,
		"A05":   stdioA05,
		"A06":   stdioA06,
		"A07.1": func(t *testing.T, r *run) { r.wantExit(127, "not found") },
		"A07.2": stdioA07v2,
		"A07.3": stdioA07v3,
		"A08":   func(*testing.T, *run) {}, // TestIgnoresEndAndSignals
		"A09":   stdioA09,
		"A13":   stdioA13,
		"A14":   stdioA14,

		"C01":   stdioC01,
		"C01.2": stdioC01v2,
		"C02":   stdioC02,
		"C04.1": swapsID("7", `"7"`),
		"C04.2": swapsID(`"7"`, "7"),
		"C04.3": swapsID("7", `"7.0"`),
		"C04.4": swapsID("7", "7.0"),
		"C05":   stdioC05,
		"C06":   stdioC06,

		"D01":   stdioD01,
		"D01.2": stdioD01v2,
		"D02":   threePages("page2"),
		"D02.2": threePages(""),
		"D03":   stdioD03,
		"D05":   stdioD05,
		"D06":   stdioD06,
		"D10":   errorWithNullID(`{"code":-32001,"message":"no"}`),
		"D10.2": errorWithNullID(`{"code":-32001,"message":"no"}`),
		"D10.3": errorWithNullID(`{"code":-32001,"message":"no"}`),
		"D10.4": errorWithNullID(`{"code":"ENOPE"}`),
		"D14":   stdioD14,

		"exit-on-start":         func(t *testing.T, r *run) { r.wantExit(1, "error:") },
		"slow-start":            stdioSlowStart,
		"never-initialize":      stdioNeverInitialize,
		"rejects-discover-exit": stdioRejectsDiscoverExit,
		"never-answers":         stdioNeverAnswers,
		"wrong-id":              stdioWrongID,
		"wrong-content":         stdioWrongContent,
		"not-json":              stdioNotJSON,
		"half-line":             stdioHalfLine,
		"half-line-exit":        stdioHalfLineExit,
		"dies-mid-call":         stdioDiesMidCall,
		"ansi":                  stdioANSI,
		"no-hints":              stdioNoHints,
		"input-required":        stdioInputRequired,
	}
}

// stdioArgs are flags that a case's test needs.
func stdioArgs(name string) []string {
	switch name {
	case "C01", "C01.2", "C02":
		return []string{"--delay", "1h"}
	case "slow-start":
		return []string{"--delay", "1ns"}
	case "input-required":
		return []string{"--era", "modern"}
	case "A08":
		return []string{"--life", "1ns"}
	}
	return nil
}

func TestStdio(t *testing.T) {
	for name, drive := range stdioCases() {
		t.Run("case "+name, func(t *testing.T) {
			args := append([]string{"--case", name}, stdioArgs(name)...)
			drive(t, start(t, args...))
		})
	}
}

func swapsID(sent, back string) func(*testing.T, *run) {
	return func(t *testing.T, r *run) {
		r.handshake()
		r.send(echo(sent, "hi"))
		want(t, "answer", r.line(), ok(back, "hi")+"\n")
	}
}

func threePages(second string) func(*testing.T, *run) {
	return func(t *testing.T, r *run) {
		r.handshake()
		var names, cursors []string
		for params := ""; ; {
			r.send(toolsList(2, params))
			a := decode(t, r.line())
			for _, tool := range a.Result.Tools {
				names = append(names, tool.Name)
			}
			if a.Result.NextCursor == nil {
				break
			}
			cursors = append(cursors, *a.Result.NextCursor)
			params = fmt.Sprintf(`"cursor":%q`, *a.Result.NextCursor)
		}
		want(t, "cursors", fmt.Sprintf("%q", cursors), fmt.Sprintf("%q", []string{second, "page3"}))
		want(t, "place of echo", fmt.Sprint(slices.Index(names, "echo"), len(names)), "29 30")
	}
}

func errorWithNullID(e string) func(*testing.T, *run) {
	return func(t *testing.T, r *run) {
		r.handshake()
		r.send(echo(2, "hi"))
		want(t, "answer", r.line(), `{"jsonrpc":"2.0","id":null,"error":`+e+"}\n")
	}
}

func TestErasOnStdio(t *testing.T) {
	for name, c := range map[string]struct {
		era, send, has string
	}{
		"legacy: no discover":     {"legacy", discover, "-32601"},
		"legacy: no early call":   {"legacy", echo(2, "hi"), "-32600"},
		"modern: discover":        {"modern", discover, `"supportedVersions":["2026-07-28"]`},
		"modern: call at once":    {"modern", modernEcho(2, "hi"), `"resultType":"complete"`},
		"modern: no initialize":   {"modern", initialize(1), "-32022"},
		"modern: no call without": {"modern", echo(2, "hi"), "-32602"},
		"modern: no other":        {"modern", strings.Replace(discover, "2026-07-28", "2027-01-01", 1), `"supported":["2026-07-28"]`},
		"both: discover":          {"both", discover, `"supportedVersions":["2026-07-28","2025-11-25"]`},
		"both: call at once":      {"both", modernEcho(2, "hi"), `"resultType":"complete"`},
		"both: initialize":        {"both", initialize(1), `"protocolVersion":"2025-11-25"`},
		"legacy: an older one":    {"legacy", strings.Replace(initialize(1), "2025-11-25", "2025-03-26", 1), `"protocolVersion":"2025-03-26"`},
		"legacy: one not known":   {"legacy", strings.Replace(initialize(1), "2025-11-25", "2026-07-28", 1), `"protocolVersion":"2025-11-25"`},
		"not JSON":                {"legacy", "hello", `"id":null,"error":{"code":-32700`},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, "--era", c.era)
			r.send(c.send)
			if line := r.line(); !strings.Contains(line, c.has) {
				t.Errorf("got %s, want %s in it", line, c.has)
			}
		})
	}
}

func TestTriggerFlags(t *testing.T) {
	r := start(t, "--case", "never-answers", "--on", "tools/list", "--after", "1")
	r.handshake()
	r.send(toolsList(2, ""), toolsList(3, ""), echo(4, "hi"))
	want(t, "let off", string(decode(t, r.line()).ID), "2")
	want(t, "not meant", r.line(), ok(4, "hi")+"\n")
}
