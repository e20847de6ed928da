package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	shellquote "github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"mcpdyno/internal/bench"
	"mcpdyno/internal/mcp"
)

const targetHelp = `A TARGET is http://HOST:PORT/PATH, https://…, 'stdio:COMMAND LINE' (shell quoting,
no shell), or a server's name in the --config file. "-- command args…" at the end
is one stdio target. Options go in brackets before it: name, protocol, fresh,
answers, pipes, start, tool; a value with a comma or a bracket is double-quoted:
  '[name=go,start="./server --http 127.0.0.1:{port}"]http://127.0.0.1:{port}/mcp'
With start mcpdyno starts the HTTP server itself; {port} is a free port.
pipes=socketpair connects a stdio server as Node.js clients do.`

// targetFlags are the flags that say what the targets are; brackets say it for
// one of them.
type targetFlags struct {
	tool, args, sizeArg string
	protocol            string
	start               string
	headers             []string
	bearerEnv           string
	env                 []string
	dir                 string
	insecure            bool
	config              string
}

func (f *targetFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.tool, "tool", "", "the tool to call (default an echo or one that only reads)")
	flags.StringVar(&f.args, "args", "", "the tool's arguments, a JSON object")
	flags.StringVar(&f.sizeArg, "size-arg", "", "the argument that asks for an answer's size in bytes")
	flags.StringVar(&f.protocol, "protocol", mcp.Auto, "protocol revision, e.g. 2025-11-25")
	flags.StringVar(&f.start, "start", "", "command that starts the HTTP server of the only target")
	flags.StringArrayVarP(&f.headers, "header", "H", nil, "'Name: value' of every HTTP request; repeatable")
	flags.StringVar(&f.bearerEnv, "bearer-env", "", "environment variable that holds a bearer token")
	flags.StringArrayVar(&f.env, "env", nil, "NAME=VALUE for servers that mcpdyno starts; repeatable")
	flags.StringVar(&f.dir, "cwd", "", "folder in which servers are started")
	flags.StringVar(&f.config, "config", "", "an MCP client's configuration file, whose servers can be named as targets")
	flags.BoolVar(&f.insecure, "insecure", false, "accept any TLS certificate")
}

// parse reads the targets of a command line.
func (f *targetFlags) parse(cmd *cobra.Command, words []string) ([]*bench.Target, error) {
	var command []string
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words, command = words[:dash], words[dash:]
		if len(command) == 0 {
			return nil, usagef("nothing follows --; a command was expected there")
		}
	}
	known := &clientConfig{}
	if f.config != "" {
		var err error
		if known, err = readConfig(f.config); err != nil {
			return nil, err
		}
	}
	var all []*bench.Target
	for _, word := range words {
		t, err := parseTarget(word, known)
		if err != nil {
			return nil, usagef("target %q: %w", redactWord(word), err)
		}
		all = append(all, t)
	}
	if command != nil {
		all = append(all, &bench.Target{Command: command})
	}
	if err := f.apply(all); err != nil {
		return nil, err
	}
	return all, nameAll(all)
}

// apply gives the flags' values to every target that has none of its own.
func (f *targetFlags) apply(all []*bench.Target) error {
	if err := f.checkStart(all); err != nil {
		return err
	}
	header, secrets, err := f.header()
	if err != nil {
		return err
	}
	if err := f.checkArgs(); err != nil {
		return err
	}
	if _, err := mcp.Era(f.protocol); err != nil && f.protocol != mcp.Auto {
		return usagef("--protocol: %w", err)
	}
	for _, t := range all {
		if !t.Started() && strings.Contains(t.URL, "{port}") {
			return usage(errors.New("{port} is the port of a server that mcpdyno starts: give its command with --start, or with [start=\"…\"] before the target"))
		}
		if t.Wish.Tool == "" {
			t.Wish.Tool = f.tool
		}
		t.Wish.Args, t.Wish.SizeArg = json.RawMessage(f.args), f.sizeArg
		if t.Revision == "" {
			t.Revision = f.protocol
		}
		t.Header, t.Env = append(t.Header, header...), append(t.Env, f.env...)
		if f.dir != "" {
			t.Dir = f.dir
		}
		t.Insecure = f.insecure
		t.Secrets = slices.Concat(t.Secrets, secrets, f.envSecrets(), urlSecrets(t.URL))
	}
	return nil
}

