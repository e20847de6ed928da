package fake

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// options are the command line.
type options struct {
	name     string        // case; "" is well-behaved
	stdio    bool          // serve stdin and stdout
	http     string        // or this address
	era      string        // legacy, modern or both
	answers  string        // json or sse, over HTTP
	on       string        // the method that triggers the case; "" is the case's own choice
	after    int           // triggers let off first
	delay    time.Duration // the case's delay; 0 is the case's own choice
	idle     time.Duration // HTTP: connections idle for this long are closed; 0 never
	life     time.Duration // ends a server that nothing else ends
	seed     uint64        // of random delays
	token    string        // HTTP: 401 without this bearer token; "" wants none
	untilEOF bool          // HTTP: end when stdin does
	list     bool
}

// exit ends the program with its value as the exit code.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Main runs the fake server with the command line args (without the program's
// name) and returns its exit code: 0 at the end of input, 2 for wrong usage,
// else what the case says. `--list` prints the cases. Over HTTP the address is
// printed on errw as "listening on URL".
func Main(args []string, in io.Reader, out, errw io.Writer) int {
	o, err := parse(args, errw)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(errw, "fake:", err)
		return 2
	case o.list:
		return exitCode(list(out), errw)
	}
	b := cases()[o.name]
	if o.delay == 0 {
		o.delay = b.delay
	}
	s := &server{opt: o, does: b, in: in, out: out, errw: errw}
	return exitCode(s.run(), errw)
}

func parse(args []string, errw io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("fake", flag.ContinueOnError)
	f.SetOutput(errw)
	f.StringVar(&o.name, "case", "", "misbehave as this `case` does (see --list)")
	f.BoolVar(&o.stdio, "stdio", false, "serve stdin and stdout")
	f.StringVar(&o.http, "http", "", "serve http://`ADDR`/mcp; port 0 picks a free one")
	f.StringVar(&o.era, "era", "legacy", "legacy, modern or both")
	f.StringVar(&o.answers, "answers", "json", "json or sse, over HTTP")
	f.StringVar(&o.on, "on", "", "the `METHOD` that triggers the case, or *")
	f.IntVar(&o.after, "after", 0, "behave well for the first `N` of them")
	f.DurationVar(&o.delay, "delay", 0, "the case's delay")
	f.DurationVar(&o.idle, "idle", 0, "close HTTP connections idle for this long")
	f.DurationVar(&o.life, "life", 10*time.Minute, "end by itself after this long (HTTP, A08)")
	f.Uint64Var(&o.seed, "seed", 1, "of random delays")
	f.StringVar(&o.token, "token", "", "HTTP: answer 401 without the bearer token `T`")
	f.BoolVar(&o.untilEOF, "until-eof", false, "HTTP: end when stdin does")
	f.BoolVar(&o.list, "list", false, "print the cases")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	return o, o.check(f.Args())
}

// check says what is wrong with the command line.
func (o *options) check(rest []string) error {
	b, known := cases()[o.name]
	transport := "http"
	if o.stdio {
		transport = "stdio"
	}
	switch {
	case o.list:
		return nil
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case !known:
		return fmt.Errorf("unknown case %q: --list prints them", o.name)
	case o.stdio == (o.http != ""):
		return errors.New("give either --stdio or --http ADDR")
	case b.only != "" && b.only != transport:
		return fmt.Errorf("case %s has no %s form", o.name, transport)
	case !slices.Contains([]string{"legacy", "modern", "both"}, o.era):
		return fmt.Errorf("unknown era %q: legacy, modern or both", o.era)
	case o.answers != "json" && o.answers != "sse":
		return fmt.Errorf("unknown answers %q: json or sse", o.answers)
	}
	return nil
}

func list(w io.Writer) error {
	table := cases()
	for _, name := range slices.Sorted(maps.Keys(table)) {
		where := table[name].only
		if where == "" {
			where = "both"
		}
		if _, err := fmt.Fprintf(w, "%-22s %-6s %s\n", name, where, table[name].does); err != nil {
			return fmt.Errorf("printing the cases: %w", err)
		}
	}
	return nil
}

func (s *server) run() error {
	if s.does.start != nil {
		if err := s.does.start(s); err != nil {
			return err
		}
	}
	if s.opt.stdio {
		return s.serveStdio()
	}
	return s.serveHTTP()
}

func exitCode(err error, errw io.Writer) int {
	var code exit
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintln(errw, "fake:", err)
	return 1
}
