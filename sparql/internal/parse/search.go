package parse

import (
	"slices"
	"strconv"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
)

// A search stands in a pattern as a triple with a predicate of its own, whose ends may be
// collections: ( ?s ?score ?literal ) <urn:x-rete:search> ( "words" 10 ).

var searchIRI = rdf.IRI(ast.SearchIRI)

// cell is a cell of a collection: the places of its two triples.
type cell struct{ first, rest int }

// searches takes the searches out of the triples of a pattern.
func (p *parser) searches(list []ast.Triple) (rest []ast.Triple, found []*ast.Search) {
	any := false
	for i := range list {
		any = any || isSearch(&list[i])
	}
	if !any {
		return list, nil
	}
	cells := map[int32]cell{}
	for i := range list {
		t := &list[i]
		if t.S.Kind != ast.BlankNode || t.S.Name != "" || t.P.Kind != ast.TermNode {
			continue
		}
		c, ok := cells[t.S.Blank]
		switch {
		case t.P.Term == rdfFirst && !ok:
			cells[t.S.Blank] = cell{i, -1}
		case t.P.Term == rdfRest && ok && c.rest < 0:
			c.rest = i
			cells[t.S.Blank] = c
		}
	}
	used, lists := make([]bool, len(list)), map[int32]bool{}
	members := func(n ast.Node) []ast.Node {
		var out []ast.Node
		for n.Kind == ast.BlankNode && n.Name == "" {
			c, ok := cells[n.Blank]
			if !ok || c.rest < 0 {
				return nil
			}
			used[c.first], used[c.rest] = true, true
			lists[n.Blank] = true
			out = append(out, list[c.first].O)
			n = list[c.rest].O
		}
		if n.Kind == ast.TermNode && n.Term == rdfNil {
			return out
		}
		return nil
	}
	for i := range list {
		t := &list[i]
		if !isSearch(t) {
			continue
		}
		used[i] = true
		if p.opt.Strict {
			p.failAt(t.P.Start, "<"+ast.SearchIRI+"> is not part of SPARQL 1.1", "it is read without --strict")
			return list, nil
		}
		s := &ast.Search{Span: t.Span}
		p.searchVars(s, t.S, members)
		p.searchWords(s, t.O, members)
		found = append(found, s)
	}
	for i := range list {
		if used[i] {
			continue
		}
		for _, n := range []ast.Node{list[i].S, list[i].O} {
			if n.Kind == ast.BlankNode && lists[n.Blank] {
				p.failAt(list[i].Start, "the list of a search has no other properties", "end the search with a dot")
			}
		}
		rest = append(rest, list[i])
	}
	return rest, found
}

func isSearch(t *ast.Triple) bool { return t.P.Kind == ast.TermNode && t.P.Term == searchIRI }

// searchVars reads what stands before the predicate: a variable, or up to three in parentheses.
func (p *parser) searchVars(s *ast.Search, n ast.Node, members func(ast.Node) []ast.Node) {
	list := []ast.Node{n}
	if n.Kind == ast.BlankNode {
		list = members(n)
	}
	ok := len(list) > 0 && len(list) <= 3
	for _, n := range list {
		ok = ok && n.Kind == ast.VarNode && !slices.ContainsFunc(s.Vars, func(v ast.Var) bool { return v.Name == n.Name })
		s.Vars = append(s.Vars, ast.Var{Span: n.Span, Name: n.Name})
	}
	if !ok {
		p.failAt(n.Start, "a search binds one to three different variables", "write ?subject or (?subject ?score ?literal)")
	}
}

// searchWords reads what stands after it: a text, or a text and a number in parentheses.
func (p *parser) searchWords(s *ast.Search, n ast.Node, members func(ast.Node) []ast.Node) {
	list := []ast.Node{n}
	if n.Kind == ast.BlankNode {
		list = members(n)
	}
	ok := (len(list) == 1 || len(list) == 2) && list[0].Kind == ast.TermNode && list[0].Term.Datatype() == rdf.XSDString
	if ok {
		s.Words = list[0].Term.Value()
	}
	if ok && len(list) == 2 {
		limit, err := strconv.ParseUint(list[1].Term.Value(), 10, 31)
		ok = list[1].Kind == ast.TermNode && list[1].Term.Datatype() == rdf.XSDInteger && err == nil && limit > 0
		s.Limit = int(limit)
	}
	if !ok {
		p.failAt(n.Start, "a search has a text of words, and a number of hits if there is a bound", `write "words" or ("words" 10)`)
	}
}
