package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"mcpdyno/internal/bench"
)

// A clientConfig is the configuration file of an MCP client, as Claude Desktop,
// Cursor and others write it.
type clientConfig struct {
	Servers map[string]struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
		Cwd     string            `json:"cwd"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	} `json:"mcpServers"`
}

func readConfig(path string) (*clientConfig, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, usagef("reading the client configuration: %w", err)
	}
	c := &clientConfig{}
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, usagef("reading the client configuration %s: %w", path, err)
	}
	return c, nil
}

// fill makes t the server that a client configuration calls name. What the file
// says of environment and headers is secret.
func (c *clientConfig) fill(t *bench.Target, name string) error {
	s, ok := c.Servers[name]
	if !ok {
		return fmt.Errorf("the client configuration has no server of this name; it has %s", strings.Join(slices.Sorted(maps.Keys(c.Servers)), ", "))
	}
	if t.Name == "" {
		t.Name = name
	}
	t.URL, t.Dir = s.URL, s.Cwd
	if s.URL == "" {
		t.Command = append([]string{s.Command}, s.Args...)
	}
	for _, key := range slices.Sorted(maps.Keys(s.Env)) {
		t.Env = append(t.Env, key+"="+s.Env[key])
		if len(s.Env[key]) >= leastSecret {
			t.Secrets = append(t.Secrets, s.Env[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.Headers)) {
		t.Header = append(t.Header, key+": "+s.Headers[key])
		t.Secrets = append(t.Secrets, secretsOf(s.Headers[key])...)
	}
	if s.URL == "" && s.Command == "" {
		return fmt.Errorf("the client configuration gives neither a command nor a url for it")
	}
	return nil
}
