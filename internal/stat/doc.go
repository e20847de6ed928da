// Package stat is numbers from numbers: quantiles, intervals, tests.
//
// It knows no units and no benchmark. Where the data cannot carry an answer it
// says so in the value ([Interval.Known]) and never with NaN or infinity, so
// that nothing it returns can break a JSON document.
package stat
