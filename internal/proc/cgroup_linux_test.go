package proc

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// tree makes files below a root: a machine of the test's own.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestCgroupLimits(t *testing.T) {
	check := func(what string, want limits, throttled time.Duration, files map[string]string) {
		t.Helper()
		root := tree(t, files)
		if got := cgroupLimits(root); got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
		if got := cgroupThrottled(root); got != throttled {
			t.Errorf("%s: throttled %v, want %v", what, got, throttled)
		}
	}
	check("no cgroups", limits{}, 0, nil)
	check("v2, the parent is tighter", limits{1.5, 1 << 30}, 2*time.Second, map[string]string{
		"proc/self/cgroup":                 "0::/app/us\n",
		"sys/fs/cgroup/app/us/cpu.max":     "400000 100000\n",
		"sys/fs/cgroup/app/us/memory.max":  "max\n",
		"sys/fs/cgroup/app/us/cpu.stat":    "usage_usec 9000000\nthrottled_usec 0\n",
		"sys/fs/cgroup/app/cpu.max":        "150000 100000\n",
		"sys/fs/cgroup/app/memory.max":     "1073741824\n",
		"sys/fs/cgroup/app/cpu.stat":       "usage_usec 9000000\nthrottled_usec 2000000\n",
		"sys/fs/cgroup/elsewhere/cpu.max":  "1000 100000\n",
		"sys/fs/cgroup/app/us/own/cpu.max": "1000 100000\n",
	})
	check("v1 without limits", limits{}, 0, map[string]string{
		"proc/self/cgroup":                           "4:memory:/\n1:cpu,cpuacct:/\n",
		"sys/fs/cgroup/cpu/cpu.cfs_quota_us":         "-1\n",
		"sys/fs/cgroup/cpu/cpu.cfs_period_us":        "100000\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
	})
	check("v1 in a container, whose own path is not below the mount", limits{0.5, 256 << 20}, 7, map[string]string{
		"proc/self/cgroup":                           "4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n0::/\n",
		"sys/fs/cgroup/cpu/cpu.cfs_quota_us":         "50000\n",
		"sys/fs/cgroup/cpu/cpu.cfs_period_us":        "100000\n",
		"sys/fs/cgroup/cpu/cpu.stat":                 "nr_periods 3\nnr_throttled 1\nthrottled_time 7\n",
		"sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
	})
	check("nothing but noise", limits{}, 0, map[string]string{
		"proc/self/cgroup":      "0\n\n0::/../..\n",
		"sys/fs/cgroup/cpu.max": "x y z\n",
	})
}
