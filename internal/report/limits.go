package report

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"mcpdyno/result"
)

// limits says what the numbers do not tell, as far as it is so in this run.
func limits(d *Document) []string {
	say := []string{}
	if d.everyURL(func(u *url.URL) bool { return loopback(u.Hostname()) }) {
		say = append(say, "Loopback only: there is no network in these numbers. A remote HTTP server adds its round-trip time, and there the transport changes the answer.")
	}
	if d.everyURL(func(u *url.URL) bool { return u.Scheme == "http" }) {
		say = append(say, "No TLS: HTTPS adds a handshake to every new connection.")
	}
	if len(d.withRole(result.RoleFloor)) > 0 {
		say = append(say, "The server's own work is in every figure; the floor beside it is the same row of a server that does nothing.")
	} else {
		say = append(say, "The server does nothing: a real server's own work comes on top, on every transport alike. These are floors, not predictions.")
	}
	placements := "one placement"
	if len(d.placements()) > 1 {
		placements = "these placements"
	}
	say = append(say, fmt.Sprintf("One machine (%s, %s/%s) and %s: on another the numbers differ.", d.Environment.CPUModel, d.Environment.OS, d.Environment.Arch, placements),
		"Closed loop: the next call is made when the one before has been answered. How the server copes with calls that do not wait is not measured, nor are its CPU time and memory.")
	if eras := d.eras(); len(eras) > 1 {
		say = append(say, fmt.Sprintf("The targets speak different revisions (%s): their opening and their sessions are not the same work.", strings.Join(eras, ", ")))
	}
	return say
}

// everyURL reports whether a holds for the address of every measured target
// over HTTP, and there is one.
func (d *Document) everyURL(a func(*url.URL) bool) bool {
	found := false
	for _, t := range d.measured() {
		if t.URL == "" {
			continue
		}
		u, err := url.Parse(readable.Replace(t.URL))
		if err != nil || !a(u) {
			return false
		}
		found = true
	}
	return found
}

// readable makes an address of a result one that can be parsed: it may have a
// hole for its port, and no user any more.
var readable = strings.NewReplacer("{port}", "0", "[redacted]@", "")

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (d *Document) eras() []string {
	var eras []string
	for _, t := range d.measured() {
		if t.Protocol != "" && !slices.Contains(eras, t.Protocol) {
			eras = append(eras, t.Protocol)
		}
	}
	return eras
}
