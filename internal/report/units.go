package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mcpdyno/result"
)

// notAvailable is what a missing figure prints; the reason stands beside it.
const notAvailable = "n/a"

// A unit is what the times of one table are printed in.
type unit struct {
	name string
	ns   float64
}

// unitFor picks the unit of a table from a typical time in it.
func unitFor(ns int64) unit {
	switch {
	case ns >= 1e9:
		return unit{"s", 1e9}
	case ns >= 1e6:
		return unit{"ms", 1e6}
	}
	return unit{"µs", 1e3}
}

// time prints a duration in the unit with three digits; n/a for nil.
func (u unit) time(ns *int64) string {
	if ns == nil {
		return notAvailable
	}
	return number(float64(*ns) / u.ns)
}

// signed is time with its sign, also where it is positive.
func (u unit) signed(ns *int64) string {
	if ns != nil && *ns > 0 {
		return "+" + u.time(ns)
	}
	return u.time(ns)
}

// number prints three significant digits, with commas: 0.0520, 43.1, 1,210.
func number(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	scale := math.Pow(10, float64(digits))
	v = math.Round(v*scale) / scale
	text := strconv.FormatFloat(math.Abs(v), 'f', max(digits, 0), 64)
	// 9.995 has become 10.00: one digit less.
	if whole, _, found := strings.Cut(text, "."); found && len(whole)+digits > 3 && whole != "0" {
		text = strconv.FormatFloat(math.Abs(v), 'f', digits-1, 64)
	}
	if v < 0 {
		return "-" + commas(text)
	}
	return commas(text)
}

// commas parts the digits before the point in threes.
func commas(text string) string {
	whole, rest, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		return whole + "." + rest
	}
	return whole
}

// count prints a whole number with commas.
func count(n int64) string { return commas(strconv.FormatInt(n, 10)) }

// span prints a duration on its own, with its unit: 43.1 µs.
func span(ns float64) string {
	u := unitFor(int64(math.Abs(ns)))
	return number(ns/u.ns) + " " + u.name
}

// millis prints a duration in ms with two significant digits, as in "0.09 ms a
// call", so that a call and a session of calls can be compared at a glance.
func millis(ns float64) string {
	ms := math.Abs(ns) / 1e6
	if ms == 0 {
		return "0 ms"
	}
	digits := max(1-int(math.Floor(math.Log10(ms))), 0)
	return commas(strconv.FormatFloat(ms, 'f', digits, 64)) + " ms"
}

// percent prints a share with two digits: 8.3 %, 29 %, 140 %.
func percent(share float64) string {
	p := 100 * share
	if math.Abs(p) < 9.95 {
		return strconv.FormatFloat(p, 'g', 2, 64) + " %"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + " %"
}

// sizeText prints a size with its bytes: 1 KB (1,024 bytes).
func sizeText(bytes int) string {
	text := result.SizeText(bytes)
	if strings.HasSuffix(text, "bytes") {
		return count(int64(bytes)) + " bytes"
	}
	return fmt.Sprintf("%s (%s bytes)", text, count(int64(bytes)))
}

// memoryText prints a size of memory in GiB.
func memoryText(bytes int64) string { return fmt.Sprintf("%.3g GiB", float64(bytes)/(1<<30)) }

// interval prints an estimate and its interval: 5.90 [5.51, 6.32].
func interval(center, low, high string) string { return fmt.Sprintf("%s [%s, %s]", center, low, high) }

// outcomeText lists the counts that are not zero, in order.
func outcomeText(counts map[result.Outcome]int64) string {
	var parts []string
	for _, o := range result.Outcomes() {
		if counts[o] > 0 {
			parts = append(parts, count(counts[o])+" "+o.String())
		}
	}
	return strings.Join(parts, ", ")
}
