package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcpdyno/internal/null"
)

type serveFlags struct {
	options null.Options
	stdio   bool
	http    string
}

func serveCommand() *cobra.Command {
	f := &serveFlags{options: null.Options{Version: version}}
	cmd := &cobra.Command{
		Use:         "serve --stdio | --http ADDR",
		Short:       "The built-in null server: it does nothing, so that what is left is the transport",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "mcpdyno serve"}, // it is its own root
		RunE:        func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage(err) })
	o, flags := &f.options, cmd.Flags()
	flags.BoolVar(&f.stdio, "stdio", false, "serve on stdin and stdout")
	flags.StringVar(&f.http, "http", "", "serve streamable HTTP on this address, e.g. 127.0.0.1:8080")
	flags.StringVar(&o.Path, "path", "/mcp", "path of the HTTP endpoint")
	flags.StringVar(&o.Era, "era", "both", "legacy, modern or both")
	flags.StringVar(&o.Answers, "answers", "json", "HTTP answers as json or sse")
	flags.DurationVar(&o.Delay, "delay", 0, "each call waits so long; calls overlap")
	flags.DurationVar(&o.Serial, "serial", 0, "each call takes so long, one at a time")
	flags.DurationVar(&o.CPU, "cpu", 0, "each call keeps a CPU busy so long")
	return cmd
}

func (f *serveFlags) run(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("serve takes no argument %q", args[0])
	}
	if err := f.check(); err != nil {
		return err
	}
	server := null.New(f.options)
	if f.stdio {
		// Nothing wakes a read of stdin: an interrupt ends the server at once.
		context.AfterFunc(cmd.Context(), func() { os.Exit(exitInterrupted) })
		return server.ServeStdio(cmd.Context(), os.Stdin, os.Stdout)
	}
	l, err := net.Listen("tcp", f.http)
	if err != nil {
		return fmt.Errorf("listening on %s: %w", f.http, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "mcpdyno: listening on http://%s%s\n", l.Addr(), f.options.Path)
	return server.ServeHTTP(cmd.Context(), l)
}

func (f *serveFlags) check() error {
	o := f.options
	switch {
	case f.stdio == (f.http != ""):
		return usage(errors.New("serve needs --stdio or --http ADDR, and only one of them"))
	case o.Era != "legacy" && o.Era != "modern" && o.Era != "both":
		return usagef("--era is %q; it can be legacy, modern or both", o.Era)
	case o.Answers != "json" && o.Answers != "sse":
		return usagef("--answers is %q; it can be json or sse", o.Answers)
	case min(o.Delay, o.Serial, o.CPU) < 0 || max(o.Delay, o.Serial, o.CPU) > time.Hour:
		return usagef("--delay, --serial and --cpu go from 0 to 1h")
	}
	return nil
}
