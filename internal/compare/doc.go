// Package compare is two or more results into rows with verdicts.
//
// Two targets measured in the same rounds give pairs, one value a round. A
// paired t interval on the log ratios, a margin and four words (slower, faster,
// same, undecided) make the row. It refuses to average calls: calls inside a
// round are correlated, so that a thousand of them are still one value.
package compare
