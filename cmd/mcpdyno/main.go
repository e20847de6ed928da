package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"mcpdyno/internal/bench"
	"mcpdyno/internal/proc"
	"mcpdyno/internal/report"
	"mcpdyno/internal/study"
)

// version is what mcpdyno calls itself.
const version = "0.1.0"

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the program as a function: what it prints, and the exit code.
func run(args []string, in io.Reader, out, errw io.Writer) int {
	if len(args) == 1 && args[0] == watchdog {
		return exitCode(proc.Watch(in), errw)
	}
	root := rootCommand
	if len(args) > 0 && args[0] == "serve" { // it starts often and is timed: nothing else is set up
		root, args = serveCommand, args[1:]
	}
	ctx, stop := interruptible(errw)
	defer stop()
	cmd := root()
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errw)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return exitCode(cmd.ExecuteContext(ctx), errw)
}

// watchdog is the argument with which mcpdyno starts itself to watch over the
// servers it starts.
const watchdog = "watchdog"

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:     "mcpdyno",
		Short:   "A dynamometer for MCP servers: what they cost, and whether a difference is real",
		Version: version,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("there is no command %q", args[0])
			}
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	root.AddCommand(transportCommand(), inspectCommand(), serveCommand(), reportCommand())
	return root
}

// interruptible returns a context that ends at the first interrupt. The second
// one ends the program; the watchdog then ends the servers.
func interruptible(errw io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if _, ok := <-signals; !ok {
			return
		}
		cancel()
		if _, ok := <-signals; ok {
			fmt.Fprintln(errw, "mcpdyno: stopped at once")
			os.Exit(exitInterrupted)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		cancel()
	}
}

// The exit codes.
const (
	exitGood        = 0
	exitFailed      = 1 // the tool or the target failed
	exitUsage       = 2
	exitInvalid     = 5 // the run is INVALID, or with --strict not VALID
	exitInterrupted = 130
)

// A usageError is a command line that cannot be carried out.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }

func (e usageError) Unwrap() error { return e.err }

func usage(err error) error { return usageError{err} }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// errInvalid ends a run whose verdict is not good enough; the report says why.
var errInvalid = errors.New("the verdict is not good enough")

// exitCode prints an error, the server's last words below it, and says how the
// program ends.
func exitCode(err error, errw io.Writer) int {
	var wrong usageError
	switch {
	case err == nil:
		return exitGood
	case errors.Is(err, errInvalid):
		return exitInvalid
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(errw, "mcpdyno: interrupted")
		return exitInterrupted
	case errors.As(err, &wrong):
		fmt.Fprintf(errw, "mcpdyno: %s\nSee mcpdyno --help.\n", report.Clean(err.Error()))
		return exitUsage
	}
	printFailure(err, errw)
	return exitFailed
}

// printFailure prints why a run failed, a line a target. What a server said in
// it is made safe for a terminal.
func printFailure(err error, errw io.Writer) {
	all := []error{err}
	var several *study.Failed
	if errors.As(err, &several) {
		all = several.Targets
	}
	for _, err := range all {
		fmt.Fprintf(errw, "mcpdyno: %s\n", report.Clean(err.Error()))
		printTail(err, errw)
	}
}

// printTail shows the last lines that a failed server wrote to its stderr.
func printTail(err error, errw io.Writer) {
	var f *bench.Failure
	if errors.As(err, &f) && len(f.Stderr) > 0 {
		fmt.Fprintln(errw, "The last lines of the server's stderr:")
		for _, line := range f.Stderr {
			fmt.Fprintln(errw, "  "+line)
		}
	}
}
