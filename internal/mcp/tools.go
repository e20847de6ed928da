package mcp

import (
	"context"
	"encoding/json"
	"fmt"
)

// A Tool is what a server offers to be called.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations struct {
		ReadOnly bool `json:"readOnlyHint"`
	} `json:"annotations"`
}

// maxPages bounds how many pages of a list are read.
const maxPages = 1000

// Tools lists all tools, page by page, in the server's order. A cursor that
// comes again ends the list with an error beside what was found.
func (s *Session) Tools(ctx context.Context) ([]Tool, error) {
	var all []Tool
	seen := map[string]bool{}
	params := map[string]any{}
	for range maxPages {
		var page struct {
			Tools []Tool  `json:"tools"`
			Next  *string `json:"nextCursor"`
		}
		if _, err := s.ask(ctx, "tools/list", params, &page); err != nil {
			return all, fmt.Errorf("listing tools: %w", err)
		}
		all = append(all, page.Tools...)
		if page.Next == nil {
			return all, nil
		}
		if seen[*page.Next] {
			return all, fmt.Errorf("listing tools: the server gives the cursor %q again and again", *page.Next)
		}
		seen[*page.Next] = true
		params = map[string]any{"cursor": *page.Next}
	}
	return all, fmt.Errorf("listing tools: the list has more than %d pages", maxPages)
}
