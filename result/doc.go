// Package result is the record of a run (samples, histograms, usage,
// environment) and its file format, written and read as a stream.
//
// It is the only thing that the measuring and the judging halves of mcpdyno
// share:
//
//  1. A caller's every call becomes a [Sample], stamped once ([Sample]).
//  2. A [Tally] sorts the samples of one trial by phase, op and outcome into
//     histograms.
//  3. A [Writer] puts records (run, trial, calls, cold, trial_end, audit, end)
//     into a JSON Lines file as the run goes, so that a crash loses seconds.
//  4. [Read] brings a file back, whole or cut, as a [Log].
//
// Durations are nanoseconds, sizes are bytes, and the unit is in the name of
// every JSON key. The format carries a version ([FormatVersion]); readers read
// all earlier ones. docs/format.md is its description.
package result
