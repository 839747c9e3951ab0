package ast

import "github.com/rete-go/rete/rdf"

func (p *printer) operation(op Operation) {
	switch op := op.(type) {
	case *InsertData:
		p.text("INSERT DATA ")
		p.quads(op.Quads)
	case *DeleteData:
		p.text("DELETE DATA ")
		p.quads(op.Quads)
	case *DeleteWhere:
		p.text("DELETE WHERE ")
		p.quads(op.Quads)
	case *Modify:
		p.modify(op)
	case *Load:
		p.text("LOAD " + silent(op.Silent) + op.Source.String())
		if !op.Into.IsZero() {
			p.text(" INTO GRAPH " + op.Into.String())
		}
	case *Clear:
		p.text("CLEAR " + silent(op.Silent) + op.Target.text())
	case *Drop:
		p.text("DROP " + silent(op.Silent) + op.Target.text())
	case *Create:
		p.text("CREATE " + silent(op.Silent) + op.Target.text())
	case *Add:
		p.text("ADD " + silent(op.Silent) + op.From.text() + " TO " + op.To.text())
	case *Move:
		p.text("MOVE " + silent(op.Silent) + op.From.text() + " TO " + op.To.text())
	case *Copy:
		p.text("COPY " + silent(op.Silent) + op.From.text() + " TO " + op.To.text())
	}
}

func silent(s bool) string {
	if s {
		return "SILENT "
	}
	return ""
}

func (t Target) text() string {
	switch t.Kind {
	case TargetDefault:
		return "DEFAULT"
	case TargetNamed:
		return "NAMED"
	case TargetAll:
		return "ALL"
	}
	return "GRAPH " + t.IRI.String()
}

func (p *printer) modify(op *Modify) {
	if op.With != (rdf.Term{}) {
		p.text("WITH " + op.With.String() + "\n")
	}
	if op.HasDelete {
		p.text("DELETE ")
		p.quads(op.Delete)
		p.text("\n")
	}
	if op.HasInsert {
		p.text("INSERT ")
		p.quads(op.Insert)
		p.text("\n")
	}
	p.dataset("USING ", op.Using)
	p.text("WHERE ")
	p.group(op.Where)
}

// quads prints quads; neighbours of one graph stand in one block.
func (p *printer) quads(quads []Quad) {
	p.text("{\n")
	for i := 0; i < len(quads); {
		g := quads[i].Graph
		if g.Kind != NoNode {
			p.text("GRAPH ")
			p.node(g)
			p.text(" {\n")
		}
		for ; i < len(quads) && quads[i].Graph.Kind == g.Kind && quads[i].Graph.Name == g.Name && quads[i].Graph.Term == g.Term; i++ {
			p.triples([]Triple{quads[i].Triple}, p.node)
		}
		if g.Kind != NoNode {
			p.text("}\n")
		}
	}
	p.text("}")
}
