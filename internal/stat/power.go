package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Power is the chance with which PairsNeeded finds an effect that is there.
const Power = 0.8

// PairsNeeded is how many pairs a paired t test at the level (0.95) needs to
// find the mean effect with 80 % power, when differences scatter as these do:
// the smallest n with n ≥ ((t[1−α/2] + t[power])·s/effect)², t with n − 1
// degrees of freedom (Chow, Shao and Wang, Sample Size Calculations in Clinical
// Research, 3.1). It is at most limit, and limit for no effect or fewer than two
// differences.
func PairsNeeded(differences []float64, effect, level float64, limit int) int {
	if len(differences) < 2 || effect == 0 || !allFinite(differences) {
		return limit
	}
	_, sd := meanSD(differences)
	ratio := sd / math.Abs(effect)
	z := distuv.UnitNormal.Quantile((1+level)/2) + distuv.UnitNormal.Quantile(Power)
	for n := max(2, math.Floor(z*z*ratio*ratio)); n < float64(limit); n++ {
		t := tQuantile(level, n-1) + tQuantile(2*Power-1, n-1)
		if n >= t*t*ratio*ratio {
			return int(n)
		}
	}
	return limit
}
