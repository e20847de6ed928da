package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpdyno/internal/wire"
)

// The two eras of the protocol: with a handshake, and without one.
const (
	Legacy = "legacy"
	Modern = "modern"
)

// The revisions that matter by name.
const (
	Latest       = "2026-07-28" // the modern era
	LatestLegacy = "2025-11-25" // the handshake's last
)

// Auto asks for the newest revision that the server speaks.
const Auto = "auto"

// legacyRevisions are those of the handshake era, newest first.
var legacyRevisions = [...]string{LatestLegacy, "2025-06-18", "2025-03-26", "2024-11-05"}

// Era says to which era a revision belongs; an error names the known ones.
func Era(revision string) (string, error) {
	switch {
	case revision == Latest:
		return Modern, nil
	case slices.Contains(legacyRevisions[:], revision):
		return Legacy, nil
	}
	return "", fmt.Errorf("unknown protocol revision %q; known are %s and %s", revision, Latest, strings.Join(legacyRevisions[:], ", "))
}

// dialect is what differs on the wire between revisions.
type dialect struct {
	revision string
	modern   bool
}

func dialectOf(revision string) dialect {
	return dialect{revision: revision, modern: revision == Latest}
}

// versionHeader says whether requests after the handshake name the revision
// (since 2025-06-18).
func (d dialect) versionHeader() bool { return d.revision >= "2025-06-18" }

// meta is what a modern request carries in params._meta.
type meta struct {
	Version      string         `json:"io.modelcontextprotocol/protocolVersion"`
	Client       clientInfo     `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities map[string]any `json:"io.modelcontextprotocol/clientCapabilities"`
}

type clientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// params encodes the params of a request: as given, and in the modern era with
// the metadata that every request must carry.
func (d dialect) params(p map[string]any, client clientInfo) (json.RawMessage, error) {
	if d.modern {
		with := map[string]any{"_meta": meta{d.revision, client, map[string]any{}}}
		for k, v := range p {
			with[k] = v
		}
		p = with
	}
	if len(p) == 0 {
		return nil, nil
	}
	return json.Marshal(p)
}

// header encodes the header lines of a request: what names the session and the
// revision and, in the modern era, the method and the thing asked for.
func (d dialect) header(session, method, name string) []byte {
	var h []byte
	if session != "" {
		h = appendField(h, "Mcp-Session-Id", session)
	}
	if method == "initialize" {
		return h
	}
	if d.versionHeader() {
		h = appendField(h, "MCP-Protocol-Version", d.revision)
	}
	if d.modern {
		h = appendField(h, "Mcp-Method", method)
		if name != "" {
			h = appendField(h, "Mcp-Name", headerValue(name))
		}
	}
	return h
}

func appendField(h []byte, name, value string) []byte {
	return append(append(append(append(h, name...), ": "...), value...), "\r\n"...)
}

// Answer replies to what a server asks its client: ping is answered, all else
// is refused at once, so that no server waits for us. We declare no
// capabilities, and a modern server may not ask at all.
func Answer(m wire.Message) []byte {
	if m.Kind != wire.Request {
		return nil
	}
	if string(m.Method) == "ping" {
		return wire.AppendResult(nil, m.RawID, []byte("{}"))
	}
	return wire.AppendError(nil, m.RawID, -32601, "mcpdyno offers no such method")
}
