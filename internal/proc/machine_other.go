//go:build !linux && !darwin

package proc

import "mcpdyno/result"

// describeMachine adds nothing yet.
func describeMachine(*result.Environment) {}
