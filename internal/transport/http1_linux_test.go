package transport

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// packets is a pipe whose reader gets each write by itself.
func packets(t *testing.T) (r, w *os.File) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_DIRECT|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	r, w = os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w")
	return r, w
}

// A response means the same wherever it is split.
func TestResponseInTwoReads(t *testing.T) {
	for _, tt := range append(answers(), failures()...) {
		t.Run(tt.name, func(t *testing.T) {
			in := nobody(t)
			for at := 1; at < len(tt.raw); at++ {
				r, w := packets(t)
				w.WriteString(tt.raw[:at])
				w.WriteString(tt.raw[at:])
				w.Close()
				c, reply := pieced(t, r, in)
				if checkResponse(t, tt, post(c, long, reply), reply); t.Failed() {
					t.Fatalf("split after %d bytes: %q", at, tt.raw[:at])
				}
				r.Close()
			}
		})
	}
}

func TestResponseByteByByte(t *testing.T) {
	for _, tt := range append(answers(), failures()...) {
		t.Run(tt.name, func(t *testing.T) {
			r, w := packets(t)
			defer r.Close()
			go func() {
				for i := range len(tt.raw) {
					w.WriteString(tt.raw[i : i+1])
				}
				w.Close()
			}()
			c, reply := pieced(t, r, nobody(t))
			checkResponse(t, tt, post(c, long, reply), reply)
		})
	}
}

// A server whose queue of connections is full answers none.
func TestConnectingTakesNoLongerThanTheCall(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	local, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	c := dialHTTP(t, fmt.Sprintf("127.0.0.1:%d", local.(*unix.SockaddrInet4).Port), HTTP{})
	const brief = 200 * time.Millisecond
	for range 3 { // the connection of Dial, those that fill the queue, and one too many
		err = post(c, brief, new(Reply))
	}
	wantFault(t, err, Timeout)
	wantFault(t, post(c, -brief, new(Reply)), Timeout)
}

func TestCallsOnAKeptConnectionAllocateLittle(t *testing.T) {
	for name, raw := range map[string]string{"JSON": sized("200 OK", asJSON, result), "events": chunked(asSSE, "data: "+result+"\n\n")} {
		r, w := packets(t)
		defer r.Close()
		c, reply := pieced(t, r, nobody(t))
		req := &Request{ID: ours, Body: []byte("{}"), Deadline: long}
		allocs := testing.AllocsPerRun(100, func() {
			w.Write([]byte(raw))
			if err := c.RoundTrip(context.Background(), req, reply); err != nil {
				t.Fatal(err)
			}
		})
		const few = 3 // none of them grows with the answer
		if allocs > few {
			t.Errorf("%s: %v allocations a call, want %d at most", name, allocs, few)
		}
	}
}
