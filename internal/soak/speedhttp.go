package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// overHTTP measures updates over HTTP, those of one client against a plain handler of
// net/http that appends and syncs as much.
func (s *speeds) overHTTP(ctx context.Context) error {
	db, manifest, err := s.openBase(ctx, "http", s.small)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	p, err := serve(ctx, s.rete, manifest)
	if err != nil {
		return err
	}
	defer p.kill()
	program, err := buildProgram(ctx, s.dir, "internal/soak/plain")
	if err != nil {
		return err
	}
	bare := filepath.Join(s.dir, "plain")
	plain, err := begin(ctx, exec.Command(program, bare), bare)
	if err != nil {
		return err
	}
	defer plain.kill()
	text := func(i int64) string {
		return fmt.Sprintf("INSERT DATA { <http://ex/person/%d> <http://ex/p1> %d }", i%1000, i)
	}
	var lines [2]*wire
	for i, server := range []*process{plain, p} {
		if lines[i], err = dial(server.client.base); err != nil {
			return err
		}
		defer lines[i].conn.Close()
	}
	var i int64
	for _, way := range []struct {
		name        string
		plain, rete func(text string) error
	}{
		{"one client, HTTP", lines[0].update, lines[1].update},
		{"the same by the client of net/http",
			func(text string) error { return plain.client.update(ctx, text) },
			func(text string) error { return p.client.update(ctx, text) }},
	} {
		next := func(post func(text string) error) func() error {
			return func() error { i++; return post(text(i)) }
		}
		bare, writes, err := s.turns(next(way.plain), next(way.rete))
		if err != nil {
			return err
		}
		s.add(way.name+", of a plain handler", writes >= 0.8*bare, ">= 80%", "%.0f%% (%.0f/s of %.0f/s)", 100*writes/bare, writes, bare)
	}
	rate, err := s.together(64, func(i int64) error { return p.client.update(ctx, text(1_000_000+i)) })
	if err != nil {
		return err
	}
	s.add("64 clients, HTTP", rate >= 8_000, ">= 8000/s", "%.0f/s", rate)
	return p.stop()
}
