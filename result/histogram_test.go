package result

import (
	"encoding/json"
	"testing"
	"time"
)

// A histogram that was read counts as the one that was written, and can be
// recorded into and merged as any other.
func TestHistogramThatWasRead(t *testing.T) {
	written := NewHistogram()
	for i := range 100 {
		written.Record(time.Duration(i+1) * time.Microsecond)
	}
	text, err := json.Marshal(written)
	if err != nil {
		t.Fatal(err)
	}
	read := new(Histogram)
	if err := json.Unmarshal(text, read); err != nil {
		t.Fatal(err)
	}
	check := func(what string, h *Histogram, n int64, p50, most time.Duration) {
		t.Helper()
		if h.N() != n || h.Quantile(0.5) != p50 || h.Max() != most || h.Min() != written.Min() {
			t.Errorf("%s: n %d, p50 %v, max %v; want %d, %v, %v", what, h.N(), h.Quantile(0.5), h.Max(), n, p50, most)
		}
	}
	check("read", read, 100, written.Quantile(0.5), written.Max())
	sum := NewHistogram()
	sum.Merge(read)
	sum.Merge(read)
	check("merged twice", sum, 200, written.Quantile(0.5), written.Max())
	read.Record(time.Second)
	read.Merge(written)
	check("changed", read, 201, written.Quantile(0.51), read.Max())
	read.Reset()
	if read.N() != 0 || read.Max() != 0 {
		t.Errorf("after Reset n is %d and max %v", read.N(), read.Max())
	}
	if err := json.Unmarshal([]byte(`"no histogram"`), read); err == nil {
		t.Error("nonsense was read")
	}
}
