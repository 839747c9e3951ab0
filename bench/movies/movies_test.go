package movies_test

import (
	"testing"

	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/movies"
	"github.com/rete-go/rete/bench/workload"
	"github.com/rete-go/rete/internal/reteshared"
)

func set(tb testing.TB) *workload.Set {
	return movies.Set(reteshared.Path(tb, "data", "real", "movies", "movies-30k.nt.gz"))
}

// The numbers of rows are those of a second engine.
func TestAnswers(t *testing.T) {
	s := set(t)
	snap := benchtest.Open(t, s)
	for name, want := range map[string]int{
		"co-stars": 129, "most-films": 1, "own-film": 1889, "two-steps": 8322, "same-two": 98307, "regex": 209, "order-limit": 10,
	} {
		q, ok := s.Find(name)
		if !ok {
			t.Fatalf("no query %s", name)
		}
		rows := benchtest.Rows(t, snap, s.Fixed(q))
		if len(rows) != want {
			t.Errorf("%s: %d rows, want %d", name, len(rows), want)
		}
		if name == "most-films" && (rows[0][0].Value() != "http://rdf.freebase.com/ns/en/mel_blanc" || rows[0][1].Value() != "266") {
			t.Errorf("most films: %v", rows[0])
		}
	}
}

// Every constant that may be drawn is in the data.
func TestConstants(t *testing.T) {
	s := set(t)
	snap := benchtest.Open(t, s)
	q, _ := s.Find("co-stars")
	for n := range 50 {
		if text := s.Instance(q, 1, n); len(benchtest.Rows(t, snap, text)) == 0 {
			t.Errorf("no rows: %s", text)
		}
	}
}

func BenchmarkMovies(b *testing.B) { benchtest.Queries(b, set(b)) }
