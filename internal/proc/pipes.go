package proc

import "os"

// pipes are a child's stdin, stdout and stderr.
type pipes struct{ ours, theirs [3]*os.File }

// newPipes makes plain pipes of stdin and stdout, or pairs of sockets. Our end of stderr is in the
// netpoller: draining it takes no thread, and closing it ends the draining.
func newPipes(sockets bool) (*pipes, error) {
	p := &pipes{}
	stdio := pipe
	if sockets {
		stdio = socketPair
	}
	for i, open := range []func() (r, w *os.File, err error){stdio, stdio, os.Pipe} {
		r, w, err := open()
		if err != nil {
			p.closeOurs()
			p.closeTheirs()
			return nil, err
		}
		p.ours[i], p.theirs[i] = r, w
	}
	p.ours[0], p.theirs[0] = p.theirs[0], p.ours[0] // stdin goes the other way
	return p, nil
}

func (p *pipes) closeOurs()   { closeAll(p.ours) }
func (p *pipes) closeTheirs() { closeAll(p.theirs) }

// closeAll skips what was not opened: Close on a nil File is an error only.
func closeAll(files [3]*os.File) {
	for _, f := range files {
		f.Close()
	}
}
