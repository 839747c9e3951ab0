package join

import (
	"context"
	"errors"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// trieJoin is a leapfrog over cursors of stored data, for patterns that there is no
// memory to hold. At each level it walks the ids that the cursors of all patterns of the
// variable have below what is chosen above.
type trieJoin struct {
	hold   mem.Holding
	tries  []dataset.Trie
	levels []trieLevel
}

// trieLevel is one variable.
type trieLevel struct {
	tries []dataset.Trie
	scans []*plan.Scan // that allow an id
	cols  []dataset.Col
	begun bool
	now   id
	since *cancel.Count // of the moves of all cursors
}

// openTries opens cursors in the place of arrays; false if the data has none for one of
// the patterns.
func (o *multiwayOp) openTries(ctx context.Context) (*trieJoin, bool, error) {
	j := &trieJoin{hold: o.run.Holding("cursors"), levels: make([]trieLevel, len(o.node.Order))}
	for i := range j.levels {
		j.levels[i].since = &o.since
	}
	for _, e := range o.node.Edges {
		from, to := e.Scan.Column(e.From), e.Scan.Column(e.To)
		if cols := e.Scan.Order.Columns(); cols[1] != from || cols[2] != to || e.Scan.Pattern.At(cols[0]) == 0 {
			j.close()
			return nil, false, nil
		}
		p := e.Scan.Pattern
		p.G = o.run.GraphsOf(e.Scan.Graph)
		t, err := o.run.Terms.Dataset().Trie(ctx, p, e.Scan.Order)
		if err != nil {
			j.close()
			if errors.Is(err, dataset.ErrNoTrie) {
				err = nil
			}
			return nil, false, err
		}
		j.tries = append(j.tries, t)
		some, err := t.Open(ctx) // the constant
		if err != nil {
			j.close()
			return nil, false, err
		}
		if !some {
			o.depth = -1
		}
		for i, v := range [2]plan.Var{e.From, e.To} {
			l := &j.levels[slices.Index(o.node.Order, v)]
			l.tries, l.scans, l.cols = append(l.tries, t), append(l.scans, e.Scan), append(l.cols, [2]dataset.Col{from, to}[i])
		}
	}
	if err := j.weigh(ctx); err != nil {
		j.close()
		return nil, false, err
	}
	return j, true, nil
}

// weigh asks for the memory that the cursors hold by now.
func (j *trieJoin) weigh(ctx context.Context) error {
	n := int64(0)
	for _, t := range j.tries {
		if b, ok := t.(interface{ Bytes() int64 }); ok {
			n += b.Bytes()
		}
	}
	return j.hold.To(ctx, n)
}

// enter goes down to the ids of a level; false if one of the cursors has none.
func (l *trieLevel) enter(ctx context.Context) (bool, error) {
	l.begun = false
	for i, t := range l.tries {
		ok, err := t.Open(ctx)
		if err != nil {
			return false, err
		}
		if !ok {
			for _, t := range l.tries[:i] {
				t.Up()
			}
			return false, nil
		}
	}
	return true, nil
}

// leave goes back to the level above.
func (l *trieLevel) leave() {
	for _, t := range l.tries {
		t.Up()
	}
}

// next moves the level to its next id; false if there is none.
func (l *trieLevel) next(ctx context.Context) (bool, error) {
	for {
		if l.begun {
			if ok, err := l.tries[0].Next(ctx); !ok || err != nil {
				return false, err
			}
		}
		l.begun = true
		key, agreed := l.tries[0].Key(), 1
		for i := 1; agreed < len(l.tries); i++ {
			if err := l.since.Pass(ctx, 1); err != nil {
				return false, err
			}
			t := l.tries[i%len(l.tries)]
			if t.Key() < key {
				if ok, err := t.Seek(ctx, key); !ok || err != nil {
					return false, err
				}
			}
			if agreed++; t.Key() > key {
				key, agreed = t.Key(), 1
			}
		}
		allowed := true
		for i, s := range l.scans {
			allowed = allowed && scan.Admits(s, l.cols[i], key)
		}
		if allowed {
			l.now = key
			return true, nil
		}
	}
}

func (j *trieJoin) close() {
	for _, t := range j.tries {
		_ = t.Close()
	}
	j.hold.Free()
}

// nextByTries fills the batch with the help of cursors.
func (o *multiwayOp) nextByTries(ctx context.Context) error {
	if err := o.tries.weigh(ctx); err != nil {
		return err
	}
	last := len(o.tries.levels) - 1
	for o.depth >= 0 && o.out.N < dataset.MaxBatch {
		if err := o.since.Pass(ctx, 1); err != nil {
			return err
		}
		l := &o.tries.levels[o.depth]
		if !o.entered {
			ok, err := l.enter(ctx)
			if err != nil {
				return err
			}
			if !ok {
				o.depth--
				o.entered = true
				continue
			}
			o.entered = true
		}
		ok, err := l.next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			l.leave()
			o.depth--
			continue
		}
		if o.depth < last {
			o.depth++
			o.entered = false
			continue
		}
		for c, at := range o.outs {
			o.out.Col[c] = append(o.out.Col[c], o.tries.levels[at].now)
		}
		o.out.N++
	}
	return nil
}
