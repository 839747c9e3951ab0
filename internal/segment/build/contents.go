package build

import (
	"context"
	"errors"
	"sort"

	"github.com/rete-go/rete/internal/extsort"
	"github.com/rete-go/rete/internal/segment/write"
)

// choose chooses the orders by what the file will hold.
func (s *orders) choose(c write.Contents) error {
	if err := s.w.SetContents(c); err != nil {
		return err
	}
	s.chains = chains
	if s.w.Three() {
		s.chains = threeChain
	}
	return nil
}

// contents counts the distinct keys of the default graph, which come first, and of the named ones.
func (s *orders) contents(keys extsort.List) write.Contents {
	n := keys.Len()
	def := sort.Search(n, func(i int) bool { return s.layout.At(keys, 0, i) > 0 })
	return write.Contents{Graphs: len(s.names), Named: uint64(n - def), Default: uint64(def)}
}

// errCounted ends a merge.
var errCounted = errors.New("build: counted")

// count is contents of keys in runs. It merges them, but ends where the graphs cannot be small any more.
func (s *orders) count(ctx context.Context, runs *extsort.Runs) (all write.Contents, err error) {
	all.Graphs = len(s.names)
	named, def := write.Most(all.Graphs)
	if s.b.opt.Orders != 0 || named == 0 {
		return all, nil
	}
	err = runs.Merge(func(keys extsort.List) error {
		part := s.contents(keys)
		all.Named, all.Default = all.Named+part.Named, all.Default+part.Default
		if all.Named > named || all.Default > def {
			return errCounted
		}
		return context.Cause(ctx)
	})
	if err == errCounted {
		err = nil
	}
	return all, err
}
