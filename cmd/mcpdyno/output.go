package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdyno/internal/report"
	"mcpdyno/internal/verdict"
	"mcpdyno/result"
)

// outputFlags say where results and reports go.
type outputFlags struct {
	file   string
	format string
	quiet  bool
	strict bool
}

func (f *outputFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "output", "o", "", "result file (default mcpdyno-results/TIME-COMMAND.jsonl), with a report in Markdown beside it; none keeps none")
	flags.StringVar(&f.format, "format", "text", "of the report on stdout: text, json or markdown")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress line")
	flags.BoolVar(&f.strict, "strict", false, "exit 5 unless the run is VALID")
}

// A recording is a result being written, to a file and to memory.
type recording struct {
	path   string // "" when no file is kept
	file   *resultFile
	memory bytes.Buffer
	w      *result.Writer
}

func (f *outputFlags) open(command string) (*recording, error) {
	if err := checkFormat(f.format); err != nil {
		return nil, err
	}
	r := &recording{path: f.file}
	if f.file == "none" {
		r.path = ""
		r.w = result.NewWriter(&r.memory)
		return r, nil
	}
	if f.file == "" {
		r.path = freeName(filepath.Join("mcpdyno-results", time.Now().Format("20060102-150405")+"-"+command))
	}
	if err := os.MkdirAll(filepath.Dir(r.path), 0o777); err != nil {
		return nil, fmt.Errorf("making the folder of the result: %w; choose another with -o, or -o none", err)
	}
	file, err := openResult(r.path)
	if err != nil {
		return nil, fmt.Errorf("making the result file: %w; choose another with -o, or -o none", err)
	}
	r.file = file
	r.w = result.NewWriter(io.MultiWriter(file, &r.memory))
	return r, nil
}

// freeName is the first result name with this beginning that is not taken: two
// runs may begin in one second.
func freeName(begin string) string {
	name := begin + ".jsonl"
	for n := 2; ; n++ {
		if _, err := os.Stat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d.jsonl", begin, n)
	}
}

func (r *recording) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// finish ends the result, prints the report of what was measured, and says how
// the run ended.
func (f *outputFlags) finish(cmd *cobra.Command, rec *recording, failure error) error {
	if rec.memory.Len() == 0 { // nothing was measured
		if rec.file != nil {
			rec.file.discard()
		}
		return failure
	}
	log, err := result.Read(bytes.NewReader(rec.memory.Bytes()))
	if err != nil {
		return err
	}
	interrupted := errors.Is(failure, context.Canceled)
	log.End = rec.w.End(interrupted, failure)
	doc := report.Build(log)
	said, unkept := rec.keep(doc, interrupted, failure)
	if err := write(cmd.OutOrStdout(), doc, f.format); err != nil {
		return err
	}
	fmt.Fprint(cmd.ErrOrStderr(), said)
	failure = cmp.Or(failure, unkept) // a full disk: what was measured has been printed
	if failure != nil && !mixedUp(doc) {
		return failure
	}
	if failure != nil {
		printFailure(failure, cmd.ErrOrStderr())
	}
	return judge(doc, f.strict)
}

// mixedUp says whether answers went to the wrong caller: that is the run's
// result, and calls that were given up for it are no failure beside it.
func mixedUp(doc *report.Document) bool {
	return slices.ContainsFunc(doc.Verdict.Reasons, func(r verdict.Reason) bool { return r.Code == verdict.CodeMismatch })
}

// keep completes the file of a result, writes the report beside it, and says
// where they are.
func (r *recording) keep(doc *report.Document, interrupted bool, failure error) (said string, err error) {
	if err := r.seal(doc, interrupted, failure); err != nil || r.path == "" {
		return "", err
	}
	if !r.file.regular() { // nothing belongs beside a device
		return fmt.Sprintf("The result went to %s.\n", r.path), nil
	}
	page, err := r.writePage(doc)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("The result is in %s, the report in %s; see it again with: mcpdyno report %s\n", r.path, page, r.path), nil
}

// writePage writes the report in Markdown beside the result and returns where.
func (r *recording) writePage(doc *report.Document) (path string, err error) {
	path = strings.TrimSuffix(r.path, ".jsonl") + ".md"
	f, err := os.Create(path)
	if err != nil {
		return "", fmt.Errorf("making the report file: %w", err)
	}
	defer f.Close()
	return path, report.Markdown(f, doc)
}

// seal writes the summary and the end of a result.
func (r *recording) seal(doc *report.Document, interrupted bool, failure error) error {
	raw, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	if err := r.w.Write(&result.Summary{Document: raw}); err != nil {
		return err
	}
	return r.w.Close(interrupted, failure)
}

// judge turns a verdict into an exit code.
func judge(doc *report.Document, strict bool) error {
	if doc.Verdict.Status == "INVALID" || strict && doc.Verdict.Status != "VALID" {
		return errInvalid
	}
	return nil
}
