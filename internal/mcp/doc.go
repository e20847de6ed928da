// Package mcp speaks MCP over a connection; it is the only package that knows
// protocol revisions.
//
//  1. [Negotiate] finds out which revision a server speaks, once per target and
//     never while something is timed.
//  2. [Open] opens a session in that revision: the handshake of the legacy era,
//     nothing at all in the modern one.
//  3. [Session.Tools] lists what the server offers, [Choose] picks the tool to
//     call where the user named none.
//  4. [Session.Prepare] encodes an [Op] once; a [Caller] sends it again and
//     again, and says how each call ended.
//
// It does not retry, and keeps nothing of an answer but how it ended.
package mcp
