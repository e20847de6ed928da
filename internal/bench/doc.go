// Package bench runs one trial from cold start to last sample: where mcp, proc
// and load meet.
//
//  1. [Bench.Probe] finds out, before anything is timed, what a target is.
//  2. [Bench.Steady] runs one trial: start, open, warm up, load, drain, stop.
//  3. [Bench.Cold] measures one cold start, each stage by its own mark.
//
// A trial that fails keeps what it measured. Everything goes to the result
// writer as it is known.
package bench
