package path

import (
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/run"
)

// automaton is a path over predicates as states and steps. State 0 is where it
// begins.
type automaton struct {
	steps  [][]step  // by state
	empty  [][]int   // states that are reached without a step
	closed [][]int32 // those, and what is reached from them, as far as they matter
	bytes  int64     // of closed
	accept int
	// first are the steps that are taken first; nullable says that the end is
	// reached without a step.
	first    []*step
	nullable bool
}

// step goes along a predicate, or along any but some, to a state.
type step struct {
	predicate id
	not       []id
	any       bool // not holds
	back      bool
	to        int
	walked    walked
	fed       *fedStep // what reads its edges graph after graph; nil: nothing does
}

// compilePath makes the automaton of a path; reversed, that of its inverse. What it keeps of
// each state is held.
func compilePath(ctx context.Context, r *run.Run, p algebra.PathExpr, reversed bool, hold *mem.Holding) (*automaton, error) {
	a := &automaton{}
	start := a.state()
	end, err := a.add(ctx, r, p, start, reversed)
	if err != nil {
		return nil, err
	}
	a.accept = end
	a.begin(start, make([]bool, len(a.steps)))
	return a, a.closeAll(ctx, hold)
}

// closeAll finds for each state those that are reached without a step: of n optional steps, up
// to n each.
func (a *automaton) closeAll(ctx context.Context, hold *mem.Holding) error {
	a.closed = make([][]int32, len(a.steps))
	seen := make([]int, len(a.steps)) // the last state from which one was reached, plus 1
	for i := range a.closed {
		a.close(i, i, seen)
		a.bytes += stateBytes + 4*int64(cap(a.closed[i]))
		if err := ctx.Err(); err != nil {
			return err
		}
		if a.bytes > hold.Bytes+stateSlack {
			if err := hold.To(ctx, a.bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	// stateBytes is what a state takes in addition to the states that are reached from it.
	stateBytes = 128
	// stateSlack is how much the states may take before it is held.
	stateSlack = 64 << 10
)

// matters reports whether a state has to be remembered: steps leave it, or it is
// the end.
func (a *automaton) matters(state int) bool { return len(a.steps[state]) > 0 || state == a.accept }

// close finds the states that are reached from one without a step.
func (a *automaton) close(from, state int, seen []int) {
	if seen[state] == from+1 {
		return
	}
	seen[state] = from + 1
	if a.matters(state) {
		a.closed[from] = append(a.closed[from], int32(state))
	}
	for _, next := range a.empty[state] {
		a.close(from, next, seen)
	}
}

// begin finds the first steps.
func (a *automaton) begin(state int, seen []bool) {
	if seen[state] {
		return
	}
	seen[state] = true
	for i := range a.steps[state] {
		a.first = append(a.first, &a.steps[state][i])
	}
	a.nullable = a.nullable || state == a.accept
	for _, next := range a.empty[state] {
		a.begin(next, seen)
	}
}

func (a *automaton) state() int {
	a.steps, a.empty = append(a.steps, nil), append(a.empty, nil)
	return len(a.steps) - 1
}

// add adds a path that begins in a state; it returns the state of its end.
func (a *automaton) add(ctx context.Context, r *run.Run, p algebra.PathExpr, from int, back bool) (int, error) {
	switch p := p.(type) {
	case *algebra.Link:
		return a.link(ctx, r, p.IRI, from, back)
	case *algebra.Inverse:
		return a.link(ctx, r, p.IRI, from, !back)
	case *algebra.Seq:
		args := slices.Clone(p.Args)
		if back {
			slices.Reverse(args)
		}
		var err error
		for _, arg := range args {
			if from, err = a.add(ctx, r, arg, from, back); err != nil {
				return 0, err
			}
		}
		return from, nil
	case *algebra.Alt:
		to := a.state()
		for _, arg := range p.Args {
			end, err := a.add(ctx, r, arg, from, back)
			if err != nil {
				return 0, err
			}
			a.empty[end] = append(a.empty[end], to)
		}
		return to, nil
	case *algebra.ZeroOrOne:
		end, err := a.closure(ctx, r, p.Path, from, back, false)
		a.empty[from] = append(a.empty[from], end)
		return end, err
	case *algebra.ZeroOrMore:
		end, err := a.closure(ctx, r, p.Path, from, back, true)
		a.empty[from] = append(a.empty[from], end)
		return end, err
	case *algebra.OneOrMore:
		return a.closure(ctx, r, p.Path, from, back, true)
	case *algebra.Negated:
		return a.negated(ctx, r, p, from, back)
	}
	return 0, fmt.Errorf("sparql: no automaton for the path %T", p)
}

// link adds one step along a predicate.
func (a *automaton) link(ctx context.Context, r *run.Run, iri rdf.Term, from int, back bool) (int, error) {
	to := a.state()
	i, err := r.Terms.InternOne(ctx, iri.Surface())
	if !i.IsLocal() {
		a.steps[from] = append(a.steps[from], step{predicate: i, back: back, to: to})
	}
	return to, err
}

// closure adds a path between two states of its own, which may be repeated.
func (a *automaton) closure(ctx context.Context, r *run.Run, p algebra.PathExpr, from int, back, again bool) (int, error) {
	in := a.state()
	a.empty[from] = append(a.empty[from], in)
	last, err := a.add(ctx, r, p, in, back)
	if err != nil {
		return 0, err
	}
	end := a.state()
	a.empty[last] = append(a.empty[last], end)
	if again {
		a.empty[last] = append(a.empty[last], in)
	}
	return end, nil
}

func (a *automaton) negated(ctx context.Context, r *run.Run, p *algebra.Negated, from int, back bool) (int, error) {
	to := a.state()
	add := func(list []rdf.Term, back bool) error {
		s := step{any: true, back: back, to: to}
		for _, t := range list {
			i, err := r.Terms.InternOne(ctx, t.Surface())
			if err != nil {
				return err
			}
			s.not = append(s.not, i)
		}
		a.steps[from] = append(a.steps[from], s)
		return nil
	}
	if p.HasForward {
		if err := add(p.Forward, back); err != nil {
			return 0, err
		}
	}
	if p.HasBackward {
		if err := add(p.Backward, !back); err != nil {
			return 0, err
		}
	}
	return to, nil
}
