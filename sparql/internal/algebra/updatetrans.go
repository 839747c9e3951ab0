package algebra

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/work"
)

// TranslateUpdate turns an update request into algebra (SPARQL 1.1 Update,
// section 4.3). A tree that [parse.Update] returned has no errors.
func TranslateUpdate(u *ast.Update) (*Update, error) {
	return TranslateUpdateWith(new(work.Meter), u)
}

// TranslateUpdateWith is [TranslateUpdate] with a meter, as [TranslateWith] is [Translate].
func TranslateUpdateWith(m *work.Meter, u *ast.Update) (*Update, error) {
	out := &Update{Base: u.Base, Ops: make([]Operation, 0, len(u.Ops))}
	for _, op := range u.Ops {
		t := newTranslator(m)
		o, err := t.operation(op)
		if err != nil {
			return nil, err
		}
		out.Ops = append(out.Ops, o)
		out.Patterns = append(out.Patterns, t.patterns...)
	}
	return out, m.Err()
}

func (t *translator) operation(op ast.Operation) (Operation, error) {
	m := t.meter
	switch op := op.(type) {
	case *ast.InsertData:
		return &InsertData{op.Span, dataQuads(m, op.Quads)}, nil
	case *ast.DeleteData:
		return &DeleteData{op.Span, dataQuads(m, op.Quads)}, nil
	case *ast.DeleteWhere:
		return t.deleteWhere(op)
	case *ast.Modify:
		return t.modify(op)
	case *ast.Load:
		return &Load{op.Span, op.Silent, op.Source, op.Into}, nil
	case *ast.Clear:
		return &Clear{op.Span, false, op.Silent, op.Target}, nil
	case *ast.Drop:
		return &Clear{op.Span, true, op.Silent, op.Target}, nil
	case *ast.Create:
		return &Create{op.Span, op.Silent, op.Target.IRI}, nil
	case *ast.Add:
		return &Transfer{op.Span, AddGraph, op.Silent, op.From.IRI, op.To.IRI}, nil
	case *ast.Move:
		return &Transfer{op.Span, MoveGraph, op.Silent, op.From.IRI, op.To.IRI}, nil
	case *ast.Copy:
		return &Transfer{op.Span, CopyGraph, op.Silent, op.From.IRI, op.To.IRI}, nil
	}
	return nil, fmt.Errorf("algebra: unknown operation %T", op)
}

// dataQuads returns the quads of INSERT DATA and DELETE DATA.
func dataQuads(m *work.Meter, quads []ast.Quad) []rdf.Quad {
	out := make([]rdf.Quad, len(quads))
	for i := range quads {
		if !m.Step(1) {
			break
		}
		out[i] = DataQuad(&quads[i])
	}
	return out
}

// DataQuad returns a quad of INSERT DATA or DELETE DATA.
func DataQuad(q *ast.Quad) rdf.Quad {
	return rdf.Quad{S: dataTerm(&q.S), P: dataTerm(&q.P), O: dataTerm(&q.O), G: dataTerm(&q.Graph)}
}

// dataTerm returns a node without variables as a term. New blank nodes are numbered
// within the request, so that those of two operations never meet; see [IsNew].
func dataTerm(n *ast.Node) rdf.Term {
	switch n.Kind {
	case ast.TermNode:
		return n.Term
	case ast.BlankNode:
		return rdf.Blank(newMark + strconv.Itoa(int(n.Blank)))
	case ast.TripleNode:
		return rdf.TripleTerm(dataTerm(&n.Triple.S), dataTerm(&n.Triple.P), dataTerm(&n.Triple.O))
	}
	return rdf.Term{}
}

// newMark begins the labels of new nodes: no stored label has it.
const newMark = "?"

// IsNew reports whether a blank node of [InsertData] is a new one, and not one that
// is named by its label.
func IsNew(t rdf.Term) bool { return strings.HasPrefix(t.Value(), newMark) }

func (t *translator) modify(op *ast.Modify) (*Modify, error) {
	m := &Modify{Span: op.Span, Base: op.Base, With: op.With, Dataset: dataset(op.Using)}
	m.Root = t.group(op.Where)
	m.Delete = t.quads(op.Delete)
	m.Insert = t.quads(op.Insert)
	m.Vars, m.Uses = t.vars, t.uses
	return m, t.meter.Err()
}

// quads translates a template of an update.
func (t *translator) quads(quads []ast.Quad) []QuadTemplate {
	blanks := t.blanks
	t.blanks = make(map[int32]Var)
	out := make([]QuadTemplate, len(quads))
	for i, q := range quads {
		if !t.meter.Step(1) {
			break
		}
		out[i] = QuadTemplate{q.Span, t.arg(q.S), t.arg(q.P), t.arg(q.O), t.arg(q.Graph)}
	}
	t.blanks = blanks
	return out
}

// deleteWhere makes a pattern and a template of the same quads: neighbours of
// one graph are one basic graph pattern.
func (t *translator) deleteWhere(op *ast.DeleteWhere) (*Modify, error) {
	m := &Modify{Span: op.Span, Root: unit()}
	m.Delete = t.quads(op.Quads)
	for i := 0; i < len(op.Quads); {
		g := m.Delete[i].G
		bgp := &BGP{}
		at := m.Delete[i].Span
		for ; i < len(op.Quads) && m.Delete[i].G == g; i++ {
			q := m.Delete[i]
			bgp.Patterns = append(bgp.Patterns, TriplePattern{q.Span, q.S, q.P, q.O})
			at.End = q.End
		}
		if g.IsZero() {
			m.Root = join(m.Root, bgp)
		} else {
			m.Root = join(m.Root, &Graph{at, g, bgp})
		}
	}
	m.Vars = t.vars
	return m, t.meter.Err()
}