func (f *targetFlags) checkArgs() error {
	object := map[string]any{}
	if f.args != "" && (json.Unmarshal([]byte(f.args), &object) != nil || object == nil) {
		return usagef("--args is not a JSON object: %s", f.args)
	}
	for _, kv := range f.env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
			return usage(errors.New("--env takes NAME=VALUE"))
		}
	}
	return nil
}

// none refuses what would be ignored where no target is named; a protocol is the
// null server's.
func (f *targetFlags) none(cmd *cobra.Command) error {
	for _, name := range []string{"tool", "args", "size-arg", "header", "bearer-env", "env", "cwd", "insecure", "config"} {
		if cmd.Flags().Changed(name) {
			return usagef("--%s is about a TARGET, and none is named", name)
		}
	}
	return nil
}

func (f *targetFlags) checkStart(all []*bench.Target) error {
	if f.start == "" {
		return nil
	}
	if len(all) != 1 || !all[0].HTTP() {
		return usage(errors.New("--start goes with one HTTP target; with several, write '[start=\"…\"]http://…' for each"))
	}
	command, err := splitCommand(f.start)
	all[0].Command = command
	return err
}

// header collects the header lines, and what of them must stay secret.
func (f *targetFlags) header() (lines, secrets []string, err error) {
	for _, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		if !ok || strings.TrimSpace(name) == "" || strings.ContainsAny(h, "\r\n") {
			return nil, nil, usagef("-H takes 'Name: value'")
		}
		lines = append(lines, h)
		secrets = append(secrets, secretsOf(value)...)
	}
	if f.bearerEnv != "" {
		token := os.Getenv(f.bearerEnv)
		if token == "" {
			return nil, nil, usagef("--bearer-env: the environment variable %s is empty", f.bearerEnv)
		}
		lines = append(lines, "Authorization: Bearer "+token)
		secrets = append(secrets, token)
	}
	return lines, secrets, nil
}

// secretsOf are what a header's value must not be seen as: as a whole, and its
// last word, which is the token where a scheme stands before it.
func secretsOf(value string) []string {
	words := strings.Fields(value)
	if len(words) < 2 {
		return words
	}
	return []string{strings.TrimSpace(value), words[len(words)-1]}
}

// leastSecret is how long a value must be to be worth hiding: without a "1" no
// report can be read.
const leastSecret = 4

// envSecrets are the values given by --env: they reach no result.
func (f *targetFlags) envSecrets() []string {
	var all []string
	for _, kv := range f.env {
		if _, value, _ := strings.Cut(kv, "="); len(value) >= leastSecret {
			all = append(all, value)
		}
	}
	return all
}

// What is secret in an address: the password, and keys in the query.
var (
	password = regexp.MustCompile(`//[^/?#:]*:([^/?#]*)@`)
	queryKey = regexp.MustCompile(`(?i)[?&][^=&#]*(?:key|token|secret|passw|auth|sig)[^=&#]*=([^&#]*)`)
)

// urlSecrets are the secrets of the address in a word, as they are written there
// and as they are meant. The word need not be one that can be read.
func urlSecrets(word string) (all []string) {
	for _, m := range append(password.FindAllStringSubmatch(word, -1), queryKey.FindAllStringSubmatch(word, -1)...) {
		if written := m[1]; len(written) >= leastSecret {
			meant, _ := url.QueryUnescape(written)
			all = append(all, written, meant)
		}
	}
	return all
}

