package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// registers are what the clients of a history read and write: each has one integer.
const registers = 4

type registerState [registers]int

// linearKind is what an operation of a history does.
type linearKind uint8

const (
	linearRead linearKind = iota // all registers
	linearPut                    // a value into one
	linearBoth                   // a value into two, in two operations of one request
	linearCopy                   // of one register into another
	linearAdd                    // to what a register has
	linearTx                     // a transaction: read all, then put
	linearFail                   // a put, in a request that fails in its last operation
	linearKinds
)

// linearOp is an operation. Values are never drawn twice.
type linearOp struct {
	kind        linearKind
	a, b, value int
}

// apply returns what the operation makes of the registers.
func (o linearOp) apply(s registerState) registerState {
	switch o.kind {
	case linearPut, linearTx:
		s[o.a] = o.value
	case linearBoth:
		s[o.a], s[o.b] = o.value, o.value
	case linearCopy:
		s[o.a] = s[o.b]
	case linearAdd:
		s[o.a] += o.value
	}
	return s
}

// update is the operation as a SPARQL update.
func (o linearOp) update() string {
	put := func(r int) string {
		return fmt.Sprintf("DELETE { :r%d :is ?x } INSERT { :r%d :is %d } WHERE { :r%d :is ?x }", r, r, o.value, r)
	}
	switch o.kind {
	case linearBoth:
		return prologue + put(o.a) + " ;\n" + put(o.b)
	case linearCopy:
		return fmt.Sprintf("%sDELETE { :r%d :is ?x } INSERT { :r%d :is ?y } WHERE { :r%d :is ?x . :r%d :is ?y }", prologue, o.a, o.a, o.a, o.b)
	case linearAdd:
		return fmt.Sprintf("%sDELETE { :r%d :is ?x } INSERT { :r%d :is ?y } WHERE { :r%d :is ?x BIND(?x + %d AS ?y) }", prologue, o.a, o.a, o.a, o.value)
	case linearFail:
		return prologue + put(o.a) + " ;\nCREATE GRAPH :guard"
	}
	return prologue + put(o.a)
}

// linearSeed makes the registers, with 0 in each.
func linearSeed() string {
	text := prologue + "INSERT DATA { GRAPH :guard { :s :p :o } "
	for r := range registers {
		text += fmt.Sprintf(". :r%d :is 0 ", r)
	}
	return text + "}"
}

// linearOut is what a client knows of an operation that ended.
type linearOut struct {
	read    bool // seen is what it saw
	seen    registerState
	unknown bool // no answer came: it has happened, or never will
}

// linearModel is the registers from a state on, each operation at one moment.
func linearModel(first registerState) porcupine.Model {
	m := porcupine.NondeterministicModel{
		Init: func() []any { return []any{first} },
		Step: func(state, in, out any) []any {
			before, op, got := state.(registerState), in.(linearOp), out.(linearOut)
			if got.read && got.seen != before {
				return nil
			}
			after := op.apply(before)
			if got.unknown && after != before {
				return []any{before, after}
			}
			return []any{after}
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v %+v", in, out) },
		DescribeState:     func(state any) string { return fmt.Sprint(state) },
	}
	return m.ToModel()
}

// history is what clients did between two states that are known.
type history struct {
	begin time.Time
	first registerState

	mu  sync.Mutex
	ops []porcupine.Operation
}

func newHistory(first registerState) *history { return &history{begin: time.Now(), first: first} }

// now is the time of the history; it goes on steadily.
func (h *history) now() int64 { return int64(time.Since(h.begin)) }

// add adds an operation that was called at a time and ends now.
func (h *history) add(client int, call int64, op linearOp, out linearOut) {
	end := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: op, Call: call, Output: out, Return: end})
}

// count returns how many operations there are.
func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ops)
}

// end says that what has no answer by now will not happen any more: the process that
// was asked has ended.
func (h *history) end() {
	for i := range h.ops {
		if h.ops[i].Output.(linearOut).unknown {
			h.ops[i].Return = h.now()
		}
	}
}

// check checks that each operation can have had its effect at one moment between its call
// and its end. If not, it leaves a page that shows the history.
func (h *history) check() error {
	model := linearModel(h.first)
	result, info := porcupine.CheckOperationsVerbose(model, h.ops, 0)
	if result == porcupine.Ok {
		return nil
	}
	page, err := os.CreateTemp("", "history-*.html")
	if err != nil {
		return err
	}
	defer page.Close()
	if err := porcupine.Visualize(model, info, page); err != nil {
		return err
	}
	return fmt.Errorf("a history of %d operations is not linearizable: see %s", len(h.ops), page.Name())
}
