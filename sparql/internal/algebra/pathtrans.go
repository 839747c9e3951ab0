package algebra

import (
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// triple translates a triple of a pattern (section 18.2.2.4 for paths).
func (t *translator) triple(b *groupBuilder, tr *ast.Triple) {
	s := t.arg(tr.S)
	if tr.Path == nil {
		p := t.arg(tr.P)
		b.bgp = append(b.bgp, TriplePattern{tr.Span, s, p, t.arg(tr.O)})
		return
	}
	o := t.arg(tr.O)
	t.path(b, tr.Span, s, t.pathExpr(tr.Path, false), o)
}

// path translates s path o: links into triples, sequences into joins,
// alternatives into unions, the rest into [Path].
func (t *translator) path(b *groupBuilder, at ast.Span, s Arg, path PathExpr, o Arg) {
	if !t.meter.Step(1) {
		return
	}
	switch path := path.(type) {
	case *Link:
		b.bgp = append(b.bgp, TriplePattern{at, s, TermArg(path.IRI), o})
	case *Inverse:
		b.bgp = append(b.bgp, TriplePattern{at, o, TermArg(path.IRI), s})
	case *Seq:
		for i, part := range path.Args {
			end := o
			if i < len(path.Args)-1 {
				end = VarArg(t.generated(Blank))
			}
			t.path(b, at, s, part, end)
			s = end
		}
	case *Alt:
		u := &Union{}
		for _, a := range path.Args {
			u.Args = append(u.Args, t.pathOp(at, s, a, o))
		}
		b.join(u)
	case *Negated:
		b.join(negated(at, s, path, o))
	default:
		b.join(&Path{at, s, path, o})
	}
}

// pathOp translates a path apart from the group around it.
func (t *translator) pathOp(at ast.Span, s Arg, path PathExpr, o Arg) Op {
	b := &groupBuilder{op: unit()}
	t.path(b, at, s, path, o)
	b.flush()
	return b.op
}

// negated splits a negated property set into its two directions, whose
// solutions add up.
func negated(at ast.Span, s Arg, n *Negated, o Arg) Op {
	forward := &Path{at, s, &Negated{HasForward: true, Forward: n.Forward}, o}
	backward := &Path{at, o, &Negated{HasForward: true, Forward: n.Backward}, s}
	switch {
	case !n.HasBackward:
		return forward
	case !n.HasForward:
		return backward
	}
	return &Union{[]Op{forward, backward}}
}

// pathExpr translates a path, backwards with inverse.
func (t *translator) pathExpr(p *ast.Path, inverse bool) PathExpr {
	if !t.meter.Step(1 + len(p.Links)) {
		return &Link{p.IRI}
	}
	switch p.Op {
	case ast.PathInverse:
		return t.pathExpr(p.Args[0], !inverse)
	case ast.PathSeq:
		args := make([]PathExpr, len(p.Args))
		for i, a := range p.Args {
			at := i
			if inverse {
				at = len(p.Args) - 1 - i
			}
			args[at] = t.pathExpr(a, inverse)
		}
		return &Seq{args}
	case ast.PathAlt:
		args := make([]PathExpr, len(p.Args))
		for i, a := range p.Args {
			args[i] = t.pathExpr(a, inverse)
		}
		return &Alt{args}
	case ast.PathZeroOrOne:
		return &ZeroOrOne{t.pathExpr(p.Args[0], inverse)}
	case ast.PathZeroOrMore:
		return &ZeroOrMore{t.pathExpr(p.Args[0], inverse)}
	case ast.PathOneOrMore:
		return &OneOrMore{t.pathExpr(p.Args[0], inverse)}
	case ast.PathNegated:
		return negatedSet(p.Links, inverse)
	}
	if inverse {
		return &Inverse{p.IRI}
	}
	return &Link{p.IRI}
}

func negatedSet(links []ast.NegatedLink, inverse bool) PathExpr {
	var forward, backward []rdf.Term
	hasForward, hasBackward := len(links) == 0 && !inverse, len(links) == 0 && inverse
	for _, l := range links {
		if l.Inverse != inverse {
			hasBackward = true
			backward = append(backward, l.IRI)
		} else {
			hasForward = true
			forward = append(forward, l.IRI)
		}
	}
	return &Negated{hasForward, hasBackward, forward, backward}
}
