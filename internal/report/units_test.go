package report

import "testing"

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.052: "0.0520", 0.9996: "1.00", 4.618: "4.62", 9.996: "10.0",
		43.14: "43.1", 99.96: "100", 119.6: "120", 1213: "1,210", 999.7: "1,000", 1234567: "1,230,000", -8.125: "-8.13", -1500: "-1,500"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for ns, want := range map[float64]string{212: "0.212 µs", 43_140: "43.1 µs", 1_213_000: "1.21 ms", 1.6e9: "1.60 s"} {
		if got := span(ns); got != want {
			t.Errorf("span(%v) = %q, want %q", ns, got, want)
		}
	}
}

func TestMillis(t *testing.T) {
	for ns, want := range map[float64]string{0: "0 ms", 86_200: "0.086 ms", -86_200: "0.086 ms", 17_240_000: "17 ms", 1_404_000: "1.4 ms", 2.34e9: "2,340 ms"} {
		if got := millis(ns); got != want {
			t.Errorf("millis(%v) = %q, want %q", ns, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0.02: "2 %", 0.083: "8.3 %", 0.288: "29 %", 1.4: "140 %", -0.004: "-0.4 %"} {
		if got := percent(share); got != want {
			t.Errorf("percent(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestSizeText(t *testing.T) {
	for bytes, want := range map[int]string{1024: "1 KB (1,024 bytes)", 1500: "1,500 bytes", 262144: "256 KB (262,144 bytes)", 2 << 20: "2 MB (2,097,152 bytes)"} {
		if got := sizeText(bytes); got != want {
			t.Errorf("sizeText(%d) = %q, want %q", bytes, got, want)
		}
	}
}
