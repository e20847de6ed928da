package result

import (
	"fmt"
	"strings"
)

// String names the row for a reader: "steady, 1 KB, 8 in flight".
func (r Row) String() string {
	parts := []string{r.Phase}
	if r.Size > 0 {
		parts = append(parts, SizeText(r.Size))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d in flight", r.InFlight)), ", ")
}

// SizeText prints a size in bytes in the largest binary unit that divides it:
// 1 KB is 1,024 bytes, and 1,500 bytes stay bytes.
func SizeText(bytes int) string {
	units := []string{"bytes", "KB", "MB", "GB"}
	u := 0
	for ; u < len(units)-1 && bytes > 0 && bytes%1024 == 0; u++ {
		bytes /= 1024
	}
	return fmt.Sprintf("%d %s", bytes, units[u])
}
