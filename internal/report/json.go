package report

import (
	"encoding/json"
	"io"
)

// JSON writes the document, indented, with a newline at its end. Its error is
// that of w.
func JSON(w io.Writer, d *Document) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return wrapWriting(enc.Encode(d))
}
