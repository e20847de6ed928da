// Package wire is JSON-RPC as bytes: request templates, message scanning, line
// and SSE framing; does no I/O.
//
//  1. A request is encoded once ([NewTemplate]) and gets a new id and nonce for
//     each call ([Template.Append]).
//  2. Bytes that were read go into a framer, [Lines] or [Events], which hands
//     back whole messages without copying them.
//  3. [Scan] finds what a message is (its id, its kind, whether a tool failed)
//     without decoding it; [Elements] takes a batch apart first.
//
// The package reads nothing, writes nothing and keeps no clock; it knows JSON-RPC
// 2.0 but no revision of MCP.
package wire
