package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcpdyno/result"
	"mcpdyno/result/resulttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// small is the default study with two sizes and five blocks.
func small() resulttest.Study {
	s := resulttest.Default()
	s.Plan.Blocks = 5
	s.Plan.SizesBytes = []int{1 << 10, 256 << 10}
	return s
}

// tiny has one size and two targets, for the long JSON document.
func tiny() resulttest.Study {
	s := small()
	s.Plan.SizesBytes = s.Plan.SizesBytes[:1]
	s.Targets = append(s.Targets[:2:2], s.Targets[3])
	return s
}

// floors is a user's study with one size.
func floors() resulttest.Study {
	s := resulttest.User()
	s.Plan.Blocks = 5
	s.Plan.SizesBytes = []int{1 << 10}
	return s
}

// single is a quick look: one block, and sizes cannot be asked for.
func single() resulttest.Study {
	s := small()
	s.Plan.Blocks, s.Plan.Runs, s.Plan.Batches, s.Plan.ColdStarts, s.Plan.WorkBatches = 1, 40, 4, 3, 2
	s.Plan.SizesBytes, s.Plan.SkippedSizes = nil, "tool echo has no argument for a size"
	for i := range s.Targets {
		s.Targets[i].Sized = false
	}
	return s
}

// trouble is a run in which one target fails, another loses calls, and the
// server tries to take over the terminal and the page.
func trouble() *result.Log {
	s := small()
	s.Targets[2].Name = "http|fresh*<b>"
	s.Plan.WorkNS = 0
	s.Targets = s.Targets[:3]
	l := s.Log()
	fail(l, 1, "exit status 1: \x1b[2J<script>alert(1)</script> | no module 'mcp'")
	l.Run.Environment.MemoryB = 0
	l.Run.Targets[0].Version = "1\x1b]0;owned\x07\x1b[31m red\u202e"
	for _, c := range l.Calls {
		if l.Trial(c.Trial).Target == 2 && c.Phase == result.PhaseSteady && l.Trial(c.Trial).Round == 3 {
			c.Outcome = result.Timeout
		}
	}
	l.Ends[4].Warnings = map[string]int64{"stdout-noise": 3}
	l.Notes = append(l.Notes, &result.Note{Code: "sizes", Text: "rounded\nto `1 KB`"})
	return resulttest.Reread(l, false)
}

// The documents that several tests read; nobody changes them.
var (
	smallDoc   = sync.OnceValue(func() *Document { return Build(small().Log()) })
	floorsDoc  = sync.OnceValue(func() *Document { return Build(floors().Log()) })
	singleDoc  = sync.OnceValue(func() *Document { return Build(single().Log()) })
	tinyDoc    = sync.OnceValue(func() *Document { return Build(tiny().Log()) })
	troubleDoc = sync.OnceValue(func() *Document { return Build(trouble()) })
)

// fail takes away all that a target did.
func fail(l *result.Log, target int, cause string) {
	var calls []*result.Calls
	for _, c := range l.Calls {
		if l.Trial(c.Trial).Target != target {
			calls = append(calls, c)
		}
	}
	var cold []*result.Cold
	for _, c := range l.Cold {
		if c.Target != target {
			cold = append(cold, c)
		}
	}
	l.Calls, l.Cold = calls, cold
	for _, e := range l.Ends {
		if l.Trial(e.Trial).Target == target {
			e.Ended, e.Error = "failed", cause
		}
	}
}

func TestGolden(t *testing.T) {
	text := func(w io.Writer, d *Document) error { return Text(w, d, Options{}) }
	wide := func(w io.Writer, d *Document) error { return Text(w, d, Options{Width: 160, Color: true}) }
	for _, c := range []struct {
		file  string
		doc   *Document
		write func(io.Writer, *Document) error
	}{
		{"default.txt", smallDoc(), text},
		{"default.md", smallDoc(), Markdown},
		{"floors.txt", floorsDoc(), text},
		{"wide-colour.txt", floorsDoc(), wide},
		{"single.txt", singleDoc(), text},
		{"trouble.txt", troubleDoc(), text},
		{"trouble.md", troubleDoc(), Markdown},
		{"tiny.json", tinyDoc(), JSON},
	} {
		t.Run(c.file, func(t *testing.T) {
			var got bytes.Buffer
			if err := c.write(&got, c.doc); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", c.file), got.Bytes())
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d:\n got %q\nwant %q\n(go test ./internal/report -update rewrites it)", file, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", file, len(g), len(w))
}

// A report fits a terminal of 100 columns and says nothing to it but text.
func TestTextFitsAndIsClean(t *testing.T) {
	for name, d := range map[string]*Document{"default": smallDoc(), "floors": floorsDoc(), "trouble": troubleDoc()} {
		var b bytes.Buffer
		if err := Text(&b, d, Options{Width: 100}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			if w := ansi.StringWidth(line); w > 100 {
				t.Errorf("%s: %d columns: %q", name, w, line)
			}
			if strings.ContainsAny(line, "\x1b\x07\u202e\t\r") || strings.HasSuffix(line, " ") {
				t.Errorf("%s: not clean: %q", name, line)
			}
		}
	}
}

// What a server says stays text in Markdown: no markup, no further column.
func TestMarkdownIsEscaped(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b, troubleDoc()); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); strings.Contains(s, "<script") || strings.Contains(s, "<b>") || strings.Contains(s, "\x1b") || strings.Contains(s, "http|fresh") {
		t.Error("a server's words reached the page as markup")
	}
	columns := 0
	for line := range strings.Lines(b.String()) {
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if n > 0 && columns > 0 && n != columns {
			t.Errorf("%d bars in a table of %d: %s", n, columns, line)
		}
		columns = n
	}
}

