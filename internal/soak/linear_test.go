package main

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/rete-go/rete/internal/longtest"
)

// A few short lives of a database in this process and of a server that is killed, more and
// longer ones in the long form.
func TestLinear(t *testing.T) {
	ctx, c := setup(t, 8)
	result, err := linearize(ctx, &linearOptions{common: c, clients: 8, lives: longtest.Pick(3, 40), life: longtest.Pick(150*time.Millisecond, time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(result)
	if result.Reads == 0 || result.Writes == 0 || result.Refused == 0 {
		t.Error("nothing happened")
	}
}

// TestHistories: what is linearizable, and what is not.
func TestHistories(t *testing.T) {
	write := func(call, end int64, op linearOp) porcupine.Operation {
		return porcupine.Operation{Input: op, Call: call, Output: linearOut{}, Return: end}
	}
	lost := func(call, end int64, op linearOp) porcupine.Operation {
		return porcupine.Operation{Input: op, Call: call, Output: linearOut{unknown: true}, Return: end}
	}
	read := func(call, end int64, s ...int) porcupine.Operation {
		return porcupine.Operation{Input: linearOp{}, Call: call, Output: linearOut{read: true, seen: registerState(append(s, make([]int, registers-len(s))...))}, Return: end}
	}
	put1 := linearOp{kind: linearPut, a: 0, value: 1}
	put2 := linearOp{kind: linearPut, a: 0, value: 2}
	both := linearOp{kind: linearBoth, a: 0, b: 1, value: 3}
	tx := func(call, end int64, s ...int) porcupine.Operation {
		o := read(call, end, s...)
		o.Input = linearOp{kind: linearTx, a: 0, value: 2}
		return o
	}
	for name, c := range map[string]struct {
		ops []porcupine.Operation
		ok  bool
	}{
		"nothing":                           {nil, true},
		"a read after a write":              {[]porcupine.Operation{write(0, 1, put1), read(2, 3, 1)}, true},
		"a read concurrent with a write":    {[]porcupine.Operation{write(0, 9, put1), read(2, 3, 0), read(4, 5, 1)}, true},
		"a stale read":                      {[]porcupine.Operation{write(0, 1, put1), read(2, 3, 0)}, false},
		"a read that goes back":             {[]porcupine.Operation{write(0, 9, put1), read(2, 3, 1), read(4, 5, 0)}, false},
		"a lost write":                      {[]porcupine.Operation{write(0, 1, put1), write(2, 3, linearOp{kind: linearAdd, a: 0, value: 5}), read(4, 5, 5)}, false},
		"a write that nobody made":          {[]porcupine.Operation{read(0, 1, 7)}, false},
		"half of a request":                 {[]porcupine.Operation{write(0, 9, both), read(2, 3, 3, 0)}, false},
		"no answer, and it happened":        {[]porcupine.Operation{lost(0, 9, put1), read(10, 11, 1)}, true},
		"no answer, and it did not":         {[]porcupine.Operation{lost(0, 9, put1), read(10, 11, 0), read(12, 13, 0)}, true},
		"no answer, and it happens late":    {[]porcupine.Operation{lost(0, 9, put1), read(10, 11, 0), read(12, 13, 1)}, false},
		"no answer, seen and lost":          {[]porcupine.Operation{lost(0, 9, put1), read(2, 3, 1), read(10, 11, 0)}, false},
		"no answer, half of it":             {[]porcupine.Operation{lost(0, 9, both), read(10, 11, 0, 3)}, false},
		"an order that two readers dispute": {[]porcupine.Operation{write(0, 9, put1), write(0, 9, put2), read(2, 3, 1), read(2, 3, 2), read(4, 5, 1), read(6, 7, 2), read(10, 11, 1)}, false},
		"a transaction on an old state":     {[]porcupine.Operation{write(0, 1, put1), tx(2, 3, 0)}, false},
		"a transaction":                     {[]porcupine.Operation{write(0, 1, put1), tx(2, 3, 1), read(4, 5, 2)}, true},
	} {
		if got := porcupine.CheckOperations(linearModel(registerState{}), c.ops); got != c.ok {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// TestBrokenHistory: in a recorded history that holds, each read that is made to see what
// never was, or what is long over, is found.
func TestBrokenHistory(t *testing.T) {
	ctx, c := setup(t, 9)
	l := &linear{linearOptions: &linearOptions{common: c, clients: 4, life: 100 * time.Millisecond}, r: newRand(c.seed)}
	manifest := filepath.Join(c.dir, "broken.rete-manifest.json")
	if err := l.init(ctx, manifest); err != nil {
		t.Fatal(err)
	}
	h := newHistory(registerState{})
	if err := l.embedded(ctx, manifest, h); err != nil {
		t.Fatal(err)
	}
	h.end()
	if err := h.check(); err != nil {
		t.Fatal(err)
	}
	over := int64(0) // when no register had its first value any more; it never comes back
	for _, o := range h.ops {
		if out := o.Output.(linearOut); out.read && !slices.Contains(out.seen[:], 0) && (over == 0 || o.Return < over) {
			over = o.Return
		}
	}
	never, late := 0, 0
	for i, o := range h.ops {
		out := o.Output.(linearOut)
		if !out.read || never >= 10 && late >= 10 {
			continue
		}
		finds := func(s registerState) {
			ops := slices.Clone(h.ops)
			ops[i].Output = linearOut{read: true, seen: s}
			if porcupine.CheckOperations(linearModel(h.first), ops) {
				t.Errorf("%+v, made to see %v, is not found", o, s)
			}
		}
		if over > 0 && o.Call > over {
			finds(h.first)
			late++
		}
		out.seen[0] = -1
		finds(out.seen)
		never++
	}
	if never == 0 || late == 0 {
		t.Errorf("%d reads of what never was, %d of what is over", never, late)
	}
}
