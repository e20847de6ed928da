package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// gone waits until no server is left that mcpdyno started, or its watchdog, of
// the script that works in the folder work: all of them have inherited WORK.
func gone(work string) error {
	return until(func() error {
		if left := family(work); len(left) > 0 {
			return fmt.Errorf("these are left of mcpdyno's processes:\n%s", strings.Join(left, "\n"))
		}
		return nil
	})
}

// family lists the processes under mcpdyno: what carries its mark, and watchdogs.
func family(work string) []string {
	var found []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, path := range environs {
		env, _ := os.ReadFile(path) // another user's, or gone by now
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if !bytes.Contains(append([]byte{0}, env...), []byte("\x00WORK="+work+"\x00")) {
			continue
		}
		if bytes.Contains(env, []byte("\x00MCPDYNO_RUN=")) || bytes.HasSuffix(command, []byte("\x00watchdog\x00")) {
			found = append(found, filepath.Dir(path)+": "+string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
		}
	}
	return found
}
