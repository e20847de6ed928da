package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcpdyno/internal/bench"
	"mcpdyno/internal/mcp"
	"mcpdyno/internal/proc"
	"mcpdyno/internal/study"
	"mcpdyno/result"
)

type transportFlags struct {
	targets   targetFlags
	out       outputFlags
	plan      result.Plan
	sizes     string
	work      time.Duration
	timeout   time.Duration
	placement string
	seed      uint64
	dryRun    bool
}

func transportCommand() *cobra.Command {
	f := &transportFlags{}
	cmd := &cobra.Command{
		Use:   "transport [flags] [TARGET…] [-- command args…]",
		Short: "What a transport costs: cold start, round trip by size, calls in flight, keep-alive",
		Long: `Measures what a transport costs, on this machine: the cold start, the round trip
by answer size, a batch of calls in flight at once, and what a connection that
is kept alive saves. Without a TARGET the built-in null server is measured over
stdio and HTTP; with several, each is compared with the first.

` + targetHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			targets, err := f.targets.parse(cmd, args)
			if err != nil {
				return err
			}
			if len(targets) == 0 {
				if err := f.targets.none(cmd); err != nil {
					return err
				}
			}
			return f.run(cmd, targets)
		},
	}
	f.targets.register(cmd)
	f.out.register(cmd)
	f.register(cmd)
	return cmd
}

func (f *transportFlags) register(cmd *cobra.Command) {
	p, flags := &f.plan, cmd.Flags()
	flags.IntVar(&p.Blocks, "blocks", 10, "rounds, each from a fresh process in a random order; the intervals are over them")
	flags.IntVarP(&p.Warmup, "warmup", "w", 50, "calls before each size, not counted")
	flags.IntVar(&p.Runs, "runs", 400, "calls per size and target, one in flight")
	flags.StringVar(&f.sizes, "sizes", "1KB,16KB,64KB,256KB", "answer sizes (1KB is 1,024 bytes)")
	flags.IntVar(&p.InFlight, "in-flight", 8, "calls in a batch, all in flight at once; 1 leaves the batches out")
	flags.IntVar(&p.Batches, "batches", 60, "batches per size and target")
	flags.IntVar(&p.ColdStarts, "cold-starts", 25, "fresh processes per target")
	flags.DurationVar(&f.work, "work", 200*time.Millisecond, "work of the null server in the last part; 0 leaves it out")
	flags.DurationVar(&f.timeout, "timeout", 30*time.Second, "deadline of one call and of a server's start")
	flags.StringVar(&f.placement, "placement", "", "CPUs of server and mcpdyno: split, shared or none (default split where it is possible)")
	flags.StringVar(&p.Matrix, "matrix", "default", "default, or full: both eras, JSON and SSE answers, both placements")
	flags.BoolVar(&f.dryRun, "dry-run", false, "look at the targets, say what would be done and about how long it takes")
	flags.Uint64Var(&f.seed, "seed", 1, "of the order in which targets take turns")
}

func (f *transportFlags) check() (err error) {
	p := &f.plan
	if p.SizesBytes, err = parseSizes(f.sizes); err != nil {
		return err
	}
	if err := checkCounts(p); err != nil {
		return err
	}
	if p.Matrix != "default" && p.Matrix != "full" {
		return usagef("--matrix is %q; it can be default or full", p.Matrix)
	}
	if f.placement != "" && f.placement != "split" && f.placement != "shared" && f.placement != "none" {
		return usagef("--placement is %q; it can be split, shared or none", f.placement)
	}
	if f.timeout <= 0 || f.work < 0 {
		return usagef("--timeout must be above 0, and --work 0 or more")
	}
	if p.InFlight == 1 { // one in flight is the round trip
		p.Batches = 0
	}
	p.WorkNS, p.WorkBatches, p.TimeoutNS, p.Margin = int64(f.work), 5, int64(f.timeout), 0.02
	return nil
}

// checkCounts keeps the counts in bounds; a count of calls may be whatever
// somebody has the patience for.
func checkCounts(p *result.Plan) error {
	const many = 1_000_000_000
	for _, n := range []struct {
		name               string
		value, least, most int
	}{{"blocks", p.Blocks, 1, 10_000}, {"warmup", p.Warmup, 0, many}, {"runs", p.Runs, 0, many}, {"in-flight", p.InFlight, 1, 10_000},
		{"batches", p.Batches, 0, many}, {"cold-starts", p.ColdStarts, 0, many}} {
		if n.value < n.least {
			return usagef("--%s is %d; the least is %d", n.name, n.value, n.least)
		}
		if n.value > n.most {
			return usagef("--%s is %d; the most is %d", n.name, n.value, n.most)
		}
	}
	return nil
}

func (f *transportFlags) run(cmd *cobra.Command, targets []*bench.Target) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.dryRun {
		f.out.file = "none"
	}
	rec, err := f.out.open("transport")
	if err != nil {
		return err
	}
	defer rec.close()
	stand, closeStand, err := newStand(cmd.Context(), rec.w, f.timeout)
	if err != nil {
		return err
	}
	defer closeStand()
	progress := newProgress(cmd.ErrOrStderr(), f.out.quiet)
	s := &study.Transport{Bench: stand, Targets: targets, Plan: f.plan, Revision: f.targets.protocol, Placement: f.placement, Seed: f.seed,
		Exe: stand.Exe, Args: redactArgs(os.Args, targets), Progress: progress.show, DryRun: f.dryRun}
	failure := s.Run(cmd.Context())
	progress.clear()
	if f.dryRun && failure == nil {
		return s.Outline(cmd.OutOrStdout())
	}
	return f.out.finish(cmd, rec, failure)
}

// newStand starts what trials need.
func newStand(ctx context.Context, w *result.Writer, timeout time.Duration) (*bench.Bench, func(), error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, fmt.Errorf("finding mcpdyno's own binary: %w", err)
	}
	keeper, err := proc.NewKeeper(ctx, exe)
	if err != nil {
		return nil, nil, fmt.Errorf("starting the watchdog: %w", err)
	}
	b := &bench.Bench{Keeper: keeper, Out: w, Start: time.Now(), Timeout: timeout, Version: version, IDs: new(mcp.IDs), Exe: exe}
	return b, func() { keeper.Close() }, nil
}
