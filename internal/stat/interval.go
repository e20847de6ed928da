package stat

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Interval is an estimate and its confidence interval. Level is the
// confidence (0.95 for 95 %); it is 0 where the data give no interval, and Low
// and High are then the centre and mean nothing.
type Interval struct {
	Center, Low, High, Level float64
}

// Known reports whether the data gave an interval.
func (i Interval) Known() bool { return i.Level > 0 }

// Excludes reports whether the interval is known and x lies outside it.
func (i Interval) Excludes(x float64) bool { return i.Known() && (x < i.Low || x > i.High) }

func (i Interval) mapped(f func(float64) float64) Interval {
	return Interval{f(i.Center), f(i.Low), f(i.High), i.Level}
}

func unknown(center float64) Interval { return Interval{Center: center, Low: center, High: center} }

// MeanInterval is the mean with Student's t interval at the level (0…1).
// Unknown for fewer than two values or any that is not finite.
func MeanInterval(values []float64, level float64) Interval {
	if len(values) == 0 || !allFinite(values) {
		return unknown(0)
	}
	mean, sd := meanSD(values)
	if len(values) < 2 {
		return unknown(mean)
	}
	n := float64(len(values))
	half := tQuantile(level, n-1) * sd / math.Sqrt(n)
	return Interval{mean, mean - half, mean + half, level}
}

// PairedRatio is the geometric mean of b/a with the t interval on the log
// ratios, transformed back. Values pair by index. Unknown for fewer than two
// pairs, unequal lengths, or a value that is not above zero.
func PairedRatio(a, b []float64, level float64) Interval {
	logs := LogRatios(a, b)
	if len(logs) == 0 {
		return unknown(1)
	}
	return MeanInterval(logs, level).mapped(math.Exp)
}

// PairedDifference is the mean of b − a with its t interval. Values pair by
// index. Unknown for fewer than two pairs or unequal lengths.
func PairedDifference(a, b []float64, level float64) Interval {
	if len(a) != len(b) {
		return unknown(0)
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = b[i] - a[i]
	}
	return MeanInterval(d, level)
}

// Halves is the ratio of the second half of the values to the first (geometric
// means), with Welch's t interval on the logs (Welch 1947). The middle one of an
// odd number is left out. Unknown for fewer than four values or any that is not
// above zero.
func Halves(values []float64, level float64) Interval {
	half := len(values) / 2
	logs := logsOf(values)
	if half < 2 || logs == nil {
		return unknown(1)
	}
	return welch(logs[:half], logs[len(logs)-half:], level).mapped(math.Exp)
}

// welch is the difference of the means b − a, for two samples of two or more.
func welch(a, b []float64, level float64) Interval {
	meanA, sdA := meanSD(a)
	meanB, sdB := meanSD(b)
	na, nb := float64(len(a)), float64(len(b))
	va, vb := sdA*sdA/na, sdB*sdB/nb
	d := meanB - meanA
	if va+vb == 0 {
		return Interval{d, d, d, level}
	}
	df := (va + vb) * (va + vb) / (va*va/(na-1) + vb*vb/(nb-1))
	half := tQuantile(level, df) * math.Sqrt(va+vb)
	return Interval{d, d - half, d + half, level}
}

// LogRatios is ln(b/a) pair by pair; nil where they do not pair or a value is
// not finite and above zero.
func LogRatios(a, b []float64) []float64 {
	la, lb := logsOf(a), logsOf(b)
	if la == nil || len(la) != len(lb) {
		return nil
	}
	for i := range la {
		lb[i] -= la[i]
	}
	return lb
}

func logsOf(values []float64) []float64 {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	if !allFinite(logs) {
		return nil
	}
	return logs
}

// meanSD is the mean and the standard deviation, 0 for one value.
func meanSD(values []float64) (mean, sd float64) {
	if len(values) == 1 {
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}

// tQuantile is the two-sided t quantile for a confidence level.
func tQuantile(level, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1 + level) / 2)
}

func allFinite(values []float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
