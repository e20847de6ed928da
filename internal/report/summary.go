package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mcpdyno/internal/compare"
	"mcpdyno/result"
)

// sessionCalls is the length of a session that a difference is told for: the
// two hundred tool calls of the article this study comes from.
const sessionCalls = 200

// timesFaster is the ratio from which "times" reads better than "% apart".
const timesFaster = 1.5

// summary says in plain words what the measured numbers show.
func summary(d *Document) []string {
	say := []string{}
	if !slices.ContainsFunc(d.measured(), func(t *Target) bool { return t.Status == statusOK || t.Status == statusPartial }) {
		return append(say, "No call of any target ended ok: there is nothing to compare.")
	}
	for _, t := range d.measured() {
		base := d.base(t)
		if base == nil {
			continue
		}
		if twin := d.reusedTwin(t); twin != nil && twin.Status != statusFailed {
			say = append(say, keepAlive(d, twin, t)...)
			continue
		}
		say = append(say, roundTrips(d, base, t)...)
		say = append(say, coldSentence(d, base, t)...)
	}
	say = append(say, workSentences(d)...)
	return append(append(say, readiness(d)...), zeros(d)...)
}

// roundTrips tells the difference of two targets at each size, one call at a
// time, and then with batches at the smallest and the largest.
func roundTrips(d *Document, base, t *Target) []string {
	if t.Status == statusFailed || t.Status == statusNotRun {
		return []string{fmt.Sprintf("%s could not be measured.", t.Name)}
	}
	var say []string
	single := changesOf(d, base, t, result.PhaseSteady)
	for _, c := range single {
		say = append(say, capital(difference(at(c), c, d.Plan.Margin)+perSession(c)+"."))
	}
	if n := len(single); n > 1 && shrinks(single[0], single[n-1]) {
		say = append(say, fmt.Sprintf("The ratio shrinks from %s at %s to %s at %s: the multiple is largest where the times are smallest.",
			number(*single[0].Ratio), result.SizeText(sizeOf(single[0])), number(*single[n-1].Ratio), result.SizeText(sizeOf(single[n-1]))))
	}
	if n := len(single); n > 1 && crosses(single[0], single[n-1]) {
		say = append(say, fmt.Sprintf("The order turns with the size: %s is ahead at %s and %s at %s.",
			faster(single[0]), result.SizeText(sizeOf(single[0])), faster(single[n-1]), result.SizeText(sizeOf(single[n-1]))))
	}
	batches := changesOf(d, base, t, result.PhaseBatch)
	for i, c := range batches {
		if i == 0 || i == len(batches)-1 {
			say = append(say, capital(fmt.Sprintf("with %d calls in flight, %s.", c.InFlight, difference(at(c), c, d.Plan.Margin)+perBatch(c))))
		}
	}
	return say
}

// changesOf lists the comparisons of two targets in a phase, smallest size first.
func changesOf(d *Document, old, new *Target, phase string) []compare.Change {
	var found []compare.Change
	for _, c := range d.Changes {
		if c.Old == old.Name && c.New == new.Name && c.Phase == phase && c.Ratio != nil {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b compare.Change) int { return sizeOf(a) - sizeOf(b) })
	return found
}

func at(c compare.Change) string {
	if c.SizeBytes == nil {
		return ""
	}
	return "at " + result.SizeText(*c.SizeBytes) + " "
}

// difference is the core of a sentence about one comparison.
func difference(where string, c compare.Change, margin float64) string {
	switch c.Verdict {
	case compare.Slower:
		return where + ahead(c.Old, c.New, *c.Ratio, *c.RatioLow, *c.RatioHigh)
	case compare.Faster:
		return where + ahead(c.New, c.Old, 1 / *c.Ratio, 1 / *c.RatioHigh, 1 / *c.RatioLow)
	case compare.Same:
		return fmt.Sprintf("%s%s and %s are the same within %s (%s)", where, c.Old, c.New, percent(margin), relative(c))
	}
	if c.RatioLow == nil {
		return fmt.Sprintf("%s%s takes %s times as long as %s, in a single round, which gives no interval", where, c.New, number(*c.Ratio), c.Old)
	}
	if *c.RatioLow > 1 || *c.RatioHigh < 1 {
		return fmt.Sprintf("%s%s and %s differ, and whether by as much as %s is undecided (%s)%s", where, c.Old, c.New, percent(margin), relative(c), rounds(c))
	}
	return fmt.Sprintf("%sthe difference between %s and %s cannot be told from zero (%s)%s", where, c.Old, c.New, relative(c), rounds(c))
}

