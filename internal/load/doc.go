// Package load decides when calls are due, makes them and stamps them; it has
// never heard of MCP.
//
//  1. A [Plan] says who calls and [When] calls are due.
//  2. [Plan.Run] makes them: the hit function stamps sent, a [Caller] makes the
//     call and stamps what it saw, and the sample goes into a batch of the
//     caller's own.
//  3. Batches come out of Run; what becomes of them is the reader's affair, off
//     the timed path.
//
// A caller is one request in flight. Whether callers share a connection is not
// known here.
package load
