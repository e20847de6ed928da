// Package fake is an MCP server that misbehaves on purpose, one way a case, so
// that tests can show what mcpdyno does about it.
//
// Without a case it is a small well-behaved server with the tools echo and
// payload, on stdio or streamable HTTP, in the legacy era (2025-11-25,
// initialize, sessions), the modern one (2026-07-28, stateless) or both. A case
// changes one thing:
//
//  1. [Main] reads the flags and picks the case's behaviour from the table
//     (cases).
//  2. serveStdio or serveHTTP reads requests; (*server).reply makes the right
//     answer.
//  3. Where the behaviour is triggered, its bend changes that answer, or its
//     line (stdio) or post (HTTP) takes over.
//
// Tests run it as a program by executing themselves again:
//
//	func TestMain(m *testing.M) {
//		if os.Getenv("MCPDYNO_FAKE") != "" {
//			os.Exit(fake.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
//		}
//		os.Exit(m.Run())
//	}
//
// It measures nothing and imports nothing of mcpdyno.
package fake
