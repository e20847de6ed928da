package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mcpdyno/internal/fake"
	"mcpdyno/internal/report"
	"mcpdyno/internal/verdict"
	"mcpdyno/result"
)

// TestMain lets the test binary be mcpdyno itself, the fake server, and post, a
// client for one message.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")) // a second, at each of a thousand ends
	testscript.Main(m, map[string]func(){
		"mcpdyno": main,
		"fake":    func() { os.Exit(fake.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"post":    post,
	})
}

// TestScripts runs the sessions in testdata. Beside testscript's own commands
// they have:
//
//	exits CODE command args…   runs it and wants this exit code, or one of several: 0|5
//	measure CODE args…         the same for a small `mcpdyno transport`, its report in
//	                           JSON on stdout and its result in r.jsonl; later flags
//	                           win. A verdict spoiled by a busy machine is forgiven
//	server NAME args…          a fake on HTTP that mcpdyno does not start; its URL is $NAME
//	figure FILE PATH OP VALUE  compares a figure of a JSON document (figure_test.go)
//	retry command args…        runs it until it succeeds
//	replace FROM TO OLD NEW    copies a file with the first OLD made NEW
//	cut FROM TO BYTES          copies a file without its last bytes
//	gone                       waits until no server that this script's mcpdyno started is left
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LONG", strings.Repeat("long ", 800))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"measure": measure,
			"server":  server,
			"figure":  figure,
			"retry":   retry,
			"replace": replace,
			"cut":     cut,
			"gone":    func(ts *testscript.TestScript, _ bool, _ []string) { ts.Check(gone(ts.Getenv("WORK"))) },
		},
	})
}

// patience bounds what a busy machine may take.
const patience = 30 * time.Second

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command args…")
	}
	code := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		code = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(code)) {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func measure(ts *testscript.TestScript, neg bool, args []string) {
	small := strings.Fields("mcpdyno transport --blocks 1 --warmup 2 --runs 6 --batches 2 --in-flight 2 --cold-starts 1 " +
		"--work 0 --sizes 1KB --placement none --timeout 5s --format json -o r.jsonl")
	want := args[0]
	if want == "0" {
		want = "0|5"
	}
	exits(ts, neg, append(append([]string{want}, small...), args[1:]...))
	ts.Check(gone(ts.Getenv("WORK")))
	if want == "0|5" {
		ts.Check(blameless(ts.ReadFile("r.jsonl")))
	}
}

// blameless reports a verdict of INVALID that the machine is not to blame for.
func blameless(text string) error {
	log, err := result.Read(strings.NewReader(text))
	if err != nil {
		return err
	}
	v := report.Build(log).Verdict
	for _, r := range v.Reasons {
		if r.Code == verdict.CodeLag {
			return nil
		}
	}
	if v.Status == verdict.Invalid {
		return fmt.Errorf("the verdict is %v", v)
	}
	return nil
}

func server(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command("fake", append([]string{"--http", "127.0.0.1:0", "--until-eof"}, args[1:]...)...)
	in, err := cmd.StdinPipe()
	ts.Check(err)
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		in.Close()
		_ = cmd.Wait()
	})
	var url string
	if _, err := fmt.Fscanf(stderr, "listening on %s\n", &url); err != nil {
		ts.Fatalf("the fake does not say where it listens: %v", err)
	}
	go io.Copy(io.Discard, stderr)
	ts.Setenv(args[0], url)
}

func retry(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(until(func() error { return ts.Exec(args[0], args[1:]...) }))
}

func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[2]) {
		ts.Fatalf("%s does not contain %q", args[0], args[2])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Replace(text, args[2], args[3], 1)), 0o666))
}

func cut(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text[:len(text)-n]), 0o666))
}

// until asks again and again, for a time, whether something is as it should be.
func until(ok func() error) error {
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := ok()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

// post sends one JSON-RPC message to a URL and prints the answer, as curl would.
func post() {
	req, err := http.NewRequest("POST", os.Args[1], strings.NewReader(os.Args[2]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(resp.Proto, resp.Status)
	_ = resp.Header.Write(os.Stdout)
	_, _ = io.Copy(os.Stdout, resp.Body)
}
