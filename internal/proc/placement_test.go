package proc

import (
	"reflect"
	"testing"
)

func TestPlace(t *testing.T) {
	check := func(policy string, cpus []int, want Placement) {
		t.Helper()
		got, err := place(policy, cpus)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("place(%q, %v) = %+v, %v; want %+v", policy, cpus, got, err, want)
		}
	}
	two, three, twelve := []int{0, 1}, []int{0, 2, 5}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	none := Placement{Policy: "none"}
	check("", two, Placement{"split", []int{0}, []int{1}})
	check("split", three, Placement{"split", []int{0, 2}, []int{5}})
	check("split", twelve, Placement{"split", twelve[:8], twelve[8:]})
	check("shared", three, Placement{"shared", []int{5}, []int{5}})
	check("shared", []int{3}, Placement{"shared", []int{3}, []int{3}})
	check("none", two, none)
	check("", []int{3}, none)
	check("", nil, none) // a system that cannot pin
}

func TestPlaceImpossible(t *testing.T) {
	for _, c := range []struct {
		policy string
		cpus   []int
	}{{"split", []int{3}}, {"split", nil}, {"shared", nil}, {"apart", []int{0, 1}}} {
		if p, err := place(c.policy, c.cpus); err == nil {
			t.Errorf("place(%q, %v) = %+v, want an error", c.policy, c.cpus, p)
		}
	}
}

func TestProcs(t *testing.T) {
	none, split := Placement{Policy: "none"}, Placement{Policy: "split", Generator: []int{1}}
	for _, c := range []struct{ got, want int }{
		{none.procs(1), 1}, {none.procs(2), 1}, {none.procs(8), 7}, {split.procs(8), 1},
	} {
		if c.got != c.want {
			t.Errorf("GOMAXPROCS %d, want %d", c.got, c.want)
		}
	}
}
