// Package study holds the experiments that decide what to run next from what
// was seen: so far [Transport], the study of what a transport costs.
//
//  1. The targets are laid out: the user's, each HTTP one with a twin that makes
//     a new connection for every call, and the null server as their floor.
//  2. Each is probed once: what it is, which tool is called.
//  3. Block by block, in a seeded random order, every target gets a fresh
//     process, its share of the calls and batches, and its share of the cold
//     starts; the machine is looked at in between.
//  4. Last comes the null server with work to do.
package study
