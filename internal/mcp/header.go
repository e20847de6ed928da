package mcp

import (
	"encoding/base64"
	"strings"
)

// headerValue makes text fit for a header: as it is where that is safe, else in
// the form =?base64?…?= (2026-07-28, basic/transports/streamable-http).
func headerValue(text string) string {
	plain := text == strings.TrimSpace(text) && !strings.HasPrefix(text, "=?base64?")
	for _, r := range text {
		plain = plain && r >= 0x20 && r < 0x7f
	}
	if plain {
		return text
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}
