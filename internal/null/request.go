package null

import (
	"errors"
	"slices"

	"mcpdyno/internal/wire"
)

// modernVersion is the revision without a handshake.
const modernVersion = "2026-07-28"

// legacyVersions returns the revisions with an initialize handshake, newest
// first.
func legacyVersions() []string {
	return []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

func versionsOf(era string) []string {
	switch era {
	case "legacy":
		return legacyVersions()
	case "modern":
		return []string{modernVersion}
	}
	return append([]string{modernVersion}, legacyVersions()...)
}

func isLegacy(version string) bool { return slices.Contains(legacyVersions(), version) }

// A request is a message taken apart as far as the server looks at it. Its
// slices alias the message.
type request struct {
	wire.Message
	modern       bool   // to be answered as revision 2026-07-28 wants it
	tool         []byte // params.name between the quotes, as sent
	arguments    []byte // params.arguments, raw
	asked        []byte // params.protocolVersion between the quotes
	version      []byte // _meta's protocolVersion between the quotes
	capabilities bool   // _meta has clientCapabilities
}

var errBatch = errors.New("batches are not supported, send one message at a time")

// parse reads one message.
func parse(b []byte) (r request, err error) {
	if wire.IsBatch(b) {
		return r, errBatch
	}
	if r.Message, err = wire.Scan(b); err != nil || r.Params == nil || r.Params[0] != '{' {
		return r, err
	}
	var meta []byte
	err = wire.Members(r.Params, func(name, value []byte) {
		switch string(name) {
		case "name":
			r.tool = text(value)
		case "arguments":
			r.arguments = value
		case "protocolVersion":
			r.asked = text(value)
		case "_meta":
			meta = value
		}
	})
	if err != nil || meta == nil || meta[0] != '{' {
		return r, err
	}
	return r, wire.Members(meta, r.readMeta)
}

func (r *request) readMeta(name, value []byte) {
	switch string(name) {
	case "io.modelcontextprotocol/protocolVersion":
		r.version = text(value)
	case "io.modelcontextprotocol/clientCapabilities":
		r.capabilities = value[0] == '{'
	}
}

// text returns what is between the quotes of a raw string, nil for any other
// value. The names compared here need no escapes, so none are decoded.
func text(raw []byte) []byte {
	if raw[0] != '"' {
		return nil
	}
	return raw[1 : len(raw)-1]
}
