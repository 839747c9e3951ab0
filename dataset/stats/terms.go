package stats

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// subjects finds the subjects with the most quads.
func (c *collector) subjects(ctx context.Context, s *Stats) error {
	if c.opt.Quick {
		return nil
	}
	ranges, err := c.ranges(ctx, dataset.IRIs, dataset.BlankNodes)
	if err != nil {
		return err
	}
	most := c.opt.Top
	if most == 0 {
		most = topSubjects
	}
	top := c.top(most)
	err = c.tally(ctx, ranges, dataset.SPO, func(r dataset.IDRange, counts []uint64) error {
		for i, n := range counts {
			if n == 0 {
				continue
			}
			if err := top.add(r.Lo+dataset.ID(i), n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	list, err := top.list(ctx)
	s.Subjects = &Subjects{list}
	return err
}

// ranges returns ascending ranges with the ids of all terms of some kinds.
func (c *collector) ranges(ctx context.Context, kinds ...dataset.ClassKind) ([]dataset.IDRange, error) {
	var all []dataset.IDRange
	for _, kind := range kinds {
		list, _, err := c.ds.Ranges(ctx, dataset.Class{Kind: kind})
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b dataset.IDRange) int {
		if a.Lo < b.Lo {
			return -1
		}
		return 1
	})
	// Where the kinds of a journal's terms are not told apart, ranges of two kinds are equal.
	out := all[:0]
	for _, r := range all {
		if n := len(out); n > 0 && r.Lo <= out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

// literals counts the quads of each datatype and language.
func (c *collector) literals(ctx context.Context, s *Stats) error {
	if c.opt.Quick {
		return nil
	}
	terms, ok := c.ds.(dataset.TermScan)
	if !ok {
		return errors.New("stats: the dataset does not go through its dictionary")
	}
	ranges, err := c.ranges(ctx, dataset.Literals)
	if err != nil {
		return err
	}
	k := &kinds{c: c, datatypes: map[string]*Entry{}, languages: map[string]*Entry{}}
	err = c.tally(ctx, ranges, dataset.OSP, func(r dataset.IDRange, counts []uint64) error {
		return terms.ScanTerms(ctx, r, func(first dataset.ID, t *dataset.Terms, lo, hi int) error {
			for i := lo; i < hi; i++ {
				if n := counts[int(first-r.Lo)+i]; n > 0 {
					if err := k.add(t.At(i), n); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
	s.Literals = &Literals{Distinct: k.distinct, Quads: k.quads, Datatypes: k.list(k.datatypes), Languages: k.list(k.languages)}
	return err
}

// kinds are the datatypes and languages of literals.
type kinds struct {
	c                    *collector
	distinct, quads      uint64
	datatypes, languages map[string]*Entry // by surface of the datatype, by tag
}

// entryBytes is what a datatype takes in addition to its text, of which there are two.
const entryBytes = 160

// add adds a literal with its quads; other terms are passed over.
func (k *kinds) add(surface []byte, n uint64) error {
	_, lang, dir, datatype, ok := rdf.SplitLiteral(surface)
	if !ok {
		return nil
	}
	k.distinct++
	k.quads += n
	switch {
	case len(dir) > 0:
		datatype = []byte(rdf.DirLangIRI)
	case len(lang) > 0:
		datatype = []byte(rdf.LangStringIRI)
	case len(datatype) == 0:
		datatype = []byte(rdf.XSDString)
	}
	if err := k.count(k.datatypes, datatype, n, func(iri string) rdf.Term { return rdf.IRI(iri) }); err != nil || len(lang) == 0 {
		return err
	}
	return k.count(k.languages, lang, n, rdf.String)
}

func (k *kinds) count(m map[string]*Entry, key []byte, n uint64, term func(string) rdf.Term) error {
	e := m[string(key)]
	if e == nil {
		if err := k.c.hold(entryBytes + 2*int64(len(key))); err != nil {
			return err
		}
		e = &Entry{Term: term(string(bytes.Clone(key)))}
		m[string(key)] = e
	}
	e.Quads += n
	e.Terms++
	return nil
}

func (k *kinds) list(m map[string]*Entry) List {
	l := List{Distinct: uint64(len(m))}
	for _, e := range m {
		l.Entries = append(l.Entries, *e)
	}
	l.sort(k.c.opt.Top)
	return l
}
