package wire

import (
	"strings"
	"testing"
)

func answer(text string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":123456789012,"result":{"content":[{"type":"text","text":"` + text + `"}],"isError":false}}`)
}

func benchmarkScan(b *testing.B, message []byte) {
	b.ReportAllocs()
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		if m, err := Scan(message); err != nil || m.ID != 123456789012 {
			b.Fatal(m.ID, err)
		}
	}
}

func BenchmarkScan1KB(b *testing.B) { benchmarkScan(b, answer(strings.Repeat("x", 1<<10))) }

func BenchmarkScan256KB(b *testing.B) { benchmarkScan(b, answer(strings.Repeat("x", 256<<10))) }

func BenchmarkScan256KBEscaped(b *testing.B) {
	benchmarkScan(b, answer(strings.Repeat(`{\"k\":\"value\"},\n`, 256<<10/18)))
}

func BenchmarkScan256KBStructured(b *testing.B) {
	item := `{"name":"value","n":12345,"list":[1,2,3]},`
	message := strings.Replace(string(answer("")), `"text":""`, `"text":[`+strings.Repeat(item, 256<<10/len(item))+`1]`, 1)
	benchmarkScan(b, []byte(message))
}

func BenchmarkAppend1KB(b *testing.B) {
	t, err := NewTemplate("tools/call", []byte(`{"name":"echo","arguments":{"message":"`+NonceHole+strings.Repeat("x", 1<<10)+`"}}`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	dst := make([]byte, 0, 2<<10)
	for b.Loop() {
		dst = t.Append(dst[:0], FirstID, 1)
	}
}

// benchmarkFeed feeds message as reads of at most 64 KiB, as a pipe does.
func benchmarkFeed(b *testing.B, f feed, message string, next func() bool) {
	b.ReportAllocs()
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		found := false
		for at := 0; at < len(message); {
			space := f.Space(4 << 10)
			n := copy(space[:min(len(space), 64<<10)], message[at:])
			f.Fed(n)
			at += n
			found = next()
		}
		if !found {
			b.Fatal("no message")
		}
	}
}

func BenchmarkLines256KB(b *testing.B) {
	var l Lines
	benchmarkFeed(b, &l, strings.Repeat("x", 256<<10)+"\n", func() bool { _, ok, _ := l.Next(); return ok })
}

func BenchmarkEvents256KB(b *testing.B) {
	var e Events
	text := "event: message\ndata: " + strings.Repeat("x", 256<<10) + "\n\n"
	benchmarkFeed(b, &e, text, func() bool { _, ok, _ := e.Next(); return ok })
}