// ahead tells a decided difference; the ratio is the slow one's time to the
// fast one's.
func ahead(fast, slow string, ratio, low, high float64) string {
	if ratio >= timesFaster {
		return fmt.Sprintf("%s is %s times faster than %s [%s, %s]", fast, number(ratio), slow, number(low), number(high))
	}
	return fmt.Sprintf("%s and %s are %s apart [%s, %s], %s ahead", fast, slow,
		percent(ratio-1), percent(low-1), percent(high-1), fast)
}

// relative prints a ratio as a signed difference in percent.
func relative(c compare.Change) string {
	return interval(signedPercent(*c.Ratio-1), signedPercent(*c.RatioLow-1), signedPercent(*c.RatioHigh-1))
}

func signedPercent(share float64) string {
	if share > 0 {
		return "+" + percent(share)
	}
	return percent(share)
}

func rounds(c compare.Change) string {
	switch {
	case c.RoundsNeeded == nil:
		return ""
	case *c.RoundsNeeded >= compare.MaxRounds:
		return "; no sensible number of rounds would decide it"
	}
	return fmt.Sprintf("; about %s rounds in all would decide it", count(int64(*c.RoundsNeeded)))
}

// perSession tells a decided difference in absolute terms.
func perSession(c compare.Change) string {
	if c.Verdict != compare.Slower && c.Verdict != compare.Faster {
		return ""
	}
	each := float64(*c.Difference)
	return fmt.Sprintf("; that is %s a call, %s in a session of %d calls", millis(each), millis(sessionCalls*each), sessionCalls)
}

func perBatch(c compare.Change) string {
	if c.Verdict != compare.Slower && c.Verdict != compare.Faster {
		return ""
	}
	return fmt.Sprintf("; that is %s a batch", millis(float64(*c.Difference)))
}

func shrinks(small, large compare.Change) bool {
	return *small.Ratio > timesFaster && *large.Ratio > 1 && *small.Ratio > timesFaster**large.Ratio
}

// crosses reports whether one side is ahead at the small size and the other at
// the large one, both decided.
func crosses(small, large compare.Change) bool {
	return small.Verdict == compare.Slower && large.Verdict == compare.Faster ||
		small.Verdict == compare.Faster && large.Verdict == compare.Slower
}

// faster names the side that is ahead in a decided comparison.
func faster(c compare.Change) string {
	if c.Verdict == compare.Faster {
		return c.New
	}
	return c.Old
}

// keepAlive tells what a fresh connection a call costs, at the smallest and the
// largest size and with batches.
func keepAlive(d *Document, reused, fresh *Target) []string {
	var parts []string
	for _, phase := range []string{result.PhaseSteady, result.PhaseBatch} {
		found := changesOf(d, reused, fresh, phase)
		for i, c := range found {
			if (i == 0 || i == len(found)-1) && c.OldValue != nil && c.NewValue != nil {
				parts = append(parts, fmt.Sprintf("%s against %s%s (%s)", span(float64(*c.NewValue)), span(float64(*c.OldValue)), keepAliveAt(c), costs(c)))
			}
		}
	}
	if len(parts) == 0 {
		return []string{fmt.Sprintf("%s could not be compared with %s.", fresh.Name, reused.Name)}
	}
	return []string{fmt.Sprintf("Keep-alive: a fresh connection for every call (%s) against reused ones (%s) takes %s.",
		fresh.Name, reused.Name, strings.Join(parts, ", "))}
}