type failingWriter struct{}

var errFull = errors.New("no space left on device")

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	d := tinyDoc()
	for name, err := range map[string]error{
		"text":     Text(failingWriter{}, d, Options{}),
		"markdown": Markdown(failingWriter{}, d),
		"json":     JSON(failingWriter{}, d),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever a log holds, there is a report of it in every format.
func TestOddLogs(t *testing.T) {
	all := tiny().Log()
	for _, c := range all.Calls {
		c.Outcome = result.Transport
	}
	none := tiny().Log()
	none.Calls, none.Cold, none.Ends, none.End = nil, nil, nil, nil
	for name, l := range map[string]*result.Log{"empty": {}, "nothing measured": none, "all failed": resulttest.Reread(all, true)} {
		d := Build(l)
		var b bytes.Buffer
		if err := errors.Join(Text(&b, d, Options{}), Markdown(&b, d), JSON(&b, d)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s := b.String(); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%s: NaN or Inf in the report", name)
		}
	}
}

func TestCheck(t *testing.T) {
	l := tiny().Log()
	document, err := json.Marshal(Build(l))
	if err != nil {
		t.Fatal(err)
	}
	l.Summary = &result.Summary{Document: document}
	l = resulttest.Reread(l, false)
	if bad := Check(l); len(bad) != 0 {
		t.Fatalf("an untouched file differs: %v", bad)
	}
	p50 := *Build(l).Rows[5].Response.MeanNS
	l.Summary.Document = bytes.Replace(l.Summary.Document, fmtKey("mean_ns", p50), fmtKey("mean_ns", p50-1), 1)
	if bad := Check(l); len(bad) != 1 || !strings.Contains(bad[0].Error(), "mean_ns") {
		t.Errorf("one changed figure gave %v", bad)
	}
	l.Summary = nil
	if bad := Check(l); len(bad) != 1 {
		t.Errorf("no summary gave %v", bad)
	}
}

func fmtKey(key string, v int64) []byte {
	text, _ := json.Marshal(map[string]int64{key: v})
	return bytes.Trim(text, "{}")
}

// A run judges itself before its summary and end are written. The document it
// then stores is the one that a reader builds.
func TestTheRunsOwnDocumentIsTheReaders(t *testing.T) {
	var file bytes.Buffer
	w := result.NewWriter(&file)
	again := tiny().Log()
	for _, write := range []func() error{
		func() error { return w.Write(&again.Run) },
		func() error { return writeAll(w, again.Trials) }, func() error { return writeAll(w, again.Calls) },
		func() error { return writeAll(w, again.Cold) }, func() error { return writeAll(w, again.Ends) },
		func() error { return writeAll(w, again.Audits) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	sofar, err := result.Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	sofar.End = w.End(false, nil)
	document, err := json.Marshal(Build(sofar))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(&result.Summary{Document: document}), w.Close(false, nil)); err != nil {
		t.Fatal(err)
	}
	whole, err := result.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	if bad := Check(whole); len(bad) != 0 {
		t.Errorf("%v", bad)
	}
}

func writeAll[R result.Record](w *result.Writer, records []R) error {
	for _, r := range records {
		if err := w.Write(r); err != nil {
			return err
		}
	}
	return nil
}

// A user copies flags and names of files out of a report: they are broken at
// spaces only.
func TestWrapKeepsWordsWhole(t *testing.T) {
	for width := 20; width < 40; width++ {
		got := wrap("mcpdyno transport --size-arg n -o out-of-the-way.jsonl", width)
		if joined := strings.ReplaceAll(got, "\n", " "); !strings.Contains(joined, "--size-arg n -o out-of-the-way.jsonl") || !strings.Contains(got, "out-of-the-way.jsonl") {
			t.Errorf("at %d columns a word is broken:\n%s", width, got)
		}
	}
}

// A user's servers are compared whatever they speak; the eras of the null
// server's full matrix are not.
func TestErasInTheFullMatrix(t *testing.T) {
	users, nulls := floors(), tiny()
	users.Plan.Matrix, nulls.Plan.Matrix = "full", "full"
	nulls.Targets[1].Era = "modern"
	if d := Build(users.Log()); d.base(&d.Targets[1]) != &d.Targets[0] {
		t.Error("a user's modern server is not compared with the legacy one")
	}
	if d := Build(nulls.Log()); d.base(&d.Targets[1]) != nil {
		t.Error("a modern null server is compared with the legacy one")
	}
}
