package study

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"mcpdyno/internal/bench"
	"mcpdyno/internal/fake"
	"mcpdyno/internal/mcp"
	"mcpdyno/internal/null"
	"mcpdyno/internal/proc"
	"mcpdyno/result"
)

// TestMain lets the test binary stand in for mcpdyno ("watchdog", "serve") and
// for a server with bad habits ("fake").
func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")) // or a server takes 1 s to end under -race
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	switch args := os.Args[2:]; os.Args[1] {
	case "watchdog":
		exit(proc.Watch(os.Stdin))
	case "serve":
		exit(serve(args))
	case "fake":
		os.Exit(fake.Main(args, os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve is the null server, with the flags that a study gives it.
func serve(args []string) error {
	o := null.Options{Version: "test"}
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	stdio, address := f.Bool("stdio", false, ""), f.String("http", "", "")
	f.StringVar(&o.Answers, "answers", "json", "")
	f.DurationVar(&o.Delay, "delay", 0, "")
	f.DurationVar(&o.Serial, "serial", 0, "")
	if err := f.Parse(args); err != nil {
		return err
	}
	server := null.New(o)
	if *stdio {
		return server.ServeStdio(context.Background(), os.Stdin, os.Stdout)
	}
	l, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	return server.ServeHTTP(context.Background(), l)
}

// A stand is a small study whose result can be read.
type stand struct {
	*Transport
	t       *testing.T
	written bytes.Buffer
}

func newStand(t *testing.T) *stand {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := proc.NewKeeper(context.Background(), exe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := keeper.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stand{t: t}
	b := &bench.Bench{Keeper: keeper, Out: result.NewWriter(&s.written), Start: time.Now(), Timeout: 30 * time.Second,
		Version: "test", IDs: new(mcp.IDs), Exe: exe}
	s.Transport = &Transport{Bench: b, Exe: exe, Placement: "none", Seed: 1, Plan: result.Plan{
		Blocks: 2, Runs: 2, SizesBytes: []int{64, 128}, InFlight: 2, Batches: 2, Matrix: "default"}}
	return s
}

// log is what was written.
func (s *stand) log() *result.Log {
	s.t.Helper()
	log, err := result.Read(bytes.NewReader(s.written.Bytes()))
	if err != nil || log.SyntaxErrors != nil {
		s.t.Fatalf("reading the result: %v, %v", err, log.SyntaxErrors)
	}
	return log
}

// started are targets of the user's whose server is this test binary.
func (s *stand) started(name string, args ...string) *bench.Target {
	return &bench.Target{Name: name, Command: append([]string{s.Exe}, args...)}
}

// trials lists the trials of a kind in order: the target's name and the round.
func trials(log *result.Log, kind string) (list []string) {
	for _, at := range log.Trials {
		if at.Kind == kind {
			list = append(list, fmt.Sprintf("%s in %d", log.Run.Targets[at.Target].Name, at.Round))
		}
	}
	return list
}
