package shell

import (
	"context"
	"errors"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql"
)

// transaction is one that stays open between statements. A transaction belongs to one
// goroutine, to which statements are handed.
type transaction struct {
	db    *rete.DB
	calls chan func(tx *rete.Tx)
	keep  chan bool // whether it is committed
	done  chan error
	end   context.CancelFunc
}

// errRolledBack ends a transaction that is not kept.
var errRolledBack = errors.New("rolled back")

// begin begins a transaction, once the writers before it are done.
func (s *shell) begin(ctx context.Context) error {
	if s.tx != nil {
		return errors.New("a transaction is open; .commit or .rollback ends it")
	}
	db, err := s.Open(ctx)
	if err != nil {
		return err
	}
	// It outlives the statement, whose context ends with Ctrl-C.
	own, end := context.WithCancel(context.WithoutCancel(ctx))
	t := &transaction{db: db, calls: make(chan func(*rete.Tx)), keep: make(chan bool), done: make(chan error, 1), end: end}
	begun := make(chan struct{})
	go func() {
		_, err := db.Write(own, func(tx *rete.Tx) error {
			close(begun)
			for {
				select {
				case f := <-t.calls:
					f(tx)
				case keep := <-t.keep:
					if keep {
						return nil
					}
					return errRolledBack
				}
			}
		})
		t.done <- err
	}()
	select {
	case <-begun:
		s.tx = t
		return nil
	case err = <-t.done:
	case <-ctx.Done():
		end()
		if err = <-t.done; err == nil {
			err = context.Cause(ctx)
		}
	}
	t.close()
	return err
}

// call runs f in the transaction.
func (t *transaction) call(f func(tx *rete.Tx) error) error {
	result := make(chan error, 1)
	t.calls <- func(tx *rete.Tx) { result <- f(tx) }
	return <-result
}

// on calls f with the graph as the transaction has it.
func (t *transaction) on(ctx context.Context, f func(ds dataset.Dataset) error) error {
	return t.call(func(tx *rete.Tx) error {
		ds, err := tx.Dataset(ctx)
		if err != nil {
			return err
		}
		return f(ds)
	})
}

func (t *transaction) update(ctx context.Context, u *sparql.Update, opts []sparql.Option) error {
	return t.call(func(tx *rete.Tx) error { return tx.Execute(ctx, u, opts...) })
}

func (t *transaction) close() {
	t.end()
	_ = t.db.Close()
}

// commit keeps the changes of the transaction.
func (s *shell) commit() error {
	if s.tx == nil {
		return errors.New("no transaction is open; .begin begins one")
	}
	t := s.tx
	s.tx = nil
	t.keep <- true
	err := <-t.done
	t.close()
	return err
}

// rollback drops the changes of the transaction.
func (s *shell) rollback() {
	t := s.tx
	s.tx = nil
	t.keep <- false
	<-t.done
	t.close()
}
