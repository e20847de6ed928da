package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// daemon leaves its group and its session, as a server's helper may.
func daemon(args []string) {
	cmd := run("stubborn", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	check(cmd.Start())
	fmt.Println(cmd.Process.Pid)
	untilEOF()
}

// listPipes prints the pipes this process holds beside its first three files.
func listPipes([]string) {
	entries, err := os.ReadDir("/proc/self/fd")
	check(err)
	var found []string
	for _, e := range entries {
		to, _ := os.Readlink("/proc/self/fd/" + e.Name())
		if n, _ := strconv.Atoi(e.Name()); n > 2 && strings.HasPrefix(to, "pipe:") {
			found = append(found, to)
		}
	}
	fmt.Println(found)
	untilEOF()
}

// statusLine is a value of this process's first thread, as the kernel prints it.
func statusLine(key string) string { return statusOf("self", key) }

func statusOf(pid, key string) string {
	b, _ := os.ReadFile("/proc/" + pid + "/status")
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// taskMasks lists the different affinities of this process's threads.
func taskMasks() []string {
	files, _ := filepath.Glob("/proc/self/task/*/status")
	var masks []string
	for _, f := range files {
		dir := strings.TrimPrefix(filepath.Dir(f), "/proc/")
		masks = append(masks, statusOf(dir, "Cpus_allowed_list"))
	}
	slices.Sort(masks)
	return slices.Compact(masks)
}

// isAlive is the test's own look, independent of the package's.
func isAlive(pid int) bool {
	state := statusOf(strconv.Itoa(pid), "State")
	return state != "" && state[0] != 'Z' && state[0] != 'X'
}

// tagged lists the live processes whose command line holds the tag, but for
// those named not.
func tagged(tag string, not ...int) []int {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var pids []int
	for _, f := range files {
		b, _ := os.ReadFile(f)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if bytes.Contains(b, []byte(tag)) && !slices.Contains(not, pid) && isAlive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}
