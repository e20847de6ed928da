package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"mcpdyno/result"
)

var errFull = errors.New("the disk is full")

// A smallDisk takes so many writes.
type smallDisk int

func (d *smallDisk) Write(p []byte) (int, error) {
	if *d--; *d < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// What was measured before the disk was full is printed, and the run has failed.
func TestReportOnAFullDisk(t *testing.T) {
	var out, errs bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	for _, room := range []smallDisk{1, 2, 3} {
		out.Reset()
		rec := &recording{path: "r.jsonl"}
		rec.w = result.NewWriter(io.MultiWriter(&room, &rec.memory))
		cause := errors.Join(
			rec.w.Write(&result.Run{Format: result.FormatVersion, Command: "transport", Started: time.Unix(0, 0)}),
			rec.w.Write(&result.Note{Code: "seen", Text: "before it was full"}))
		f := &outputFlags{format: "text"}
		if err := f.finish(cmd, rec, cause); !errors.Is(err, errFull) {
			t.Errorf("the error is %v, want %v", err, errFull)
		}
		if !strings.HasPrefix(out.String(), "mcpdyno transport\n") {
			t.Errorf("the report is %q", out.String())
		}
		if strings.Contains(errs.String(), "The result is in") {
			t.Errorf("a result that was not finished is offered: %s", &errs)
		}
	}
}
