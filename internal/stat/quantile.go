package stat

import (
	"cmp"
	"math"
	"slices"
)

// missChance is the chance that MinCount accepts for a sample in which no value
// lies beyond the quantile.
const missChance = 0.05

// MinCount is the smallest sample from which quantile q (0 < q < 1) may be
// printed: ceil(ln 0.05 / ln q), the n at which the sample holds a value beyond
// the true quantile with 95 % probability (1 − qⁿ ≥ 0.95; Wilks 1941).
// p50: 5, p95: 59, p99: 299, p99.9: 2,995.
func MinCount(q float64) int {
	return int(math.Ceil(math.Log(missChance) / math.Log(q)))
}

// NearestRank is the quantile q (0…1) by nearest rank: the value at ⌈q·n⌉ of the
// sorted values, one that was really seen (Hyndman and Fan 1996, definition 1).
// Zero for no values.
func NearestRank[T cmp.Ordered](values []T, q float64) T {
	if len(values) == 0 {
		var zero T
		return zero
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Median is the middle value, or the mean of the two in the middle; 0 for none.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
