package bench

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"testing"
	"time"

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

// serve is the null server, with the flags that tests here need.
func serve(args []string) error {
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	stdio, address := f.Bool("stdio", false, ""), f.String("http", "", "")
	if err := f.Parse(args); err != nil {
		return err
	}
	server := null.New(null.Options{Version: "test"})
	if *stdio {
		return server.ServeStdio(context.Background(), os.Stdin, os.Stdout)
	}
	l, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	return server.ServeHTTP(context.Background(), l)
}

// A stand is a bench whose result can be read.
type stand struct {
	*Bench
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
	s.Bench = &Bench{Keeper: keeper, Out: result.NewWriter(&s.written), Start: time.Now(), Timeout: 30 * time.Second,
		Version: "test", IDs: new(mcp.IDs), Exe: exe}
	if err := s.Out.Write(&result.Run{Format: result.FormatVersion}); err != nil {
		t.Fatal(err)
	}
	return s
}

// log is what was written so far.
func (s *stand) log() *result.Log {
	s.t.Helper()
	log, err := result.Read(bytes.NewReader(s.written.Bytes()))
	if err != nil || log.SyntaxErrors != nil {
		s.t.Fatalf("reading the result: %v, %v", err, log.SyntaxErrors)
	}
	return log
}

// end is how the only trial ended.
func (s *stand) end() *result.TrialEnd {
	s.t.Helper()
	log := s.log()
	if len(log.Trials) != 1 || len(log.Ends) != 1 {
		s.t.Fatalf("%d trials began and %d ended, want one", len(log.Trials), len(log.Ends))
	}
	return log.Ends[0]
}

// stdio and web are targets whose server is this test binary.
func (s *stand) stdio(args ...string) *Target {
	return &Target{Name: "stdio", Command: append([]string{s.Exe}, args...), Placement: "none"}
}

func (s *stand) web(args ...string) *Target {
	command := slices.Concat([]string{s.Exe}, args, []string{"--http", "127.0.0.1:{port}"})
	return &Target{Name: "http", Command: command, URL: "http://127.0.0.1:{port}/mcp", Placement: "none"}
}

// counts says how many values a phase has of each size and outcome.
func counts(log *result.Log, phase string) map[string]int64 {
	n := map[string]int64{}
	for _, c := range log.Calls {
		if c.Phase == phase {
			n[fmt.Sprintf("%d bytes %v", c.Size, c.Outcome)] += c.N
		}
	}
	return n
}

func failureIn(t *testing.T, err error) *Failure {
	t.Helper()
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		t.Fatalf("%v is no Failure", err)
	}
	return f
}
