package transport

import (
	"context"
	"errors"
	"io"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A stream is a byte stream on file descriptors outside Go's network poller: the
// goroutine that wants bytes waits for them itself. (Waking a parked goroutine
// costs more than a pipe's whole round trip.) Writing never blocks; reading does
// only while blocking is set.
type stream struct {
	r, w int

	endless  bool // a wait that holds the processor may be without a limit of its own
	blocking bool // reading waits: the fastest of waits, of a pipe used by one call at a time

	parked  *os.File // a second handle in the network poller; nil while alone
	rawRead syscall.RawConn
	armed   time.Time // the parked handle's read deadline
}

// hold is how long a wait may keep the processor before it lets go of it. Go's
// monitor sends a goroutine that has run for so long a signal, which ends the
// wait as well; a limit of its own would cost a tenth of a round trip. Without
// that signal (GODEBUG=asyncpreemptoff=1) the wait has one.
const hold = 10 * time.Millisecond

// interrupts makes sure that the runtime sends that signal (SIGURG) and that it
// ends a system call in place of having it go on.
func interrupts() bool {
	return !strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") && interruptReads() == nil
}

// sigaction is the kernel's form on amd64 and arm64.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// interruptReads takes SA_RESTART from the handler of SIGURG, which is the
// runtime's own. Its other system calls are prepared for an EINTR.
func interruptReads() error {
	const saRestart = 0x10000000
	var now sigaction
	for range 2 {
		if errno := rtSigaction(nil, &now); errno != 0 {
			return errno
		}
		if now.flags&saRestart == 0 {
			return nil
		}
		now.flags &^= saRestart
		if errno := rtSigaction(&now, nil); errno != 0 {
			return errno
		}
	}
	return errors.New("the flag did not stay cleared")
}

func rtSigaction(set, get *sigaction) syscall.Errno {
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(syscall.SIGURG), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(get)), unsafe.Sizeof(get.mask), 0, 0)
	return errno
}

// share says whether several calls will use the pipes at once. Alone, reading
// blocks: it spares a poll.
func (s *stream) share(shared bool) {
	if blocking := !shared && s.endless; s.r != s.w && blocking != s.blocking {
		s.blocking = unix.SetNonblock(s.r, !blocking) == nil && blocking
	}
}

// newPipes makes a stream of a process's pipes.
func newPipes(out, in *os.File) (*stream, error) {
	s := &stream{r: int(out.Fd()), w: int(in.Fd()), endless: interrupts()}
	for _, fd := range []int{s.r, s.w} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, os.NewSyscallError("fcntl", err)
		}
	}
	return s, nil
}

// dialTCP connects to addr, one message a packet (no Nagle).
func dialTCP(ctx context.Context, addr netip.AddrPort, wait time.Duration) (*stream, error) {
	family, sa := sockaddr(addr)
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	s := &stream{r: fd, w: fd, endless: interrupts()}
	if err := s.connect(ctx, sa, wait); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return s, nil
}

func (s *stream) connect(ctx context.Context, sa unix.Sockaddr, wait time.Duration) error {
	if err := unix.SetsockoptInt(s.r, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return os.NewSyscallError("setsockopt", err)
	}
	err := unix.Connect(s.r, sa)
	if err == unix.EINPROGRESS {
		if err := s.waitWritable(ctx, wait); err != nil {
			return err
		}
		code, _ := unix.GetsockoptInt(s.r, unix.SOL_SOCKET, unix.SO_ERROR)
		if code != 0 {
			err = unix.Errno(code)
		} else {
			err = nil
		}
	}
	return os.NewSyscallError("connect", err)
}

func sockaddr(addr netip.AddrPort) (int, unix.Sockaddr) {
	if ip := addr.Addr().Unmap(); ip.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: int(addr.Port()), Addr: ip.As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Port: int(addr.Port()), Addr: addr.Addr().As16()}
}

// read reads what is there, waiting up to wait for it. It returns 0 and no
// error when nothing came. With alone, the wait begins by holding the
// processor: nobody else is to run meanwhile.
func (s *stream) read(p []byte, wait time.Duration, alone bool) (int, error) {
	switch {
	case alone && s.blocking && wait > 3*hold:
		if n, err := s.readNow(p); n != 0 || err != nil {
			return n, err
		}
	case alone && s.poll(s.holdFor(wait), true):
		return s.readNow(p)
	case !alone && !s.blocking:
		if n, err := s.readNow(p); n != 0 || err != nil {
			return n, err
		}
	}
	if !s.poll(wait, false) {
		return 0, nil
	}
	return s.readNow(p)
}

