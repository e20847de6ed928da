package study

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcpdyno/internal/bench"
	"mcpdyno/internal/mcp"
	"mcpdyno/internal/proc"
	"mcpdyno/result"
)

// summary says what a test wants to know of the targets: name, role, kind.
func summary(t *Transport) (list []string) {
	for _, e := range t.all {
		list = append(list, fmt.Sprintf("%s: %s over %s", e.Name, e.Role, kindOf(e.Target)))
	}
	return list
}

func TestLayOut(t *testing.T) {
	local := func(name string) *bench.Target { return &bench.Target{Name: name, Command: []string{"server"}} }
	web := func(name string) *bench.Target {
		return &bench.Target{Name: name, Command: []string{"server"}, URL: "http://127.0.0.1:{port}/mcp"}
	}
	remote := &bench.Target{Name: "far", URL: "https://example.com/mcp"}
	fresh := web("mine")
	fresh.Fresh = true
	for _, c := range []struct {
		name    string
		targets []*bench.Target
		work    int64
		want    []string
	}{
		{"the null server", nil, 0, []string{"stdio: target over stdio", "http: target over http", "http fresh: target over http fresh"}},
		{"a stdio server", []*bench.Target{local("mine")}, 0, []string{"mine: target over stdio", "null stdio: floor over stdio"}},
		{"an HTTP server", []*bench.Target{web("mine")}, 0, []string{"mine: target over http", "mine fresh: target over http fresh",
			"null http: floor over http", "null http fresh: floor over http fresh"}},
		{"asked for fresh", []*bench.Target{fresh}, 0, []string{"mine: target over http fresh", "null http fresh: floor over http fresh"}},
		{"one floor for two", []*bench.Target{local("a"), local("b")}, 0, []string{"a: target over stdio", "b: target over stdio", "null stdio: floor over stdio"}},
		{"of both kinds", []*bench.Target{local("a"), web("b")}, 0, []string{"a: target over stdio", "b: target over http", "b fresh: target over http fresh",
			"null http: floor over http", "null http fresh: floor over http fresh", "null stdio: floor over stdio"}},
		{"elsewhere", []*bench.Target{remote}, 0, []string{"far: target over http", "far fresh: target over http fresh",
			"null http: floor over http", "null http fresh: floor over http fresh"}},
		{"with work", nil, 1e6, []string{"stdio: target over stdio", "http: target over http", "http fresh: target over http fresh",
			"stdio overlapping: work over stdio", "stdio serial: work over stdio", "http overlapping: work over http", "http serial: work over http"}},
		{"work of the kinds there are", []*bench.Target{fresh}, 1e6, []string{"mine: target over http fresh", "null http fresh: floor over http fresh",
			"http overlapping: work over http", "http serial: work over http"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &Transport{Targets: c.targets, Exe: "mcpdyno", Placement: "none", Plan: result.Plan{WorkNS: c.work, Matrix: "default"}}
			if err := s.layOut(); err != nil {
				t.Fatal(err)
			}
			if got := summary(s); !slices.Equal(got, c.want) {
				t.Errorf("laid out\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
	if fresh.Placement != "" || remote.Role != "" {
		t.Error("the targets as given were changed")
	}
}

// The full matrix has the null server in both eras and both forms of answers,
// each of another name.
func TestFullMatrix(t *testing.T) {
	s := &Transport{Exe: "mcpdyno", Placement: "none", Plan: result.Plan{Matrix: "full"}}
	if err := s.layOut(); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, era := range []string{mcp.Legacy, mcp.Modern} {
		for _, name := range []string{"stdio", "http", "http fresh", "http sse"} {
			kind := strings.TrimSuffix(name, " sse")
			want = append(want, fmt.Sprintf("%s %s none: target over %s", name, era, kind))
		}
	}
	if got := summary(s); !slices.Equal(got, want) {
		t.Errorf("laid out\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNullServerIsStartedAsItIsNamed(t *testing.T) {
	s := &Transport{Exe: "/bin/mcpdyno", Placement: "none", Plan: result.Plan{Matrix: "full", WorkNS: 2e6}}
	if err := s.layOut(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"stdio legacy none":    "/bin/mcpdyno serve --answers json --stdio",
		"http fresh none":      "",
		"http sse modern none": "/bin/mcpdyno serve --answers sse --http 127.0.0.1:{port}",
		"http overlapping":     "/bin/mcpdyno serve --answers json --http 127.0.0.1:{port} --delay 2ms",
		"stdio serial":         "/bin/mcpdyno serve --answers json --stdio --serial 2ms",
	} {
		got := ""
		for _, e := range s.all {
			if e.Name == name {
				got = strings.Join(e.Command, " ")
			}
		}
		if got != want {
			t.Errorf("%s is started by %q, want %q", name, got, want)
		}
	}
}

func TestPlacements(t *testing.T) {
	own, err := proc.NewPlacement("")
	if err != nil {
		t.Fatal(err)
	}
	both := []string{own.Policy}
	if own.Policy == "split" {
		both = []string{"split", "shared"}
	}
	ours := &bench.Target{Name: "ours", Command: []string{"server"}}
	runs := &bench.Target{Name: "runs", URL: "http://127.0.0.1:80/mcp"}
	for _, c := range []struct {
		name, placement, matrix string
		targets                 []*bench.Target
		want                    []string
	}{
		{"default", "", "default", nil, []string{own.Policy}},
		{"started by mcpdyno", "", "default", []*bench.Target{ours}, []string{own.Policy}},
		{"one runs already", "", "default", []*bench.Target{ours, runs}, []string{"none"}},
		{"asked for", "none", "default", []*bench.Target{ours}, []string{"none"}},
		{"asked for where one runs already", own.Policy, "default", []*bench.Target{runs}, []string{own.Policy}},
		{"full", "", "full", nil, both},
		{"full without pinning", "none", "full", nil, []string{"none"}},
		{"full where one runs already", "", "full", []*bench.Target{runs}, []string{"none"}},
	} {
		s := &Transport{Targets: c.targets, Placement: c.placement, Plan: result.Plan{Matrix: c.matrix}}
		got, err := s.placements()
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	s := &Transport{Placement: "moon"}
	if err := s.layOut(); err == nil || !strings.Contains(err.Error(), "use split, shared or none") {
		t.Errorf("an unknown placement: %v", err)
	}
}

// Each placement of the full matrix has its own targets and its own floors.
func TestRelate(t *testing.T) {
	s := &Transport{}
	add := func(name string, role result.Role, url string, fresh bool, placement string) {
		s.add(&bench.Target{Name: name, Role: role, URL: url, Fresh: fresh, Placement: placement})
		s.all[len(s.all)-1].record.FloorTarget = -1
	}
	const url = "http://127.0.0.1/mcp"
	for _, p := range []string{"split", "shared"} {
		add("web "+p, result.RoleTarget, url, false, p)
		add("web fresh "+p, result.RoleTarget, url, true, p)
		add("pipe "+p, result.RoleTarget, "", false, p)
		add("floor fresh "+p, result.RoleFloor, url, true, p)
		add("floor "+p, result.RoleFloor, url, false, p)
	}
	add("work", result.RoleWork, url, false, "split")
	s.relate()
	for _, e := range s.all {
		want := map[string]string{
			"web split": "floor split", "web fresh split": "floor fresh split",
			"web shared": "floor shared", "web fresh shared": "floor fresh shared",
		}[e.Name]
		got := ""
		if i := e.record.FloorTarget; i >= 0 {
			got = s.all[i].Name
		}
		if got != want {
			t.Errorf("the floor of %q is %q, want %q", e.Name, got, want)
		}
	}
}

func TestUniqueNames(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a", "b"}, ""},
		{[]string{"a", "a"}, `two targets are called "a"; give each a name`},
		{[]string{"a", "a fresh"}, `two targets are called "a fresh"`},
		{[]string{"null http", "b"}, `two targets are called "null http"`},
	} {
		s := &Transport{Placement: "none"}
		for _, name := range c.names {
			s.Targets = append(s.Targets, &bench.Target{Name: name, URL: "http://127.0.0.1/mcp"})
		}
		err := s.layOut()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.names, err, c.want)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for _, c := range [][3]int{{0, 10, 0}, {1, 10, 10}, {10, 10, 10}, {25, 10, 30}, {400, 10, 400}, {7, 1, 7}} {
		if got := roundUp(c[0], c[1]); got != c[2] {
			t.Errorf("%d in %d blocks are %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

// Sizes are asked for as long as any target of the user's can be asked.
func TestEffectiveSizes(t *testing.T) {
	entryOf := func(name string, role result.Role, sized, fresh bool) *entry {
		return &entry{Target: &bench.Target{Name: name, Role: role, Fresh: fresh, URL: "http://127.0.0.1/mcp"}, sized: sized,
			facts: bench.Facts{Op: mcp.Op{Tool: "tool-of-" + name}}}
	}
	floor := entryOf("floor", result.RoleFloor, true, false)
	for _, c := range []struct {
		name string
		all  []*entry
		why  string // part of it; "" keeps the sizes
	}{
		{"all can", []*entry{entryOf("a", result.RoleTarget, true, false), floor}, ""},
		{"one can", []*entry{entryOf("a", result.RoleTarget, false, false), entryOf("b", result.RoleTarget, true, false), floor}, ""},
		{"only with fresh connections", []*entry{entryOf("a", result.RoleTarget, true, true), floor}, ""},
		{"none can", []*entry{entryOf("a", result.RoleTarget, false, false), entryOf("a fresh", result.RoleTarget, false, true), floor},
			"the tool tool-of-a of a has no argument that asks for an answer's size; name one with --size-arg"},
	} {
		s := &Transport{all: c.all, Plan: result.Plan{SizesBytes: []int{1024}}}
		s.effectiveSizes()
		if got := s.Plan.SkippedSizes; got != c.why || (len(s.Plan.SizesBytes) == 0) != (c.why != "") {
			t.Errorf("%s: sizes %v, because %q; want %q", c.name, s.Plan.SizesBytes, got, c.why)
		}
	}
}
