package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/bench/sets"
	"github.com/rete-go/rete/bench/workload"
)

func read(t *testing.T, text string, graph bool) *answer {
	t.Helper()
	a, err := readAnswer(strings.NewReader(text), graph)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a
}

// Answers are the same in every format, whatever the order of rows and columns and
// the spelling of numbers and blank nodes.
func TestReadAnswer(t *testing.T) {
	rows := read(t, `{"head":{"vars":["a","b"]},"results":{"bindings":[{"a":{"type":"uri","value":"x:1"},"b":{"type":"literal","value":"1.50","datatype":"http://www.w3.org/2001/XMLSchema#decimal"}},{"b":{"type":"bnode","value":"q"}}]}}`, false)
	objects := read(t, `{"b":"_:other"}`+"\n"+`{"b":"\"1.5\"^^<http://www.w3.org/2001/XMLSchema#decimal>","a":"<x:1>"}`, false)
	if *rows != *objects || rows.rows != 2 {
		t.Errorf("%+v and %+v", rows, objects)
	}
	if other := read(t, `{"b":"_:other"}`+"\n"+"", false); *other == *rows {
		t.Error("fewer rows are the same")
	}
	if a, b := read(t, `{"boolean":true,"head":{}}`, false), read(t, "true\n", false); *a != *b {
		t.Errorf("%+v and %+v", a, b)
	}
	if a, b := read(t, "<x:a> <x:b> _:c .\n", true), read(t, "<x:a> <x:b> _:d .\n", true); *a != *b {
		t.Errorf("%+v and %+v", a, b)
	}
	if a := read(t, "", false); a.rows != 0 {
		t.Errorf("%+v", a)
	}
}

func times(ms ...int) (out []time.Duration) {
	for _, m := range ms {
		out = append(out, time.Duration(m)*time.Millisecond)
	}
	return out
}

// An interval lies around its ratio, and is narrow where every run says the same.
func TestCompare(t *testing.T) {
	a, b := times(10, 11, 9, 10, 30, 10, 10, 9), times(20, 22, 18, 20, 60, 20, 20, 18)
	r := compare(a, b, false)
	if r.low < 1.99 || r.high > 2.01 || r.at != 2 {
		t.Errorf("%+v", r)
	}
	if slower(median(a), median(b), r) || !slower(median(b), median(a), compare(b, a, false)) {
		t.Error("who is slower")
	}
	if r := compare(times(10, 10, 40, 10), times(12, 30, 10, 9), true); r.low > r.at || r.high < r.at || r.low >= 1 || r.high <= 1 {
		t.Errorf("%+v", r)
	}
	// Of short times a difference below the bar does not count.
	if slower(200*time.Microsecond, 120*time.Microsecond, ratio{0.5, 0.6, 0.7}) || !slower(250*time.Microsecond, 120*time.Microsecond, ratio{0.4, 0.5, 0.6}) {
		t.Error("the bar of short times")
	}
}

