package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdyno/internal/bench"
	"mcpdyno/internal/mcp"
	"mcpdyno/internal/report"
	"mcpdyno/result"
)

func inspectCommand() *cobra.Command {
	var f targetFlags
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "inspect TARGET | -- command args…",
		Short: "Connects and says what a server is: era, revision, capabilities, tools",
		Long:  "Connects to a server and says what it is and how its tools could be called.\n\n" + targetHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			targets, err := f.parse(cmd, args)
			if err != nil {
				return err
			}
			if len(targets) != 1 {
				return usagef("inspect takes one target, %d were given", len(targets))
			}
			if timeout <= 0 {
				return usagef("--timeout must be above 0")
			}
			return inspect(cmd, targets[0], timeout)
		},
	}
	f.register(cmd)
	cmd.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "deadline of one call and of the server's start")
	return cmd
}

func inspect(cmd *cobra.Command, t *bench.Target, timeout time.Duration) error {
	stand, closeStand, err := newStand(cmd.Context(), result.NewWriter(io.Discard), timeout)
	if err != nil {
		return err
	}
	defer closeStand()
	t.Placement = "none"
	facts, err := stand.Look(cmd.Context(), t)
	if err != nil {
		return fmt.Errorf("inspecting %s: %w", t.Name, err)
	}
	return printFacts(cmd.OutOrStdout(), t, facts)
}

// printFacts prints what was found out. Whatever a server says is made safe for
// a terminal.
func printFacts(w io.Writer, t *bench.Target, f bench.Facts) error {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-14s %s\n", name, report.Clean(value)) }
	i := f.Info
	line("server", strings.TrimSpace(i.Server+" "+i.Version))
	line("protocol", fmt.Sprintf("%s (%s era)", i.Revision, i.Era))
	if len(i.Supported) > 0 {
		line("supports", strings.Join(i.Supported, ", "))
	}
	if t.HTTP() {
		line("answers", f.Answers)
	}
	line("session", session(t, i))
	line("capabilities", orNone(string(i.Capabilities)))
	for _, r := range f.Remarks {
		line("remark", r)
	}
	fmt.Fprintf(&b, "\n%d tools\n", len(f.Tools))
	for _, tool := range f.Tools {
		printTool(&b, tool)
	}
	printChoice(&b, f.Tools, t.Wish)
	_, err := io.WriteString(w, b.String())
	return err
}

func session(t *bench.Target, i mcp.Info) string {
	switch {
	case i.Session:
		return "yes (Mcp-Session-Id)"
	case i.Era == mcp.Legacy && !t.HTTP():
		return "one a process (stdio)"
	}
	return "none"
}

func printTool(b *strings.Builder, t mcp.Tool) {
	hint := ""
	if t.Annotations.ReadOnly {
		hint = "  (only reads)"
	}
	first, _, _ := strings.Cut(t.Description, "\n")
	fmt.Fprintf(b, "  %s%s\n", report.Clean(t.Name), hint)
	if first != "" {
		fmt.Fprintf(b, "      %s\n", report.Clean(first))
	}
	if args, err := json.Marshal(mcp.Suggest(t)); err == nil {
		fmt.Fprintf(b, "      --args '%s'\n", report.Clean(string(args)))
	}
}

func printChoice(b *strings.Builder, tools []mcp.Tool, w mcp.Wish) {
	op, err := mcp.Choose(tools, w)
	if err != nil {
		fmt.Fprintf(b, "\nmcpdyno would call none: %s\n", report.Clean(err.Error()))
		return
	}
	fmt.Fprintf(b, "\nmcpdyno would call %s: %s\n", report.Clean(op.Tool), op.Why)
}

func orNone(text string) string {
	if text == "" {
		return "none said"
	}
	return text
}
