package transport

import (
	"fmt"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"
)

// The codes of the liberties a connection takes and counts.
const (
	WarnNoise       = "stdout-noise"       // a line that is no JSON-RPC message
	WarnCRLF        = "crlf"               // a line ended in CR LF
	WarnIDType      = "id-type-changed"    // the id came back as another JSON type
	WarnUnmatched   = "unmatched-answer"   // an answer to nobody in flight
	WarnBatch       = "batch-answer"       // an answer inside an array
	WarnAsked       = "server-request"     // the server asked the client something
	WarnUnheard     = "reply-refused"      // our reply to such a request did not get through
	WarnNotified    = "notification"       // the server told the client something
	WarnNotifyReply = "notification-reply" // a notification was not answered by an empty 202
	WarnMediaType   = "media-type"         // an answer without a usable content type
	WarnUnended     = "stream-not-ended"   // a response went on after its answer
)

const (
	maxExamples   = 5
	maxExampleLen = 160
)

// notes counts liberties. Its lock is taken only when there is one to count.
type notes struct {
	connections atomic.Int64
	mu          sync.Mutex
	counts      map[string]int64
	examples    []string
}

// count adds one of code; the first few keep their text.
func (n *notes) count(code string, text []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.counts == nil {
		n.counts = map[string]int64{}
	}
	n.counts[code]++
	if n.counts[code] <= 2 && len(n.examples) < maxExamples {
		n.examples = append(n.examples, code+": "+quote(text))
	}
}

func (n *notes) stats() Stats {
	n.mu.Lock()
	defer n.mu.Unlock()
	return Stats{Connections: n.connections.Load(), Warnings: maps.Clone(n.counts), Examples: append([]string(nil), n.examples...)}
}

// hint says in words what came that was not the answer; "" if nothing did.
func (n *notes) hint() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c := n.counts[WarnUnmatched]; c > 0 {
		return fmt.Sprintf("; %d answers came with an id nobody waits for (%s)", c, n.first(WarnUnmatched))
	}
	if c := n.counts[WarnNoise]; c > 0 {
		return fmt.Sprintf("; %d lines came that are no JSON-RPC (%s)", c, n.first(WarnNoise))
	}
	return ""
}

func (n *notes) first(code string) string {
	for _, e := range n.examples {
		if len(e) > len(code) && e[:len(code)] == code {
			return e[len(code)+2:]
		}
	}
	return "no example kept"
}

// quote makes server text safe to show: one line, no control characters.
func quote(text []byte) string {
	if len(text) > maxExampleLen {
		return strconv.Quote(string(text[:maxExampleLen])) + "…"
	}
	return strconv.Quote(string(text))
}