// forever is a wait without a limit.
const forever = -1

// holdFor is how long a wait may hold the processor.
func (s *stream) holdFor(wait time.Duration) time.Duration {
	if s.endless && wait > 3*hold {
		return forever
	}
	return min(max(wait, 0), hold)
}

// readNow makes one read; 0 and no error when there is nothing, or a signal
// came. It waits only while blocking is set.
func (s *stream) readNow(p []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(s.r), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		return 0, nil
	case errno != 0:
		return 0, os.NewSyscallError("read", errno)
	case n == 0:
		return 0, io.EOF
	}
	return int(n), nil
}

// write writes what fits without waiting.
func (s *stream) write(p []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(s.w), uintptr(unsafe.Pointer(&p[0])), uintptr(len(p)))
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		return 0, nil
	case errno != 0:
		return 0, os.NewSyscallError("write", errno)
	}
	return int(n), nil
}

// blocked waits a little for room to write, or, if reading, for something to
// read: a server that writes may not read before it has been read.
func (s *stream) blocked(wait time.Duration, reading bool) {
	fds := []unix.PollFd{{Fd: int32(s.w), Events: unix.POLLOUT}, {Fd: int32(s.r), Events: unix.POLLIN}}
	if !reading {
		fds = fds[:1]
	}
	_, _ = unix.Poll(fds, int(wait.Milliseconds()))
}

func (s *stream) waitWritable(ctx context.Context, wait time.Duration) error {
	for end := time.Now().Add(wait); ; {
		fds := []unix.PollFd{{Fd: int32(s.w), Events: unix.POLLOUT}}
		n, err := unix.Poll(fds, int(max(min(slice, time.Until(end)), 0).Milliseconds())+1)
		switch {
		case err != nil && !errors.Is(err, unix.EINTR):
			return os.NewSyscallError("poll", err)
		case n > 0:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Now().After(end):
			return os.ErrDeadlineExceeded
		}
	}
}

// poll waits for something to read; false when time was up or a signal came.
// With keep it keeps the processor. (The calls are written out: the compiler
// keeps their pointers in place only where it sees the call.)
func (s *stream) poll(wait time.Duration, keep bool) bool {
	fd := unix.PollFd{Fd: int32(s.r), Events: unix.POLLIN}
	var limit *unix.Timespec
	if wait != forever {
		ts := unix.NsecToTimespec(int64(max(wait, 0)))
		limit = &ts
	}
	var n uintptr
	var errno syscall.Errno
	if keep {
		n, _, errno = syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fd)), 1, uintptr(unsafe.Pointer(limit)), 0, 0, 0)
	} else {
		n, _, errno = syscall.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fd)), 1, uintptr(unsafe.Pointer(limit)), 0, 0, 0)
	}
	return errno == 0 && n > 0
}

// park reads like read, but waits in Go's network poller, so that other
// goroutines have the processor meanwhile. It is for sockets of which several
// are waited for at once.
func (s *stream) park(p []byte, wait time.Duration) (n int, err error) {
	if s.parked == nil {
		if err := s.enlist(); err != nil {
			return 0, err
		}
	}
	s.arm(wait)
	got := s.rawRead.Read(func(uintptr) bool {
		n, err = s.readNow(p)
		return n > 0 || err != nil
	})
	if err == nil && got != nil && !errors.Is(got, os.ErrDeadlineExceeded) {
		err = got
	}
	return n, err
}

// enlist puts a second handle of the socket into the network poller.
func (s *stream) enlist() error {
	fd, err := unix.FcntlInt(uintptr(s.r), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("fcntl", err)
	}
	s.parked = os.NewFile(uintptr(fd), "socket")
	s.rawRead, err = s.parked.SyscallConn()
	return err
}

// arm makes a wait end in time. Setting a deadline costs as much as a tenth of a
// round trip: one that still serves is left as it is.
func (s *stream) arm(wait time.Duration) {
	now := time.Now()
	if left := s.armed.Sub(now); left > wait/2 && left <= wait {
		return
	}
	s.armed = now.Add(wait)
	_ = s.parked.SetReadDeadline(s.armed) // it is in the poller, so it can
}

// unpark takes the stream out of the network poller: an idle thread would be
// woken there for every answer.
func (s *stream) unpark() {
	if s.parked != nil {
		s.parked.Close()
		s.parked, s.rawRead, s.armed = nil, nil, time.Time{}
	}
}

// close closes a socket; pipes belong to the process they lead to.
func (s *stream) close() {
	s.unpark()
	if s.r == s.w {
		unix.Close(s.r)
		s.r, s.w = -1, -1 // the number may soon be another's
	}
}
