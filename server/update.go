package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/preview"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// mayWrite refuses a change that this caller, this page or this store cannot make.
func (x *exchange) mayWrite() error {
	if err := x.s.sameOrigin(x.r); err != nil {
		return err
	}
	if err := x.allow(ScopeWrite); err != nil {
		return err
	}
	if !x.s.store.Writable() {
		return errReadOnly
	}
	if _, partial := x.r.Header["Content-Range"]; partial { // RFC 9110, 14.5
		return problem(http.StatusBadRequest, "body", "Malformed body", "the body is a part of a document, by its Content-Range: send the whole")
	}
	// A client that lost the state must not get a change without its condition.
	if list, ok := x.r.Header["Rete-If-State"]; ok && (len(list) != 1 || list[0] == "") {
		return badParameter("Rete-If-State is not the name of one state")
	}
	return nil
}

// update carries out an update.
func (x *exchange) update(q *request) error {
	text := *q.update
	unknown := anUpdate.only(q.url)
	q.update, q.url = nil, nil // a long text takes memory that carrying it out needs
	x.kind, x.text = "update", head(text)
	if err := x.mayWrite(); err != nil {
		return err
	}
	if err := x.condition("the store", true); err != nil {
		return err
	}
	if unknown != nil {
		return unknown
	}
	if err := x.try(&q.params); err != nil {
		return err
	}
	if len(text) > x.s.opt.MaxUpdate {
		return textTooLong("update", x.s.opt.MaxUpdate)
	}
	limit := x.limit(&q.params)
	start := time.Now()
	var u *sparql.Update
	err := x.parse(limit, func(ctx context.Context) (err error) {
		u, err = sparql.ParseUpdateContext(ctx, text, &sparql.ParseOptions{Base: x.url(), MaxBytes: x.s.opt.MaxUpdate}, x.s.each...)
		return err
	})
	if err != nil {
		return err
	}
	defer u.Close()
	q.leave()
	limit = max(limit-time.Since(start), 1)
	opts := append(x.s.each, x.s.loading)
	if q.chosenForWrite {
		if u.ChoosesGraphs() {
			return badParameter("using-graph-uri= and using-named-graph-uri= do not go with WITH and USING in the update")
		}
		opts = append(opts, sparql.WithGraphs(q.usingGraphs, q.usingNamed))
	}
	return x.run(x.s.writes, limit, func(ctx context.Context) error {
		if len(u.Loads()) > 0 {
			docs, err := sparql.Fetch(ctx, u, opts...)
			if err != nil {
				return fmt.Errorf("%w: %w", errLoad, err)
			}
			defer docs.Close()
			opts = append(opts, sparql.WithDocuments(docs))
		}
		return x.write(ctx, http.StatusNoContent, func(tx dataset.Tx) error {
			_, err := sparql.Execute(ctx, tx, u, opts...)
			if s, ok := x.s.store.(single); ok && s.once() {
				u.Close() // a long one takes memory that committing it needs
			}
			return err
		})
	})
}

// write carries out a change and answers with the state that it led to.
func (x *exchange) write(ctx context.Context, status int, change func(tx dataset.Tx) error) error {
	done, err := x.commit(ctx, change)
	if err != nil {
		return err
	}
	return x.acknowledge(status, done)
}

// try makes the write of a request one that is only tried, if its parameters ask for that.
func (x *exchange) try(p *params) error {
	if !p.dryRun {
		return nil
	}
	if _, ok := x.s.store.(previewer); !ok {
		return badParameter("dry-run: this store cannot try a change")
	}
	x.tried = preview.New()
	return nil
}

func (x *exchange) commit(ctx context.Context, f func(tx dataset.Tx) error) (Written, error) {
	since := time.Now()
	change := func(tx dataset.Tx) error {
		x.slot.waited(time.Since(since)) // for other writers
		defer func() { since = time.Now() }()
		return f(tx)
	}
	defer func() { x.slot.waited(time.Since(since)) }() // for the disk, or for others and in vain
	if x.tried != nil {
		state, err := x.s.store.(previewer).Preview(ctx, x.r.Header.Get("Rete-If-State"), change, func(added bool, q *rdf.RawQuad) error {
			x.tried.Add(added, q)
			return nil
		})
		return Written{State: state}, err
	}
	ifState := x.r.Header.Get("Rete-If-State")
	done, err := x.s.store.Write(ctx, ifState, change)
	if ifState == "" && ctx.Err() == nil && errors.Is(err, rete.ErrConflict) { // no condition of the client's has failed
		return done, busy(1, "others changed the graph each time, and nothing was written: "+err.Error())
	}
	return done, err
}

func (x *exchange) acknowledge(status int, done Written) error {
	h := x.w.Header()
	h["Rete-State"] = []string{headerText(done.State)}
	if x.tried != nil {
		return x.json(http.StatusOK, struct {
			State string `json:"state"`
			*preview.Changes
		}{done.State, x.tried})
	}
	h["Cache-Control"] = noStore
	x.w.WriteHeader(status)
	return nil
}
