// Package proc starts, limits, places, watches and stops a server's process
// tree.
//
//  1. [NewKeeper] starts a watchdog: the same binary, in a session of its own,
//     holding the read end of a pipe. When mcpdyno is gone, however it went,
//     the pipe ends and [Watch] kills what is left.
//  2. [Keeper.Placement] decides which CPUs the server and the generator get;
//     [Placement.Apply] pins the generator.
//  3. [Keeper.Start] makes three plain pipes and a process in a group of its
//     own, on its CPUs from its first instruction. stderr is drained from the
//     first moment into a bounded tail ([Process.Stderr]).
//  4. [Process.Stop] ends it politely, then less so, and always within a
//     bound; [Process.Kill] at once. Both look for descendants afterwards:
//     wrappers (sh, npx) and daemons leave some behind.
//  5. [Watcher.Look] says once a round what else the machine was doing;
//     [Environment] says what machine it is.
//
// A descendant is known by the variable MCPDYNO_RUN in its environment, which
// is unique to one started process, or by its group. One that has left both,
// or that belongs to another user, is not found. On systems without /proc only
// the group is known, and on Windows only the process itself.
//
// The package does not speak any protocol: what goes through the pipes is the
// caller's affair, and so is when to start and stop.
package proc
