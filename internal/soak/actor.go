package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// prologue is what every request of the actors begins with.
const prologue = "PREFIX : <http://ex/>\n"

// The quads that the actors share, as (*client).quads spells them.
const (
	guard   = "<http://ex/guard> <http://ex/s> <http://ex/p> <http://ex/o>" // its graph exists
	counter = " <http://ex/counter> <http://ex/is> "
)

// seeded is an update that makes what the actors begin with.
func seeded(actors []*actor) string {
	var b strings.Builder
	b.WriteString(prologue + "INSERT DATA { :counter :is 0 . GRAPH :guard { :s :p :o } ")
	for _, a := range actors {
		fmt.Fprintf(&b, ". %s :did 0 ", a.name(""))
	}
	return b.String() + "}"
}

// actor is a client with subjects of its own, one request at a time, and the model
// of what it has made.
type actor struct {
	id    int
	state map[string]bool // its quads, all acknowledged, or seen after a crash
	did   int             // its steps of the shared counter
	seq   int
}

func newActor(id int) *actor {
	a := &actor{id: id, state: map[string]bool{}}
	a.state[a.quad("", "", "did", 0)] = true
	return a
}

// name is a subject of the actor.
func (a *actor) name(what string) string { return fmt.Sprintf("<http://ex/a%d/%s>", a.id, what) }

// quad is a quad of the actor as (*client).quads spells it.
func (a *actor) quad(graph, subject, predicate string, value int) string {
	if graph != "" {
		graph = a.name(graph)
	}
	return fmt.Sprintf("%s %s <http://ex/%s> %d", graph, a.name(subject), predicate, value)
}

// request is an update, and what it makes of the actor's quads.
type request struct {
	text    string
	after   map[string]bool
	steps   int  // of the counter
	refused bool // one of its operations fails
}

// draw draws a request: values move in two graphs at once, the counter is counted,
// blocks are replaced, graphs are copied, and some fail in the last operation.
func (a *actor) draw(r *rand.Rand) *request {
	a.seq++
	q := &request{after: maps.Clone(a.state)}
	drop := func(prefix string) {
		maps.DeleteFunc(q.after, func(line string, _ bool) bool { return strings.HasPrefix(line, prefix) })
	}
	var ops []string
	op := func(format string, args ...any) { ops = append(ops, fmt.Sprintf(format, args...)) }
	switch kind := r.IntN(20); {
	case kind < 7:
		slot := fmt.Sprintf("slot%d", r.IntN(12))
		s, g := a.name(slot), a.name("g")
		op("DELETE WHERE { %s :v ?x }", s)
		op("DELETE WHERE { GRAPH %s { %s :v ?x } }", g, s)
		drop(fmt.Sprintf(" %s <http://ex/v> ", s))
		drop(fmt.Sprintf("%s %s <http://ex/v> ", g, s))
		if r.IntN(5) > 0 {
			op("INSERT DATA { %s :v %d . GRAPH %s { %s :v %d } }", s, a.seq, g, s, a.seq)
			q.after[a.quad("", slot, "v", a.seq)] = true
			q.after[a.quad("g", slot, "v", a.seq)] = true
		}
	case kind < 14:
		op("DELETE { :counter :is ?n } INSERT { :counter :is ?m } WHERE { :counter :is ?n BIND(?n + 1 AS ?m) }")
		op("DELETE DATA { %s :did %d }", a.name(""), a.did)
		op("INSERT DATA { %s :did %d }", a.name(""), a.did+1)
		delete(q.after, a.quad("", "", "did", a.did))
		q.after[a.quad("", "", "did", a.did+1)] = true
		q.steps = 1
	case kind < 16:
		var block strings.Builder
		s := a.name("block")
		drop(fmt.Sprintf(" %s ", s))
		for i := range 40 {
			fmt.Fprintf(&block, "%s :b %d . ", s, a.seq*100+i)
			q.after[a.quad("", "block", "b", a.seq*100+i)] = true
		}
		op("DELETE { %s :b ?x } INSERT { %s } WHERE { OPTIONAL { %s :b ?x } }", s, &block, s)
	case kind < 18:
		op("COPY SILENT GRAPH %s TO GRAPH %s", a.name("g"), a.name("h"))
		g, h := a.name("g")+" ", a.name("h")+" "
		var copied []string
		for line := range q.after {
			if rest, ok := strings.CutPrefix(line, g); ok {
				copied = append(copied, h+rest)
			}
		}
		if len(copied) > 0 { // else there is nothing to copy, which is silent
			drop(h)
		}
		for _, line := range copied {
			q.after[line] = true
		}
	default:
		op("INSERT DATA { %s :never %d }", a.name("never"), a.seq)
		op("DELETE WHERE { %s ?p ?o }", a.name(""))
		op("CREATE GRAPH :guard")
		q.after, q.refused = a.state, true
	}
	q.text = prologue + strings.Join(ops, " ;\n")
	return q
}

// done notes that a request is carried out.
func (a *actor) done(q *request) {
	a.state = q.after
	a.did += q.steps
}
