package main

import (
	"bufio"
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
//	server NAME command args…  an HTTP server that mcpdyno does not start; its URL is $NAME
//	figure FILE PATH OP VALUE  compares a figure of a JSON document (figure_test.go)
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
	if code := outcome(ts, args[1:]); !slices.Contains(strings.Split(args[0], "|"), code) {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// outcome runs a command and returns its exit code.
func outcome(ts *testscript.TestScript, args []string) string {
	err := ts.Exec(args[0], args[1:]...)
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return strconv.Itoa(ended.ExitCode())
	}
	ts.Check(err)
	return "0"
}

func measure(ts *testscript.TestScript, _ bool, args []string) {
	small := strings.Fields("mcpdyno transport --blocks 1 --warmup 2 --runs 6 --batches 2 --in-flight 2 --cold-starts 1 " +
		"--work 0 --sizes 1KB --placement none --timeout 5s --format json -o r.jsonl")
	code := outcome(ts, append(small, args[1:]...))
	if code == "5" && args[0] == "0" {
		ts.Check(blameless(ts.ReadFile("r.jsonl")))
		code = "0"
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
	ts.Check(gone(ts.Getenv("WORK")))
}

// blameless is an error unless the machine alone may have spoiled a verdict:
// mcpdyno was late, and nothing worse.
func blameless(text string) error {
	log, err := result.Read(strings.NewReader(text))
	if err != nil {
		return err
	}
	v := verdict.Judge(log)
	late := slices.ContainsFunc(v.Reasons, func(r verdict.Reason) bool { return r.Code == verdict.CodeLag })
	worse := slices.ContainsFunc(v.Reasons, func(r verdict.Reason) bool {
		return r.Code == verdict.CodeMismatch || r.Code == verdict.CodeOutcomesDisagree || r.Code == verdict.CodeDamagedFile
	})
	if !late || worse {
		return fmt.Errorf("the verdict is %v", v)
	}
	return nil
}

func server(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(args[1], args[2:]...)
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
	if err != nil || !ok {
		ts.Fatalf("%s does not say where it listens but %q: %v", args[1], line, err)
	}
	go io.Copy(io.Discard, lines)
	ts.Setenv(args[0], url)
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
