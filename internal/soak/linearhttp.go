package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/rete-go/rete/engine"
)

// httpDoor leads through a server.
type httpDoor struct{ c *client }

const allRegisters = prologue + "SELECT ?r ?x { ?r :is ?x }"

func (d httpDoor) read(ctx context.Context) (registerState, error) {
	rows, err := d.c.query(ctx, allRegisters)
	if err != nil {
		return registerState{}, httpOutcome(err)
	}
	return registersOf(rows)
}

func (d httpDoor) write(ctx context.Context, op linearOp) (linearOut, error) {
	return linearOut{}, httpOutcome(d.c.update(ctx, op.update()))
}

// httpOutcome says what is known of a request that failed.
func httpOutcome(err error) error {
	var no *refusal
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &no):
		return fmt.Errorf("%w: %w", errUnknown, err)
	case strings.Contains(no.text, engine.ErrClosed.Error()):
		return engine.ErrClosed
	case no.status == http.StatusServiceUnavailable || strings.Contains(no.text, "http://ex/guard"):
		return fmt.Errorf("%w: %w", errNothing, err)
	}
	return err
}

// registersOf reads the rows of allRegisters: there is one value for each register.
func registersOf(rows [][]string) (s registerState, err error) {
	seen := map[int]bool{}
	for _, row := range rows {
		r, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(row[0], "<http://ex/r"), ">"))
		if err != nil || r >= registers || seen[r] {
			return s, fmt.Errorf("the registers are %q", rows)
		}
		if s[r], err = strconv.Atoi(row[1]); err != nil {
			return s, err
		}
		seen[r] = true
	}
	if len(seen) != registers {
		return s, fmt.Errorf("the registers are %q", rows)
	}
	return s, nil
}
