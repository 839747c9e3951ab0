package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/server"
)

const faultManifest = "faults.rete-manifest.json"

// faultStep is a request to a server on a failing disk, and what it makes of a set
// of quads, which it may change.
type faultStep struct {
	name  string
	send  func(ctx context.Context, c *client) error
	apply func(quads map[string]bool)
}

func faultUpdate(text string, apply func(map[string]bool)) faultStep {
	return faultStep{text, func(ctx context.Context, c *client) error {
		return c.update(ctx, prologue+text)
	}, apply}
}

func faultTend(what string) faultStep {
	return faultStep{what, func(ctx context.Context, c *client) error { return c.tend(ctx, what) }, func(map[string]bool) {}}
}

// faultLine spells a quad as (*client).quads does.
func faultLine(graph, value string) string {
	if graph != "" {
		graph = "<http://ex/" + graph + ">"
	}
	return graph + " <http://ex/s> <http://ex/p> " + value
}

// faultSteps are requests of every kind that writes, and seals and compactions
// between them.
var faultSteps = []faultStep{
	faultUpdate("INSERT DATA { :s :p 1, 2 . GRAPH :g { :s :p 3 } }", func(q map[string]bool) {
		q[faultLine("", "1")], q[faultLine("", "2")], q[faultLine("g", "3")] = true, true, true
	}),
	faultTend("seal"),
	faultUpdate("DELETE { :s :p ?x } INSERT { GRAPH :g { :s :p ?x } } WHERE { :s :p ?x FILTER(?x = 1) } ; INSERT DATA { :s :p 4 }", func(q map[string]bool) {
		if q[faultLine("", "1")] {
			delete(q, faultLine("", "1"))
			q[faultLine("g", "1")] = true
		}
		q[faultLine("", "4")] = true
	}),
	{"PUT graph", func(ctx context.Context, c *client) error {
		_, err := c.do(ctx, "PUT", "/store?graph=http://ex/h", "text/turtle", []byte("<http://ex/s> <http://ex/p> 5, 6 ."), "")
		return err
	}, func(q map[string]bool) {
		q[faultLine("h", "5")], q[faultLine("h", "6")] = true, true
	}},
	faultTend("seal"),
	faultTend("compact"),
	faultUpdate("CLEAR GRAPH :h ; INSERT DATA { :s :p 7 }", func(q map[string]bool) {
		delete(q, faultLine("h", "5"))
		delete(q, faultLine("h", "6"))
		q[faultLine("", "7")] = true
	}),
}

// TestFaults lets file operation k of a server fail, for every k, in every way, and
// in others all operations from k on that write. What is refused has not happened,
// what is acknowledged stays, the server answers queries on, and after a restart
// the quads are right.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		forever bool
	}{
		"input output error": {err: syscall.EIO},
		"short write":        {err: vfs.ShortWrite{N: 30, Err: vfs.ErrNoSpace}},
		"done, but lost":     {err: vfs.Done{Err: syscall.EIO}},
		"full from there on": {err: vfs.ErrNoSpace, forever: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := longtest.Pick(7, 1)
			for k := 1; faultRun(t, k, c.err, c.forever); k += step {
			}
		})
	}
}

// faultRun makes the steps with a disk that fails at operation k, and reports
// whether it came to that.
func faultRun(t *testing.T, k int, injected error, forever bool) bool {
	ctx := t.Context()
	disk := vfs.NewMem()
	db, err := rete.Create(ctx, faultManifest, &rete.Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	fail, hit := vfs.FailAt(k, injected, func(c vfs.Call) bool { return c.Op != vfs.OpClose })
	if forever {
		once := fail
		fail = func(c vfs.Call) error {
			if err := once(c); err != nil || hit() && c.Mutates() {
				return injected
			}
			return nil
		}
	}
	possible := []map[string]bool{{}}
	label := fmt.Sprintf("k = %d", k)
	if db, err = rete.Open(ctx, faultManifest, &rete.Options{FS: vfs.NewFault(disk, fail), Writer: true}); err == nil {
		h, err := server.New(server.Database(db), &server.Options{Local: true})
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(h)
		c := newClient(srv.URL)
		for _, s := range faultSteps {
			possible = faultTry(t, c, s, possible, &label)
			_, _ = db.Refresh(ctx) // as the server does each second; the disk may fail
		}
		if _, err := c.do(ctx, "GET", "/health", "", nil, ""); err != nil {
			t.Errorf("%s: health: %v", label, err)
		}
		c.close()
		srv.Close()
		_ = db.Close() // the disk may fail here
	} else if !hit() {
		t.Fatal(err)
	}
	if !hit() {
		return false
	}
	// A process that starts again, and one after the power failed.
	for _, after := range []*vfs.Mem{disk.CrashClone(vfs.CrashOptions{}), disk} {
		got, err := faultReopen(ctx, after)
		if err != nil {
			t.Errorf("%s: after a restart: %v", label, err)
		} else if !isOneOf(got, possible) {
			t.Errorf("%s: after a restart there are %v, possible are %v", label, got, possible)
		}
	}
	return !t.Failed()
}

// faultTry makes one step, and returns which sets of quads are possible now.
func faultTry(t *testing.T, c *client, s faultStep, possible []map[string]bool, label *string) []map[string]bool {
	t.Helper()
	err := s.send(t.Context(), c)
	var after []map[string]bool
	for _, set := range possible {
		set = maps.Clone(set)
		s.apply(set)
		after = append(after, set)
	}
	var no *refusal
	switch {
	case err == nil:
		possible = after
	case errors.As(err, &no):
		if no.status < 500 || !strings.Contains(no.text, "urn:rete:problem:") {
			t.Errorf("%s: %s: an odd answer: %v", *label, s.name, err)
		}
	default:
		possible = append(possible[:len(possible):len(possible)], after...)
	}
	if err != nil {
		*label += fmt.Sprintf("\n%s: %v", s.name, err)
	}
	if got, err := c.quads(t.Context()); err == nil && !isOneOf(got, possible) {
		t.Errorf("%s: after %s a reader sees %v, possible are %v", *label, s.name, got, possible)
	}
	return possible
}

// faultReopen starts a server on what is left, writes, seals, and returns the quads
// that were there.
func faultReopen(ctx context.Context, disk *vfs.Mem) (map[string]bool, error) {
	db, err := rete.Open(ctx, faultManifest, &rete.Options{FS: disk, Writer: true})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	h, err := server.New(server.Database(db), &server.Options{Local: true})
	if err != nil {
		return nil, err
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	c := newClient(srv.URL)
	defer c.close()
	before, err := c.quads(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.update(ctx, prologue+"INSERT DATA { :s :p 99 }"); err != nil {
		return nil, err
	}
	if err := c.tend(ctx, "seal"); err != nil {
		return nil, err
	}
	after, err := c.quads(ctx)
	if err != nil {
		return nil, err
	}
	delete(after, faultLine("", "99"))
	if !maps.Equal(before, after) {
		return nil, fmt.Errorf("before a write and a seal there were %v, then %v", before, after)
	}
	return before, db.Close()
}

func isOneOf(got map[string]bool, sets []map[string]bool) bool {
	for _, set := range sets {
		if maps.Equal(got, set) {
			return true
		}
	}
	return false
}
