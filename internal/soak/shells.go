package main

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// shellsOptions are the choices of the race of shells, a server and a second writer.
type shellsOptions struct {
	*common
	lanes, steps int
}

// shellsResult counts the steps by their door.
type shellsResult struct{ http, update, add, seals, compacts, foreign atomic.Int64 }

func (r *shellsResult) String() string {
	return fmt.Sprintf("%d updates over HTTP, %d by shells, %d adds by shells, %d seals, %d compactions, %d changes of a second writer",
		r.http.Load(), r.update.Load(), r.add.Load(), r.seals.Load(), r.compacts.Load(), r.foreign.Load())
}

// shells runs a race.
type shells struct {
	*shellsOptions
	manifest string
	p        *process
	result   shellsResult
}

// race lets lanes change two quads each, one step after the other, every step by
// another door: HTTP, or `update` or `add` of a shell. Meanwhile shells seal and
// compact, and a second writer with a journal of its own commits to the manifest.
// After every step its lane sees what its steps so far make, through a door too. In
// the end the graph is what all lanes and the second writer made, and dumps before a
// seal, after it and after a restart are the same bytes.
func race(ctx context.Context, o *shellsOptions) (*shellsResult, error) {
	s := &shells{shellsOptions: o, manifest: filepath.Join(o.dir, "shells.rete-manifest.json")}
	if _, err := s.run(ctx, nil, "manifest", "init", s.manifest, "--empty"); err != nil {
		return nil, err
	}
	var err error
	if s.p, err = s.serve(ctx); err != nil {
		return nil, err
	}
	defer func() { s.p.kill() }()
	want, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.converge(ctx, want); err != nil {
		return nil, err
	}
	return &s.result, s.dumps(ctx)
}

func (s *shells) serve(ctx context.Context) (*process, error) {
	return serve(ctx, s.rete, s.manifest, "--seal-changes", "15", "--fanout", "4")
}

// run runs a shell's command.
func (s *shells) run(ctx context.Context, in []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.rete, args...)
	cmd.WaitDelay = time.Second
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("rete %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	return out, err
}

// all runs everybody, and returns the quads that they made.
func (s *shells) all(ctx context.Context) (map[string]bool, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mu   sync.Mutex
		want = map[string]bool{}
	)
	start := func(w *sync.WaitGroup, f func(context.Context) (map[string]bool, error)) {
		w.Go(func() {
			made, err := f(ctx)
			if err != nil {
				cancel(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			maps.Copy(want, made)
		})
	}
	var lanes, others sync.WaitGroup
	for i := range s.lanes {
		start(&lanes, func(ctx context.Context) (map[string]bool, error) { return s.lane(ctx, i) })
	}
	stop := make(chan struct{})
	start(&others, func(ctx context.Context) (map[string]bool, error) { return nil, s.tend(ctx, stop) })
	start(&others, func(ctx context.Context) (map[string]bool, error) { return s.second(ctx, stop) })
	lanes.Wait()
	close(stop)
	others.Wait()
	return want, context.Cause(ctx)
}

// laneQuads are the quads of a lane, as (*client).quads spells them and as N-Quads.
func laneQuads(lane int) (lines, nquads [2]string) {
	spo := fmt.Sprintf("<http://ex/lane%d> <http://ex/p> <http://ex/o>", lane)
	return [2]string{" " + spo, "<http://ex/g> " + spo}, [2]string{spo + " .\n", spo + " <http://ex/g> .\n"}
}

// lane makes the steps of a lane.
func (s *shells) lane(ctx context.Context, lane int) (map[string]bool, error) {
	r := rand.New(rand.NewPCG(s.seed, uint64(lane)))
	lines, nquads := laneQuads(lane)
	now := map[string]bool{}
	for range s.steps {
		i, add := r.IntN(2), r.IntN(2) == 0
		if err := s.step(ctx, r, nquads[i], i == 1, add); err != nil {
			return nil, err
		}
		if delete(now, lines[i]); add {
			now[lines[i]] = true
		}
		for i, line := range lines {
			there, err := s.has(ctx, r, nquads[i], i == 1)
			if err != nil {
				return nil, err
			}
			if there != now[line] {
				return nil, fmt.Errorf("lane %d: of %q it is seen that it is there: %v, want %v", lane, line, there, now[line])
			}
		}
	}
	return now, nil
}

// pattern is a quad as a group in SPARQL.
func pattern(nquad string, named bool) string {
	spo := strings.TrimSuffix(strings.TrimSuffix(nquad, " .\n"), " <http://ex/g>")
	if named {
		return "{ GRAPH <http://ex/g> { " + spo + " } }"
	}
	return "{ " + spo + " }"
}

// step adds or deletes a quad.
func (s *shells) step(ctx context.Context, r *rand.Rand, nquad string, named, add bool) error {
	text, flag := "DELETE DATA "+pattern(nquad, named), "--dels"
	if add {
		text, flag = "INSERT DATA "+pattern(nquad, named), "--adds"
	}
	switch r.IntN(4) {
	case 0, 1:
		s.result.http.Add(1)
		return s.p.client.update(ctx, text)
	case 2:
		s.result.update.Add(1)
		_, err := s.run(ctx, nil, "update", s.manifest, text)
		return err
	}
	s.result.add.Add(1)
	_, err := s.run(ctx, []byte(nquad), "manifest", "add", s.manifest, flag, "-", "--format", "nq")
	return err
}

// has asks whether a quad is there.
func (s *shells) has(ctx context.Context, r *rand.Rand, nquad string, named bool) (bool, error) {
	p := pattern(nquad, named)
	if r.IntN(4) > 0 {
		rows, err := s.p.client.query(ctx, "SELECT (1 AS ?one) "+p)
		return len(rows) == 1, err
	}
	out, err := s.run(ctx, nil, "query", s.manifest, "ASK "+p)
	switch string(out) {
	case "true\n":
		return true, err
	case "false\n":
		return false, err
	}
	return false, errors.Join(err, fmt.Errorf("query prints %q", out))
}

// tend seals and compacts by shells until it is stopped.
func (s *shells) tend(ctx context.Context, stop <-chan struct{}) error {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return nil
		default:
		}
		what, n := "seal", &s.result.seals
		if i%3 == 2 {
			what, n = "compact", &s.result.compacts
		}
		_, err := s.run(ctx, nil, "manifest", what, s.manifest)
		switch {
		case err == nil:
			n.Add(1)
		case ctx.Err() != nil:
			return nil
		case what == "compact" && strings.Contains(err.Error(), "conflict"): // another compaction came before
		default:
			return err
		}
	}
}

