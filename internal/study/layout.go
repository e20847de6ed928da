package study

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdyno/internal/bench"
	"mcpdyno/internal/mcp"
	"mcpdyno/result"
)

// layOut makes the list of targets: those asked for, the fresh twins of the
// HTTP ones, the null server beside them, and the null server with work to do.
func (t *Transport) layOut() error {
	placements, err := t.placements()
	if err != nil {
		return err
	}
	for _, placement := range placements {
		if len(t.Targets) == 0 {
			t.addNull(placement)
			continue
		}
		t.addAsked(placement)
	}
	if t.Plan.WorkNS > 0 {
		t.addWork(placements[0])
	}
	return t.uniqueNames()
}

// placements are those to be measured: one, or with the full matrix two. A
// server that runs already cannot be placed, so then none is by default.
func (t *Transport) placements() ([]string, error) {
	policy := t.Placement
	if policy == "" && slices.ContainsFunc(t.Targets, func(b *bench.Target) bool { return !b.Started() }) {
		policy = "none"
	}
	p, err := t.Bench.Keeper.Placement(policy)
	if err != nil {
		return nil, err
	}
	if t.Plan.Matrix == "full" && p.Policy == "split" {
		return []string{"split", "shared"}, nil
	}
	return []string{p.Policy}, nil
}

func (t *Transport) full() bool { return t.Plan.Matrix == "full" }

// addNull adds the null server: in the full matrix in both eras, and over HTTP
// with both forms of answers. A revision that was asked for is the only one.
func (t *Transport) addNull(placement string) {
	revisions := []string{t.Revision}
	if t.full() && (t.Revision == "" || t.Revision == mcp.Auto) {
		revisions = []string{mcp.LatestLegacy, mcp.Latest}
	}
	for _, revision := range revisions {
		t.add(t.null("stdio", "json", placement, revision))
		web := t.null("http", "json", placement, revision)
		t.add(web)
		t.add(freshTwin(web)).twin = true
		if t.full() {
			t.add(t.null("http", "sse", placement, revision))
		}
	}
}

// addAsked adds the user's targets, each HTTP one with its fresh twin, and the
// null server on the same transports as their floor.
func (t *Transport) addAsked(placement string) {
	var kinds []string
	for _, asked := range t.Targets {
		own := *asked
		own.Placement, own.Role = placement, result.RoleTarget
		t.add(&own)
		kinds = append(kinds, kindOf(&own))
		if own.HTTP() && !own.Fresh {
			twin := freshTwin(&own)
			t.add(twin).twin = true
			kinds = append(kinds, kindOf(twin))
		}
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	for _, kind := range kinds {
		floor := t.null(strings.TrimSuffix(kind, " fresh"), "json", placement, "")
		floor.Role, floor.Name = result.RoleFloor, "null "+kind
		floor.Fresh = strings.HasSuffix(kind, " fresh")
		t.add(floor).twin = floor.Fresh && slices.Contains(kinds, "http")
	}
}

func kindOf(b *bench.Target) string {
	switch {
	case b.Fresh:
		return "http fresh"
	case b.HTTP():
		return "http"
	}
	return "stdio"
}

// freshTwin is the same target with a new connection for every call.
func freshTwin(of *bench.Target) *bench.Target {
	twin := *of
	twin.Name, twin.Fresh = of.Name+" fresh", true
	return &twin
}

// null is the built-in null server on a transport.
func (t *Transport) null(kind, answers, placement, revision string, flags ...string) *bench.Target {
	b := &bench.Target{Name: kind, Role: result.RoleTarget, Revision: revision, Placement: placement,
		Wish: mcp.Wish{Tool: "payload", SizeArg: "bytes"}}
	b.Command = []string{t.Exe, "serve", "--answers", answers}
	if kind == "http" {
		b.URL = "http://127.0.0.1:{port}/mcp"
		b.Command = append(b.Command, "--http", "127.0.0.1:{port}")
	} else {
		b.Command = append(b.Command, "--stdio")
	}
	if answers == "sse" {
		b.Name += " sse"
	}
	b.Command = append(b.Command, flags...)
	return b
}

// addWork adds the null server with work: calls that overlap, and one at a time.
func (t *Transport) addWork(placement string) {
	work := time.Duration(t.Plan.WorkNS).String()
	kinds := map[string]bool{}
	for _, e := range t.all {
		kinds[strings.TrimSuffix(kindOf(e.Target), " fresh")] = true
	}
	for _, kind := range []string{"stdio", "http"} {
		if !kinds[kind] {
			continue
		}
		overlap := t.null(kind, "json", placement, "", "--delay", work)
		overlap.Work, overlap.Role, overlap.Name = "overlap", result.RoleWork, kind+" overlapping"
		serial := t.null(kind, "json", placement, "", "--serial", work)
		serial.Work, serial.Role, serial.Name = "serial", result.RoleWork, kind+" serial"
		t.add(overlap)
		t.add(serial)
	}
}

func (t *Transport) add(b *bench.Target) *entry {
	e := &entry{Target: b}
	t.all = append(t.all, e)
	return e
}

// uniqueNames makes sure that a name in the report means one target: in the full
// matrix it says the era and the placement.
func (t *Transport) uniqueNames() error {
	seen := map[string]int{}
	for _, e := range t.all {
		if t.full() && e.Role != result.RoleWork {
			e.Name = strings.Join(slices.DeleteFunc([]string{e.Name, eraOf(e), e.Placement}, func(s string) bool { return s == "" }), " ")
		}
		if seen[e.Name]++; seen[e.Name] > 1 {
			return fmt.Errorf("two targets are called %q; give each a name: '[name=…]TARGET'", e.Name)
		}
	}
	return nil
}

// relate says of every target which null target is its floor.
func (t *Transport) relate() {
	for _, e := range t.all {
		for j, other := range t.all {
			if e.record.FloorTarget < 0 && e.Role == result.RoleTarget && other.Role == result.RoleFloor && kindOf(e.Target) == kindOf(other.Target) &&
				e.Placement == other.Placement {
				e.record.FloorTarget = j
			}
		}
	}
}
