package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// program is one that is run.
type program struct{ path string }

// run runs it and returns what it prints. The error has what it says.
func (p program) run(ctx context.Context, args ...string) ([]byte, error) {
	return p.feed(ctx, "", args...)
}

// feed is run with a text on standard input.
func (p program) feed(ctx context.Context, input string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Stdin = strings.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		text := strings.TrimSpace(errs.String())
		if len(text) > 300 {
			text = text[:150] + " … " + text[len(text)-150:]
		}
		name := strings.Join(args[:min(2, len(args))], " ")
		if args[0] == "-c" { // and a program
			name = "python " + args[2]
		}
		return nil, fmt.Errorf("%s: %w: %s", name, err, text)
	}
	return out.Bytes(), nil
}

// quadsOf returns the quads of a text of N-Quads, each as a line, sorted.
func quadsOf(text []byte) ([]string, error) {
	r, err := rdfio.Open("quads.nq", bytes.NewReader(text), rdfio.NQuads, rdf.Options{Blank: rdf.Verbatim, Lenient: true})
	if err != nil {
		return nil, err
	}
	var list []string
	var q rdf.RawQuad
	for {
		err := r.Read(&q)
		if errors.Is(err, io.EOF) {
			slices.Sort(list)
			return slices.Compact(list), nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, string(bytes.Join([][]byte{q.S, q.P, q.O, q.G}, []byte(" "))))
	}
}

// same says where two sorted lists differ.
func same(got, want []string) error {
	if slices.Equal(got, want) {
		return nil
	}
	first := func(a, b []string) string {
		for _, l := range a {
			if _, ok := slices.BinarySearch(b, l); !ok {
				return l[:min(len(l), 200)]
			}
		}
		return "(none)"
	}
	return fmt.Errorf("%d, want %d; only here %s; missing %s", len(got), len(want), first(got, want), first(want, got))
}

// rowsOf returns the rows of a result in the JSON of SPARQL, each as a line, sorted. Blank nodes have
// no label there.
func rowsOf(text []byte) ([]string, error) {
	var result struct {
		Boolean *bool
		Results struct {
			Bindings []map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, fmt.Errorf("%w in %.200s", err, text)
	}
	if result.Boolean != nil {
		return []string{fmt.Sprint(*result.Boolean)}, nil
	}
	var rows []string
	for _, b := range result.Results.Bindings {
		var cells []string
		for name, raw := range b {
			value, err := termOf(raw)
			if err != nil {
				return nil, err
			}
			cells = append(cells, name+"="+value)
		}
		slices.Sort(cells)
		rows = append(rows, strings.Join(cells, " "))
	}
	slices.Sort(rows)
	return rows, nil
}

// termOf returns a term of a result as one text.
func termOf(raw json.RawMessage) (string, error) {
	var t struct {
		Type, Value, Datatype string
		Lang                  string `json:"xml:lang"`
	}
	var any map[string]any
	if err := json.Unmarshal(raw, &any); err != nil {
		return "", err
	}
	if _, text := any["value"].(string); !text {
		return "a triple term", nil
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return "", err
	}
	if t.Type == "bnode" {
		return "a blank node", nil
	}
	if strings.HasPrefix(t.Value, "<<") {
		return "a triple term", nil
	}
	return strings.Join([]string{strings.Replace(t.Type, "typed-literal", "literal", 1), t.Value, t.Datatype, strings.ToLower(t.Lang)}, "|"), nil
}