func keepAliveAt(c compare.Change) string {
	where := strings.TrimSuffix(" "+at(c), " ")
	if c.Phase == result.PhaseBatch {
		return fmt.Sprintf("%s with %d calls in flight", where, c.InFlight)
	}
	return where
}

func costs(c compare.Change) string {
	switch {
	case c.RatioLow == nil:
		return "no interval"
	case *c.RatioLow <= 1 && *c.RatioHigh >= 1:
		return "cannot be told from zero"
	}
	return fmt.Sprintf("%s times [%s, %s]", number(*c.Ratio), number(*c.RatioLow), number(*c.RatioHigh))
}

// coldSentence compares the cold starts of two targets.
func coldSentence(d *Document, base, t *Target) []string {
	a, b := d.row(base.Name, coldTotal, 0, 1).p50(), d.row(t.Name, coldTotal, 0, 1).p50()
	if a == nil || b == nil {
		return nil
	}
	s := fmt.Sprintf("From a cold start the first call of %s is answered after %s and that of %s after %s (medians)",
		base.Name, span(float64(*a)), t.Name, span(float64(*b)))
	c := d.change(base.Name, t.Name, coldTotal, 0)
	switch {
	case c == nil || c.DifferenceLow == nil:
		return []string{s + ", once a session."}
	case *c.DifferenceLow <= 0 && *c.DifferenceHigh >= 0:
		return []string{s + "; the difference cannot be told from zero."}
	}
	low, high := math.Abs(float64(*c.DifferenceLow)), math.Abs(float64(*c.DifferenceHigh))
	return []string{fmt.Sprintf("%s; block by block they are %s apart on average [%s, %s], once a session.", s, span(math.Abs(float64(*c.Difference))),
		span(min(low, high)), span(max(low, high)))}
}

// readiness says over which transports a client can see that a server is ready.
func readiness(d *Document) []string {
	seen := map[string]bool{}
	for _, c := range d.Cold {
		for _, t := range d.measured() {
			if t.Name == c.Target && c.Starts > 0 {
				seen[t.Transport] = true
			}
		}
	}
	var say []string
	if seen["http"] {
		say = append(say, "Over HTTP a client can see when the server is ready (its port takes a connection), so that the boot is a wait of its own.")
	}
	if seen["stdio"] {
		say = append(say, "Over stdio nothing says that the server is ready: its boot lands in the first message, and a slow start looks like a call that hangs.")
	}
	return say
}

// mostZeros is how many differences a sentence lists.
const mostZeros = 8

// zeros lists the differences that cannot be told from zero.
func zeros(d *Document) []string {
	var rows []string
	compared := 0
	for _, c := range d.Changes {
		if c.RatioLow == nil {
			continue
		}
		if compared++; *c.RatioLow <= 1 && *c.RatioHigh >= 1 {
			rows = append(rows, fmt.Sprintf("%s and %s, %s", c.Old, c.New, changeText(c)))
		}
	}
	n := len(rows)
	switch {
	case compared == 0:
		return nil
	case n == 0:
		return []string{fmt.Sprintf("Each of the %d differences measured can be told from zero.", compared)}
	}
	more := ""
	if n > mostZeros {
		rows, more = rows[:mostZeros], fmt.Sprintf("; and %d more, undecided or the same in the tables", n-mostZeros)
	}
	return []string{fmt.Sprintf("%d of the %d differences measured cannot be told from zero: %s%s.", n, compared, strings.Join(rows, "; "), more)}
}

// changeText names what a comparison is about.
func changeText(c compare.Change) string {
	if c.Phase == coldTotal {
		return "cold start"
	}
	return strings.TrimSpace(fmt.Sprintf("%s%d in flight", sizePrefix(c), c.InFlight))
}

func sizePrefix(c compare.Change) string {
	if c.SizeBytes == nil {
		return ""
	}
	return result.SizeText(*c.SizeBytes) + ", "
}

// capital begins a sentence; a target's name keeps its letters.
func capital(s string) string {
	for _, word := range []string{"at ", "with ", "the "} {
		if strings.HasPrefix(s, word) {
			return strings.ToUpper(s[:1]) + s[1:]
		}
	}
	return s
}
