// Stdio holds mcpdyno's stdio client against its floor: a C parent that talks to
// the same C server over the same pipes. Each run of mcpdyno stands between two
// of the floor, and the ratio is to their mean; pairs whose floors disagree are
// told and left out, since the machine changed under them.
//
//	go run ./bench/stdio [-pairs 7]
//
// It needs a C compiler and two CPUs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// A setting is one line of the table.
type setting struct {
	name      string
	placement string // of mcpdyno
	client    string // CPU of the floor's client
	server    string // and of its server
	bytes     int
	calls     int
	agree     float64 // how far the two floors of a pair may be apart
}

func main() {
	log.SetFlags(0)
	pairs := flag.Int("pairs", 7, "runs of mcpdyno, each between two of the floor")
	flag.Parse()
	dir, err := os.MkdirTemp("", "mcpdyno-bench-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := run(dir, *pairs); err != nil {
		os.RemoveAll(dir)
		log.Fatal(err)
	}
}

func run(dir string, pairs int) error {
	for _, cmd := range [][]string{
		{"cc", "-O2", "-o", filepath.Join(dir, "server"), "bench/floor/server.c"},
		{"cc", "-O2", "-o", filepath.Join(dir, "parent"), "bench/floor/parent.c"},
		{"go", "build", "-o", filepath.Join(dir, "mcpdyno"), "./cmd/mcpdyno"},
	} {
		if out, err := exec.Command(cmd[0], cmd[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", cmd, err, out)
		}
	}
	fmt.Println("p50 of mcpdyno's service time as a multiple of the C parent's, median of the clean pairs [least, most]")
	for _, s := range []setting{
		{"1 KB, one core", "shared", "0", "0", 1 << 10, 20000, 0.05},
		{"256 KB, one core", "shared", "0", "0", 256 << 10, 2000, 0.05},
		{"1 KB, split", "split", "1", "0", 1 << 10, 10000, 0.12},
		{"256 KB, split", "split", "1", "0", 256 << 10, 1000, 0.12},
	} {
		if err := s.measure(dir, pairs); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (s setting) measure(dir string, pairs int) error {
	var ratios, floors, ours []float64
	for range pairs {
		before, err := s.floor(dir)
		if err != nil {
			return err
		}
		own, err := s.mcpdyno(dir)
		if err != nil {
			return err
		}
		after, err := s.floor(dir)
		if err != nil {
			return err
		}
		if math.Abs(before/after-1) > s.agree {
			continue
		}
		floor := (before + after) / 2
		ratios, floors, ours = append(ratios, own/floor), append(floors, floor), append(ours, own)
	}
	if len(ratios) == 0 {
		fmt.Printf("%-18s no clean pair of %d: the machine is not quiet\n", s.name, pairs)
		return nil
	}
	fmt.Printf("%-18s %.2f [%.2f, %.2f]   %.2f µs to %.2f µs, %d clean of %d pairs\n", s.name, median(ratios),
		slices.Min(ratios), slices.Max(ratios), median(ours)/1e3, median(floors)/1e3, len(ratios), pairs)
	return nil
}

// floor is the p50 of the C parent in ns.
func (s setting) floor(dir string) (p50 float64, err error) {
	out, err := exec.Command(filepath.Join(dir, "parent"), s.client, s.server, fmt.Sprint(s.calls), fmt.Sprint(s.bytes), filepath.Join(dir, "server")).Output()
	if err != nil {
		return 0, fmt.Errorf("running the C parent: %w", err)
	}
	_, err = fmt.Sscan(string(out), &p50)
	return p50, err
}

// mcpdyno is the p50 of its service time in ns, one block.
func (s setting) mcpdyno(dir string) (float64, error) {
	out, err := exec.Command(filepath.Join(dir, "mcpdyno"), "transport", "--placement", s.placement, "--blocks", "1", "--runs", fmt.Sprint(s.calls),
		"--warmup", fmt.Sprint(s.calls/10), "--batches", "0", "--cold-starts", "0", "--work", "0", "--sizes", fmt.Sprint(s.bytes), "-o", "none",
		"--format", "json", "[name=floor]stdio:"+filepath.Join(dir, "server")).Output()
	var d struct {
		Rows []struct {
			Target, Phase string
			Service       struct {
				P50 float64 `json:"p50_ns"`
			}
		}
	}
	if jsonErr := json.Unmarshal(out, &d); jsonErr != nil {
		return 0, fmt.Errorf("running mcpdyno: %w, %w", err, jsonErr)
	}
	for _, r := range d.Rows {
		if r.Target == "floor" && r.Phase == "steady" {
			return r.Service.P50, nil
		}
	}
	return 0, fmt.Errorf("mcpdyno reports no steady row: %w", err)
}

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
