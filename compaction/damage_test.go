package compaction

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// fake is a source with lists of terms and the rows of one graph.
type fake struct {
	counts segment.Counts
	terms  [segment.Sections][]string
	rows   [][3]uint32 // in SPO order; other orders are not right, and not read
	err    error       // after the last row
}

func (f *fake) Name() string                                 { return "the fake" }
func (f *fake) Counts() segment.Counts                       { return f.counts }
func (f *fake) Canonical() bool                              { return true }
func (f *fake) HasOrder(tile.Order) bool                     { return true }
func (f *fake) GraphNames(context.Context) ([][]byte, error) { return nil, nil }
func (f *fake) Terms(sec segment.Section) termScan           { return &fakeTerms{f.terms[sec]} }

type fakeTerms struct{ list []string }

func (t *fakeTerms) Next(context.Context) ([]byte, error) {
	if len(t.list) == 0 {
		return nil, io.EOF
	}
	term := t.list[0]
	t.list = t.list[1:]
	return []byte(term), nil
}

func (f *fake) Rows(_ context.Context, _ int, o tile.Order) (rowScan, error) {
	return &fakeRows{f}, nil
}

type fakeRows struct{ f *fake }

func (r *fakeRows) Next(context.Context) (segment.Run, error) {
	if len(r.f.rows) == 0 {
		if r.f.err != nil {
			return segment.Run{}, r.f.err
		}
		return segment.Run{}, io.EOF
	}
	t := &tile.Tile{}
	for _, row := range r.f.rows {
		t.A, t.B, t.C = append(t.A, row[0]), append(t.B, row[1]), append(t.C, row[2])
		t.AEnd, t.BEnd = append(t.AEnd, uint32(len(t.A))), append(t.BEnd, uint32(len(t.B)))
	}
	r.f.rows = nil
	return segment.Run{Tile: t, Hi: t.Len()}, nil
}

// A source that is not what it says is damage that names it, not a wrong file.
func TestDamagedSources(t *testing.T) {
	counts := segment.Counts{Subjects: 2, Objects: 2, Predicates: 1}
	good := [segment.Sections][]string{segment.SubjectOnly: {"<a>", "<b>"}, segment.ObjectOnly: {"<c>", "<d>"}, segment.Predicates: {"<p>"}}
	with := func(sec segment.Section, terms ...string) (t [segment.Sections][]string) {
		t = good
		t[sec] = terms
		return t
	}
	row := [][3]uint32{{1, 1, 1}}
	down := errors.New("the disk is gone")
	cases := []struct {
		name string
		f    *fake
		want error
	}{
		{"terms descend", &fake{counts: counts, terms: with(segment.SubjectOnly, "<b>", "<a>"), rows: row}, damage.Err},
		{"too few terms", &fake{counts: counts, terms: with(segment.ObjectOnly, "<c>"), rows: row}, damage.Err},
		{"too many terms", &fake{counts: counts, terms: with(segment.Predicates, "<p>", "<q>"), rows: row}, damage.Err},
		{"a subject too large", &fake{counts: counts, terms: good, rows: [][3]uint32{{3, 1, 1}}}, damage.Err},
		{"a predicate too large", &fake{counts: counts, terms: good, rows: [][3]uint32{{1, 2, 1}}}, damage.Err},
		{"an object too large", &fake{counts: counts, terms: good, rows: [][3]uint32{{1, 1, 3}}}, damage.Err},
		{"rows cannot be read", &fake{counts: counts, terms: good, rows: row, err: down}, down},
	}
	for _, c := range cases {
		var out bytes.Buffer
		_, err := compact(context.Background(), [][2]source{{adds: c.f}}, adds, &out, nil)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if c.want == damage.Err && (err == nil || !strings.Contains(err.Error(), "the fake")) {
			t.Errorf("%s: %v does not name the source", c.name, err)
		}
		if out.Len() > 0 {
			t.Errorf("%s: %d bytes were written", c.name, out.Len())
		}
	}
}
