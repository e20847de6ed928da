package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdyno/internal/wire"
)

// A Wish is what the user asked to be called.
type Wish struct {
	Tool    string          // "" lets Choose pick one
	Args    json.RawMessage // "" suggests arguments from the tool's inputSchema
	SizeArg string          // the argument that asks for an answer's size in bytes; "" for none
}

// An Op is a named kind of call.
type Op struct {
	Tool    string
	Args    map[string]any
	SizeArg string // "" where no answer size can be asked for
	Echo    bool   // the answer must contain the nonce that the arguments carry
	Why     string // why this tool: asked for, or the rule that chose it
}

// Choose finds the op that a wish means among a server's tools. Without a name
// only a tool that is harmless is picked: the payload tool of mcpdyno's own
// servers, an echo, or one that says it only reads.
func Choose(tools []Tool, w Wish) (Op, error) {
	if w.Tool == "" {
		return chooseOwn(tools, w)
	}
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == w.Tool })
	if i < 0 {
		return Op{}, fmt.Errorf("the server has no tool %q; it has %s", w.Tool, names(tools))
	}
	return opOf(tools[i], w, "asked for")
}

func chooseOwn(tools []Tool, w Wish) (Op, error) {
	rules := []struct {
		why string
		fit func(Tool) bool
	}{
		{"the payload tool", func(t Tool) bool { return t.Name == "payload" && sizeArg(t) != "" }},
		{"an echo", isEcho},
		{"the first read-only tool without required arguments", func(t Tool) bool { return t.Annotations.ReadOnly && len(required(t)) == 0 }},
		{"the first read-only tool", func(t Tool) bool { return t.Annotations.ReadOnly }},
	}
	for _, rule := range rules {
		if i := slices.IndexFunc(tools, rule.fit); i >= 0 {
			return opOf(tools[i], w, rule.why)
		}
	}
	if len(tools) == 0 {
		return Op{}, errors.New("the server has no tools; there is nothing to call")
	}
	return Op{}, fmt.Errorf("no tool is an echo or says that it only reads (readOnlyHint), so none is called unasked; choose one with --tool: %s", names(tools))
}

func opOf(t Tool, w Wish, why string) (Op, error) {
	op := Op{Tool: t.Name, Args: Suggest(t), SizeArg: w.SizeArg, Why: why}
	if len(w.Args) > 0 {
		op.Args = nil
		if err := json.Unmarshal(w.Args, &op.Args); err != nil {
			return Op{}, fmt.Errorf("reading the arguments of %s: they are not a JSON object: %w", t.Name, err)
		}
		op.Echo = strings.Contains(string(w.Args), wire.NonceHole)
	} else if isEcho(t) {
		op.Args[required(t)[0]] = wire.NonceHole
		op.Echo = true
	}
	if op.SizeArg == "" && t.Name == "payload" && len(w.Args) == 0 {
		op.SizeArg = sizeArg(t)
	}
	return op, nil
}

// schema is what we read of a JSON schema.
type schema struct {
	Type       any                        `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Enum       []any                      `json:"enum"`
	Const      any                        `json:"const"`
	Default    any                        `json:"default"`
	Examples   []any                      `json:"examples"`
	Minimum    *float64                   `json:"minimum"`
}

func schemaOf(raw json.RawMessage) schema {
	var s schema
	_ = json.Unmarshal(raw, &s) // an odd schema suggests nothing
	return s
}

func required(t Tool) []string { return schemaOf(t.InputSchema).Required }

// isEcho says whether a tool takes one text and is called an echo.
func isEcho(t Tool) bool {
	s := schemaOf(t.InputSchema)
	if !strings.EqualFold(t.Name, "echo") || len(s.Required) != 1 {
		return false
	}
	return schemaOf(s.Properties[s.Required[0]]).Type == "string"
}

// sizeArg is the argument of a payload tool that asks for a size.
func sizeArg(t Tool) string {
	s := schemaOf(t.InputSchema)
	for _, name := range []string{"bytes", "size"} {
		if kind := schemaOf(s.Properties[name]).Type; kind == "integer" || kind == "number" {
			return name
		}
	}
	return ""
}

// Suggest makes up arguments that fit a tool's inputSchema: the required ones,
// each by its const, default, first example, first enum value, or type.
func Suggest(t Tool) map[string]any {
	s := schemaOf(t.InputSchema)
	args := map[string]any{}
	for _, name := range s.Required {
		args[name] = suggestValue(s.Properties[name])
	}
	return args
}

func suggestValue(raw json.RawMessage) any {
	s := schemaOf(raw)
	switch {
	case s.Const != nil:
		return s.Const
	case s.Default != nil:
		return s.Default
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	return suggestType(s)
}

func suggestType(s schema) any {
	switch s.Type {
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 1
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		nested := map[string]any{}
		for _, name := range s.Required {
			nested[name] = suggestValue(s.Properties[name])
		}
		return nested
	}
	return "text"
}

func names(tools []Tool) string {
	const most = 12
	set := map[string]bool{}
	for _, t := range tools {
		set[t.Name] = true
	}
	all := slices.Sorted(maps.Keys(set))
	if len(all) > most {
		return strings.Join(all[:most], ", ") + fmt.Sprintf(" and %d more", len(all)-most)
	}
	return strings.Join(all, ", ")
}
