package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/sparql"
)

// apiDoor leads through the Go API.
type apiDoor struct{ db *rete.DB }

func (d apiDoor) read(ctx context.Context) (registerState, error) {
	s, err := d.db.Snapshot(ctx)
	if err != nil {
		return registerState{}, err
	}
	defer s.Close()
	return writtenRegisters(func(out *bytes.Buffer, q *sparql.Query) error {
		return s.WriteTo(ctx, out, sparql.TSV, q)
	})
}

// writtenRegisters reads the registers of an answer.
func writtenRegisters(write func(*bytes.Buffer, *sparql.Query) error) (registerState, error) {
	var out bytes.Buffer
	if err := write(&out, sparql.MustParse(allRegisters)); err != nil {
		return registerState{}, err
	}
	rows, err := readRows(out.Bytes())
	if err != nil {
		return registerState{}, err
	}
	return registersOf(rows)
}

func (d apiDoor) write(ctx context.Context, op linearOp) (out linearOut, err error) {
	u, err := sparql.ParseUpdate(op.update(), nil)
	if err != nil {
		return out, err
	}
	_, err = d.db.Write(ctx, func(tx *rete.Tx) error {
		if op.kind == linearTx {
			out.read = true
			out.seen, err = writtenRegisters(func(b *bytes.Buffer, q *sparql.Query) error {
				return tx.WriteTo(ctx, b, sparql.TSV, q)
			})
			if err != nil {
				return err
			}
		}
		return tx.Execute(ctx, u)
	})
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, rete.ErrUnknownOutcome):
		return out, fmt.Errorf("%w: %w", errUnknown, err)
	case errors.Is(err, engine.ErrClosed) || !strings.Contains(err.Error(), "http://ex/guard"):
		return out, err
	}
	return out, fmt.Errorf("%w: %w", errNothing, err)
}