// second is another program that commits to the manifest, past the owner of its
// journal: it writes segments and swaps the manifest.
func (s *shells) second(ctx context.Context, stop <-chan struct{}) (map[string]bool, error) {
	file, err := manifest.Open(s.manifest, blob.MuxOptions{})
	if err != nil {
		return nil, err
	}
	made := map[string]bool{}
	for i := 0; ; i++ {
		select {
		case <-stop:
			return made, nil
		case <-ctx.Done():
			return nil, nil
		case <-time.After(50 * time.Millisecond):
		}
		if err := s.foreign(ctx, file, i); err != nil {
			return nil, fmt.Errorf("the second writer: %w", err)
		}
		line := func(i int) string { return fmt.Sprintf(" <http://ex/second> <http://ex/i> %d", i) }
		made[line(i)] = true
		delete(made, line(i-3))
		s.result.foreign.Add(1)
	}
}

// foreign commits an entry of the second writer, which adds quad i and deletes quad i-3.
func (s *shells) foreign(ctx context.Context, file *manifest.File, i int) error {
	adds, err := s.segment(ctx, i, "")
	if err != nil {
		return err
	}
	dels, err := s.segment(ctx, i-3, ".tomb")
	if err != nil {
		return err
	}
	_, err = file.Commit(ctx, nil, func(cur *manifest.Manifest) (*manifest.Manifest, error) {
		cur.Log = append(cur.Log, manifest.Entry{Adds: adds, Dels: dels})
		return cur, nil
	})
	return err
}

// segment writes a segment of one quad of the second writer.
func (s *shells) segment(ctx context.Context, i int, kind string) (*manifest.SegmentRef, error) {
	b := segment.NewBuilder(nil)
	q := rdf.Quad{S: rdf.IRI("http://ex/second"), P: rdf.IRI("http://ex/i"), O: rdf.Integer(int64(i))}
	raw := q.Raw()
	if err := b.AddQuad(&raw); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	built, err := b.WriteTo(ctx, &out)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("second-%d-%s%s.rete", i, strings.ToLower(crand.Text()), kind)
	if err := os.WriteFile(filepath.Join(s.dir, name), out.Bytes(), 0o600); err != nil {
		return nil, err
	}
	extra := built.Extra
	return &manifest.SegmentRef{FileRef: manifest.FileRef{URL: name, Size: built.Size, Hash: built.Hash}, Canonical: &built.Canonical, Extra: &extra}, nil
}

// converge waits until the server shows what everybody made: commits of others it
// sees within a second or so.
func (s *shells) converge(ctx context.Context, want map[string]bool) error {
	for begin := time.Now(); ; {
		got, err := s.p.client.quads(ctx)
		if err != nil {
			return err
		}
		if maps.Equal(got, want) {
			return nil
		}
		if time.Since(begin) > startTime/2 {
			return fmt.Errorf("the server and the model:\n%s", differences(got, want))
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// dumps compares dumps before a seal, after it, and after a restart.
func (s *shells) dumps(ctx context.Context) error {
	if err := s.p.client.update(ctx, prologue+"INSERT DATA { :not :sealed :yet . GRAPH :g2 { :not :sealed _:b, \"è\"@en-GB } }"); err != nil {
		return err
	}
	var first []byte
	for i, before := range []func() error{
		func() error { return nil },
		func() error { _, err := s.run(ctx, nil, "manifest", "seal", s.manifest); return err },
		func() error {
			err := s.p.stop()
			if err == nil {
				s.p, err = s.serve(ctx)
			}
			return err
		},
		func() error { return s.p.stop() },
	} {
		if err := before(); err != nil {
			return err
		}
		dump, err := s.run(ctx, nil, "dump", s.manifest)
		if err != nil {
			return err
		}
		if i == 0 {
			first = dump
		}
		if !bytes.Equal(dump, first) {
			return fmt.Errorf("dump %d differs:\n%s\nfrom the first:\n%s", i, dump, first)
		}
	}
	_, err := s.run(ctx, nil, "manifest", "fsck", s.manifest)
	return err
}
