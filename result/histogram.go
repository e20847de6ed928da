package result

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range and precision of every stored histogram: 1 ns to 1 h, three
// significant digits (a recorded value is within 0.1 % of the true one).
const (
	histMin    = 1
	histMax    = int64(time.Hour)
	histDigits = 3
)

// A Histogram counts durations. Merging is lossless, so percentiles are always
// taken from merged counts and never averaged.
//
// One with room for every count takes 270 KB, and a file has thousands, most of
// some dozen values. What is read stays packed and is unpacked for each use.
type Histogram struct {
	h        *hdrhistogram.Histogram // nil while packed
	packed   []byte                  // HDR V2, deflated, base64
	packedN  int64                   // number of values in packed
	overflow int64
}

// NewHistogram returns an empty histogram.
func NewHistogram() *Histogram {
	return &Histogram{h: hdrhistogram.New(histMin, histMax, histDigits)}
}

// Record adds one duration. Values below 1 ns count as 1 ns; values above 1 h
// count as 1 h and are tallied by Overflow.
func (h *Histogram) Record(d time.Duration) {
	v := max(int64(d), histMin)
	if v > histMax {
		h.overflow++
		v = histMax
	}
	h.unpack()
	_ = h.h.RecordValue(v) // in range by construction
}

// Merge adds the counts of other.
func (h *Histogram) Merge(other *Histogram) {
	h.unpack()
	h.h.Merge(other.counts())
	h.overflow += other.overflow
}

// unpack makes the histogram one that can be changed.
func (h *Histogram) unpack() { h.h, h.packed = h.counts(), nil }

func (h *Histogram) counts() *hdrhistogram.Histogram {
	if h.h != nil {
		return h.h
	}
	counts, _ := hdrhistogram.Decode(h.packed) // UnmarshalJSON has checked that it can be
	return counts
}

// Reset empties the histogram.
func (h *Histogram) Reset() {
	h.unpack()
	h.h.Reset()
	h.overflow = 0
}

// N is the number of recorded durations.
func (h *Histogram) N() int64 {
	if h.h == nil {
		return h.packedN
	}
	return h.h.TotalCount()
}

// Overflow is the number of durations beyond one hour.
func (h *Histogram) Overflow() int64 { return h.overflow }

// Min is the smallest duration, 0 when empty.
func (h *Histogram) Min() time.Duration { return time.Duration(h.counts().Min()) }

// Max is the largest duration, 0 when empty.
func (h *Histogram) Max() time.Duration { return time.Duration(h.counts().Max()) }

// Mean is the arithmetic mean, 0 when empty.
func (h *Histogram) Mean() time.Duration { return time.Duration(h.counts().Mean()) }

// Quantile returns the nearest-rank quantile q (0…1), between Min and Max.
func (h *Histogram) Quantile(q float64) time.Duration {
	counts := h.counts()
	return time.Duration(min(counts.ValueAtQuantile(q*100), counts.Max()))
}

// MarshalJSON writes the histogram as a string: HDR V2, deflated, base64.
func (h *Histogram) MarshalJSON() ([]byte, error) {
	if h.h == nil {
		return json.Marshal(string(h.packed))
	}
	b, err := h.h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return nil, fmt.Errorf("encoding histogram: %w", err)
	}
	return json.Marshal(string(b))
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (h *Histogram) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("reading histogram: %w", err)
	}
	counts, err := hdrhistogram.Decode([]byte(s))
	if err != nil {
		return fmt.Errorf("decoding histogram: %w", err)
	}
	h.h, h.packed, h.packedN = nil, []byte(s), counts.TotalCount()
	return nil
}
