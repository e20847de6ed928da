// Mcpdyno is a dynamometer for MCP servers: it measures what they cost, and says
// whether a difference is real, or that it cannot tell.
//
//	mcpdyno COMMAND [flags] [TARGET…] [-- command args…]
//
// The commands are transport, inspect, report and serve. In the examples the
// null server of mcpdyno itself stands in for yours. They exit 0 where nothing
// else is said, on a machine that has nothing else to do.
//
// # Targets
//
// A target is what is measured: a server over one transport. It is one word: the
// URL of a server that runs (http or https), or stdio: and a command line, which
// is split as a shell would, without a shell. What follows -- is one stdio target
// too. With --config FILE, the configuration of an MCP client such as Claude
// Desktop, a target is the name of one of its servers.
//
//	$ mcpdyno serve --http 127.0.0.1:8080 &
//	$ mcpdyno inspect http://127.0.0.1:8080/mcp
//	$ mcpdyno inspect 'stdio:mcpdyno serve --stdio'
//	$ mcpdyno inspect -- mcpdyno serve --stdio
//	$ mcpdyno inspect --config client.json everything
//
// Options stand in brackets before a target, with commas between them; a value
// with a comma or a bracket is double-quoted. They are name=, protocol=, tool=;
// for HTTP start= (the command that starts the server, {port} being a free port),
// fresh (a new connection for every call) and answers=json or sse; for stdio
// pipes=pipe or socketpair. Only a server that mcpdyno starts has cold starts.
//
//	$ mcpdyno transport '[name=ours,start="mcpdyno serve --http 127.0.0.1:{port}"]http://127.0.0.1:{port}/mcp'
//
// Flags say the same of all targets: --protocol auto or a revision, --tool NAME
// (else an echo, or a tool that says it only reads), --args JSON, --size-arg NAME
// (the argument that asks for an answer's size), --start COMMAND with one target,
// -H or --header 'Name: value', --bearer-env NAME (the environment variable that
// holds the token), --insecure (any certificate), --env NAME=VALUE, --cwd FOLDER.
// Of headers, of --env and of users in URLs no value comes into a result or a
// report, but for values of --env that are shorter than four characters.
//
//	$ mcpdyno inspect --bearer-env TOKEN -H 'X-Team: tools' http://127.0.0.1:8080/mcp
//
// # transport
//
// Measures the cold start, the round trip by answer size, calls in flight at once,
// and what keep-alive saves. Without a target it measures the null server over
// stdio and HTTP; several targets are compared with the first, and the null server
// is measured beside them as their floor.
//
//	$ mcpdyno transport
//	$ mcpdyno transport --dry-run --matrix full
//	$ mcpdyno transport --tool echo -- mcpdyno serve --stdio
//	$ mcpdyno transport -o r.jsonl 'stdio:mcpdyno serve --stdio' http://127.0.0.1:8080/mcp
//
// Each of --blocks 10 gives every target, in an order made from --seed 1, a fresh
// process and its share of --runs 400 calls of each of --sizes 1KB,16KB,64KB,256KB
// (1KB is 1,024 bytes), of --batches 60 of --in-flight 8 calls, and of
// --cold-starts 25; --warmup 50 (-w) calls come before each size. The last part is
// the null server with --work 200ms to do; 0 leaves it out. A call, and a server's
// start, may take --timeout 30s. --placement split gives server and mcpdyno CPUs
// of their own, shared the same one, none leaves both free; the default is split
// where it is possible, and none where a target runs already. --matrix default can be full: both eras, both forms of
// answers, both placements. --dry-run only says what would be done, and about how
// long it takes.
//
// The report goes to stdout, as --format text, json or markdown; progress goes to
// stderr, on a terminal, unless --quiet. The result goes to the file -o or --output,
// by default mcpdyno-results/TIME-transport.jsonl, a report in Markdown beside it;
// -o none keeps none.
//
// # inspect
//
// Connects to one target and says what it is: era, revision, sessions, tools,
// arguments that fit them, and which tool would be called.
//
// # report
//
// Prints the report of a result file again, or with --check recomputes every
// printed figure from the stored histograms.
//
//	$ mcpdyno report r.jsonl --format markdown
//	$ mcpdyno report --check r.jsonl
//	$ mcpdyno report nowhere.jsonl    # exits 1
//
// # serve
//
// Is the null server: it has the tools echo and payload, and does nothing. It
// serves --stdio or --http ADDRESS with --path /mcp, in --era both, legacy or
// modern, with --answers json or sse. A call can be made to wait (--delay D), to
// wait one at a time (--serial D), or to keep a CPU busy (--cpu D). It runs until
// its input ends, over HTTP until it is interrupted.
//
//	$ mcpdyno serve --era old --stdio    # exits 2
//
// # Exit codes
//
//	0    good: the verdict is VALID, or SUSPECT without --strict
//	1    mcpdyno or the target failed
//	2    the command line cannot be carried out
//	5    the run is INVALID, or with --strict not VALID
//	130  interrupted; what was measured is kept. A second interrupt stops at once
package main