// A server is asked over one connection; what it refuses and what takes too long are
// told apart.
func TestServerQuery(t *testing.T) {
	conns := make(map[net.Conn]bool)
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := bufio.NewReader(r.Body).ReadString(0)
		if strings.Contains(text, "bad") {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"1"}}]}}`)
	}))
	h.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns[c] = true
		}
	}
	h.Start()
	defer h.Close()
	s := &server{title: "test", path: "/", address: h.Listener.Addr().String()}
	defer s.close()
	for range 3 {
		took, a, err := s.query(context.Background(), &query{text: "good", limit: time.Minute}, true)
		if err != nil || a.rows != 1 || took <= 0 {
			t.Fatal(took, a, err)
		}
	}
	if _, _, err := s.query(context.Background(), &query{text: "bad", limit: time.Minute}, true); err == nil || err == errLimit {
		t.Errorf("a refusal is %v", err)
	}
	if len(conns) != 1 {
		t.Errorf("%d connections", len(conns))
	}
}

// An answer that breaks off when the time is over is over the limit, an earlier one is
// not.
func TestLate(t *testing.T) {
	r := &query{limit: time.Second}
	for _, c := range []struct {
		took      time.Duration
		err, want error
	}{
		{time.Second, io.ErrUnexpectedEOF, errLimit},
		{2 * time.Second, &refusal{status: 503}, errLimit},
		{time.Second - 1, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
		{2 * time.Second, nil, nil},
	} {
		if err := r.late(c.took, c.err); err != c.want {
			t.Errorf("%v after %v is %v, want %v", c.err, c.took, err, c.want)
		}
	}
}

// broken answers other rows from the third run on.
type broken struct {
	engine
	n int
}

func (b *broken) name() string { return "broken" }

func (b *broken) query(ctx context.Context, r *query, want bool) (time.Duration, *answer, error) {
	took, a, err := b.engine.query(ctx, r, want)
	if b.n++; b.n > 2 && a != nil {
		a = &answer{rows: a.rows + 1}
	}
	return took, a, err
}

// Every run's answer is compared, and what differs has no place in the mean.
func TestMeasure(t *testing.T) {
	ctx := context.Background()
	o := &options{warm: 1, runs: 4, budget: time.Minute, limit: time.Minute, seed: 1}
	set, err := sets.Named("social", 3000, "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "social.nt")
	if _, err := write(set, file); err != nil {
		t.Fatal(err)
	}
	e := &inProcess{dir: t.TempDir()}
	if _, err := e.load(ctx, file); err != nil {
		t.Fatal(err)
	}
	defer e.close()
	o.shapes = "07,04"
	table := &table{engines: []engine{e, e, &broken{engine: e}}}
	for _, q := range o.wanted(set) {
		l, err := measure(ctx, table.engines, set, q, o)
		if err != nil {
			t.Fatal(err)
		}
		table.lines = append(table.lines, l)
	}
	var out strings.Builder
	table.print(&out)
	if len(table.lines) != 2 || strings.Count(out.String(), "other rows") != 2 || !strings.Contains(out.String(), "(2 queries) | |") {
		t.Errorf("%s", out.String())
	}
	if l := table.lines[0]; len(l.cells[0].times) != 4 || l.cells[1].note != "" {
		t.Errorf("%+v", l)
	}
	if differ(workload.Query{Text: "DESCRIBE"}, nil, nil) != "" {
		t.Error("descriptions are compared")
	}
}

// A connection that was not used for long is not used again: a server may have closed
// it.
func TestIdleConnection(t *testing.T) {
	fresh := 0
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"head":{},"boolean":true}`) }))
	h.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			fresh++
		}
	}
	h.Start()
	defer h.Close()
	s := &server{path: "/", address: h.Listener.Addr().String()}
	defer s.close()
	for range 2 {
		if _, _, err := s.query(context.Background(), &query{limit: time.Minute}, true); err != nil {
			t.Fatal(err)
		}
		s.used = s.used.Add(-2 * idle)
	}
	if fresh != 2 {
		t.Errorf("%d connections", fresh)
	}
}

// Where one made fewer runs, those that had the same constants are compared.
func TestFewerRuns(t *testing.T) {
	for _, c := range []struct {
		own, peer []time.Duration
		want      string
	}{
		{times(1, 1, 1, 9, 9, 9, 9), times(2, 2, 2), "none"},
		{times(5, 5, 5, 1, 1, 1, 1), times(2, 2, 2), "A"},
		{times(5, 5, 5), times(2, 2, 2, 9, 9, 9, 9), "A"},
		{times(5, 5, 5), times(9, 9, 9, 2, 2, 2, 2), "none"},
	} {
		var out strings.Builder
		(&table{engines: []engine{&inProcess{}, &child{title: "peer"}}, lines: []line{{name: "A", cells: []cell{{times: c.own}, {times: c.peer}}}}}).print(&out)
		if !strings.Contains(out.String(), "Over twice the best peer: "+c.want+".") {
			t.Errorf("own %v, peer %v: %s", c.own, c.peer, &out)
		}
	}
}
