package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
)

// madeLines gives n lines of N-Triples, and holds none of them.
type madeLines struct {
	n, at int
	rest  []byte
}

// Read implements [io.Reader].
func (l *madeLines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.at == l.n {
			return 0, io.EOF
		}
		l.at++
		l.rest = fmt.Appendf(l.rest[:0], "<http://ex/s%d> <http://ex/p> \"a value with the number %d\" .\n", l.at, l.at)
	}
	k := copy(p, l.rest)
	l.rest = l.rest[k:]
	return k, nil
}

// TestConvertMemory: a document that is ten times as long takes no more memory.
func TestConvertMemory(t *testing.T) {
	const short, long = 8_000, 80_000
	source := allocated(t, func() { io.Copy(io.Discard, io.MultiReader(&madeLines{n: long})) })
	for _, syntax := range []string{"nt", "ttl", "trig", "nq", "rdfxml", "jsonld"} {
		convert := func(n int) uint64 {
			return allocated(t, func() {
				var stderr bytes.Buffer
				if code := execute(t.Context(), []string{"convert", "-", "--to", syntax}, &madeLines{n: n}, io.Discard, &stderr); code != 0 {
					t.Fatalf("%s: exit code %d: %s", syntax, code, &stderr)
				}
			})
		}
		convert(short) // what is made once
		a, b := convert(short), convert(long)
		if b > a+source+1<<20 {
			t.Errorf("%s: %d quads allocate %d bytes, %d quads %d; the source itself %d", syntax, short, a, long, b, source)
		}
	}
}

// allocated is how many bytes f allocates in all, those that are free again included.
func allocated(t *testing.T, f func()) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
