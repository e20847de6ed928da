package transport

import (
	"bufio"
	"context"
	"os"
	"runtime"
	"testing"
)

// While a caller waits for a server and keeps the processor, a garbage
// collection must be able to stop the world: the server answers only after one.
func TestCollectionDoesNotWaitForTheServer(t *testing.T) {
	asked, collected := make(chan struct{}), make(chan struct{})
	m := pipeServer(t, nil, func(in *bufio.Reader, out *os.File) {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		close(asked)
		<-collected
		out.Write(ok(line))
	})
	go func() {
		<-asked
		runtime.GC()
		close(collected)
	}()
	m.Share(1)
	if err := ask(m, context.Background(), 1, long, new(Reply)); err != nil {
		t.Fatal(err)
	}
}

// The state of a connection changes while nothing is in flight, as often as a
// trial likes, and no call is lost by it.
func TestAloneAndSharedByTurns(t *testing.T) {
	m := pipeServer(t, nil, shuffling(4))
	for round := range 50 {
		callers := 1 + round%2*3
		m.Share(callers)
		each(t, callers, func(caller int) error {
			var reply Reply
			for i := range 20 {
				if err := ask(m, context.Background(), int64(1000+(round*20+i)*4+caller), long, &reply); err != nil {
					return err
				}
			}
			return nil
		})
	}
}
