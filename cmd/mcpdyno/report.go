package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcpdyno/internal/report"
	"mcpdyno/result"
)

func reportCommand() *cobra.Command {
	var format string
	var check, strict bool
	cmd := &cobra.Command{
		Use:   "report RESULT",
		Short: "Prints the report of a result file, or checks it",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("report takes one result file, %d were given", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFormat(format); err != nil {
				return err
			}
			log, err := result.ReadFile(args[0])
			if err != nil {
				return err
			}
			if check {
				return checkResult(cmd.OutOrStdout(), args[0], log)
			}
			doc := report.Build(log)
			if err := write(cmd.OutOrStdout(), doc, format); err != nil {
				return err
			}
			return judge(doc, strict)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json or markdown")
	cmd.Flags().BoolVar(&check, "check", false, "recompute every printed figure from the stored histograms")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit 5 unless the run is VALID")
	return cmd
}

// checkResult recomputes what a result's summary says.
func checkResult(w io.Writer, path string, log *result.Log) error {
	wrong := report.Check(log)
	for _, e := range log.SyntaxErrors {
		wrong = append(wrong, fmt.Errorf("%s: %w", path, e))
	}
	for _, e := range wrong {
		fmt.Fprintln(w, e)
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%s does not check: %d things are wrong", path, len(wrong))
	}
	_, err := fmt.Fprintf(w, "%s checks: every printed figure follows from the stored histograms\n", path)
	return err
}

var formats = [...]string{"text", "json", "markdown"}

func checkFormat(format string) error {
	if !slices.Contains(formats[:], format) {
		return usagef("--format is %q; it can be %s", format, strings.Join(formats[:], ", "))
	}
	return nil
}

// write writes a report. Colour and the width of the window are for terminals
// only.
func write(w io.Writer, doc *report.Document, format string) error {
	switch format {
	case "json":
		return report.JSON(w, doc)
	case "markdown":
		return report.Markdown(w, doc)
	}
	var o report.Options
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.Color = os.Getenv("NO_COLOR") == ""
		o.Width, _, _ = term.GetSize(int(f.Fd()))
	}
	return report.Text(w, doc, o)
}
