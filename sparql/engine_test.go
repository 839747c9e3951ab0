package sparql_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// surfaces returns quads as the engine's tests take them.
func surfaces(quads []rdf.Quad) [][4]string {
	seen := make(map[rdf.Quad]bool)
	var out [][4]string
	for _, q := range quads {
		if !seen[q] {
			seen[q] = true
			out = append(out, [4]string{q.S.Surface(), q.P.Surface(), q.O.Surface(), q.G.Surface()})
		}
	}
	return out
}

// onSegment returns the quads as one segment.
func onSegment(t testing.TB, quads []rdf.Quad) dataset.Dataset {
	var log []enginetest.Entry
	if len(quads) > 0 {
		log = append(log, enginetest.Entry{Adds: enginetest.SegmentLayer(segtest.Open(t, "base", surfaces(quads), nil, nil))})
	}
	return enginetest.NewView(log, nil)
}

// deal cuts the quads into a random log: some are added twice, others are deleted and added
// again, and there are some that are not to be seen.
func deal(r *rand.Rand, quads []rdf.Quad) (adds, dels [][]rdf.Quad) {
	n := 1 + r.IntN(4)
	adds, dels = make([][]rdf.Quad, n), make([][]rdf.Quad, n)
	for _, q := range quads {
		last := r.IntN(n)
		adds[last] = append(adds[last], q)
		for at := range last {
			switch r.IntN(4) {
			case 0:
				adds[at] = append(adds[at], q)
			case 1:
				dels[at] = append(dels[at], q)
			}
		}
	}
	for range r.IntN(6) {
		extra := rdf.Quad{S: rdf.IRI("http://ex/a"), P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(r.IntN(9)))}
		if at := r.IntN(n); !slices.Contains(quads, extra) && at+1 < n {
			adds[at] = append(adds[at], extra)
			dels[at+1] = append(dels[at+1], extra)
		}
	}
	return adds, dels
}

// onLog returns the quads as the fold of a random log.
func onLog(t testing.TB, r *rand.Rand, quads []rdf.Quad) dataset.Dataset {
	adds, dels := deal(r, quads)
	var log []enginetest.Entry
	for i := range adds {
		var e enginetest.Entry
		if len(adds[i]) > 0 {
			e.Adds = enginetest.SegmentLayer(segtest.Open(t, fmt.Sprintf("adds%d", i), surfaces(adds[i]), nil, nil))
		}
		if len(dels[i]) > 0 {
			e.Dels = enginetest.SegmentLayer(segtest.Open(t, fmt.Sprintf("dels%d", i), surfaces(dels[i]), nil, nil))
		}
		log = append(log, e)
	}
	return enginetest.NewView(log, nil)
}

func TestW3CEngine(t *testing.T) {
	for _, suite := range []string{"sparql10", "sparql11", "sparql12"} {
		s := sparqlsuite.Load(t, suite)
		s.Run(t, func(quads []rdf.Quad, q *sparql.Query, service map[string][]rdf.Quad) (sparqlsuite.Answer, error) {
			return answer(onSegment(t, quads), q, sparql.WithService(inProcess(service)))
		}, skips)
	}
}