// parseTarget reads one TARGET word.
func parseTarget(word string, known *clientConfig) (*bench.Target, error) {
	t := &bench.Target{}
	rest, err := parseOptions(t, word)
	if err != nil {
		return nil, err
	}
	if known.Servers != nil && !strings.Contains(rest, ":") {
		return t, known.fill(t, rest)
	}
	if line, ok := strings.CutPrefix(rest, "stdio:"); ok {
		if len(t.Command) > 0 {
			return nil, errors.New("start is for HTTP targets; a stdio target is its command")
		}
		t.Command, err = splitCommand(line)
		return t, err
	}
	u, err := url.Parse(strings.ReplaceAll(rest, "{port}", "0"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("it begins with none of http://, https:// and stdio:; a command is written 'stdio:%s' or after --", redactWord(rest))
	}
	if u.Host == "" {
		return nil, errors.New("the URL has no host")
	}
	t.URL = rest
	return t, nil
}

func splitCommand(line string) ([]string, error) {
	command, err := shellquote.Split(line)
	if err != nil {
		return nil, usagef("the command line %q cannot be split into words: %w", line, err)
	}
	if len(command) == 0 {
		return nil, usage(errors.New("the command line is empty"))
	}
	return command, nil
}

// option is one key=value of a bracket, or a key alone; a value may be quoted.
var option = regexp.MustCompile(`^\s*([a-z]+)(?:=("(?:[^"\\]|\\.)*"|[^,\]]*))?\s*([,\]])`)

// parseOptions reads the bracket before a target and returns what follows it.
func parseOptions(t *bench.Target, word string) (rest string, err error) {
	rest, ok := strings.CutPrefix(word, "[")
	if !ok {
		return word, nil
	}
	for {
		m := option.FindStringSubmatch(rest)
		if m == nil {
			return "", fmt.Errorf("the options cannot be read at %q; they look like [name=go,fresh]", rest)
		}
		rest = rest[len(m[0]):]
		if err := setOption(t, m[1], m[2]); err != nil {
			return "", err
		}
		if m[3] == "]" {
			return rest, nil
		}
	}
}

func setOption(t *bench.Target, key, value string) (err error) {
	if strings.HasPrefix(value, `"`) {
		if value, err = strconv.Unquote(value); err != nil {
			return fmt.Errorf("option %s: reading the quoted value: %w", key, err)
		}
	}
	switch key {
	case "name":
		t.Name = value
	case "protocol":
		t.Revision = value
		if _, err := mcp.Era(value); err != nil && value != mcp.Auto {
			return err
		}
	case "fresh":
		if t.Fresh = value == "" || value == "true"; !t.Fresh && value != "false" {
			return fmt.Errorf("fresh is %q; it can be true or false", value)
		}
	case "answers":
		if t.Answers = value; value != "json" && value != "sse" {
			return fmt.Errorf("answers is %q; it can be json or sse", value)
		}
	case "pipes":
		if t.Sockets = value == "socketpair"; value != "socketpair" && value != "pipe" {
			return fmt.Errorf("pipes is %q; it can be pipe or socketpair", value)
		}
	case "start":
		t.Command, err = splitCommand(value)
	case "tool":
		t.Wish.Tool = value
	default:
		return fmt.Errorf("unknown option %q; known are name, protocol, fresh, answers, pipes, start and tool", key)
	}
	return err
}

// nameAll names the targets that have no name: by their transport, with a number
// where that is not enough.
func nameAll(all []*bench.Target) error {
	taken := map[string]bool{}
	for _, t := range all {
		if t.Name != "" && taken[t.Name] {
			return usagef("two targets are called %q; give each a name of its own: '[name=…]TARGET'", t.Name)
		}
		taken[t.Name] = true
	}
	for _, t := range all {
		if t.Name != "" {
			continue
		}
		kind := "stdio"
		if t.HTTP() {
			kind = "http"
		}
		t.Name = kind
		for n := 2; taken[t.Name]; n++ {
			t.Name = kind + " " + strconv.Itoa(n)
		}
		taken[t.Name] = true
	}
	return nil
}

// parseSizes reads a list of sizes such as 1KB,16KB; they are binary.
func parseSizes(list string) ([]int, error) {
	var sizes []int
	for word := range strings.SplitSeq(list, ",") {
		n, err := parseSize(strings.TrimSpace(word))
		if err != nil {
			return nil, usagef("--sizes: %w", err)
		}
		if slices.Contains(sizes, n) {
			return nil, usagef("--sizes: %s comes twice", word)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

func parseSize(word string) (int, error) {
	const most = 16 << 20
	digits := strings.TrimRight(word, "BKMbkmi")
	unit, ok := map[string]int{"": 1, "B": 1, "K": 1 << 10, "KB": 1 << 10, "KIB": 1 << 10, "M": 1 << 20, "MB": 1 << 20, "MIB": 1 << 20}[strings.ToUpper(word[len(digits):])]
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || n > most/unit {
		return 0, fmt.Errorf("%q is not a size from 1 to 16MB, such as 1KB", word)
	}
	return n * unit, nil
}

// redactArgs takes every target's secrets out of the command line.
func redactArgs(args []string, targets []*bench.Target) []string {
	clean := slices.Clone(args)
	if len(clean) > 0 {
		clean[0] = "mcpdyno"
	}
	for _, t := range targets {
		for i := range clean {
			clean[i] = t.Redact(clean[i])
		}
	}
	return clean
}

// redactWord hides a URL's secrets in a target that could not be read.
func redactWord(word string) string {
	for _, p := range urlSecrets(word) {
		word = strings.ReplaceAll(word, p, "[redacted]")
	}
	return word
}
