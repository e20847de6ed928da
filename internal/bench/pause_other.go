//go:build !linux

package bench

import "time"

func pause(d time.Duration) { time.Sleep(d) }
