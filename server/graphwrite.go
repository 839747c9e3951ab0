package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

// writeGraph answers PUT, POST and DELETE.
func (x *exchange) writeGraph(t target, values url.Values) error {
	if err := x.mayWrite(); err != nil {
		return err
	}
	if t.graph == sparql.UnionGraph {
		return badParameter("the union of the named graphs cannot be written to")
	}
	if err := aGraphChange.only(values); err != nil {
		return err
	}
	if t.store && x.r.Method == http.MethodDelete {
		return badParameter("name a graph: /store?graph=IRI or /store?default; CLEAR ALL empties the store")
	}
	p, err := parseParams(values)
	if err != nil {
		return err
	}
	if err := x.try(p); err != nil {
		return err
	}
	if x.r.Method == http.MethodDelete {
		return x.run(x.s.writes, x.limit(p), func(ctx context.Context) error { return x.deleteGraph(ctx, t) })
	}
	docs, err := x.documents(t)
	defer func() {
		for _, d := range docs {
			d.Close()
		}
	}()
	if err != nil {
		return err
	}
	if t.store && x.r.Method == http.MethodPut && !haveGraphs(docs) {
		return badParameter("the whole store is replaced by TriG or N-Quads alone; name a graph for other syntaxes: /store?graph=IRI or /store?default")
	}
	return x.run(x.s.writes, x.limit(p), func(ctx context.Context) error { return x.insertGraph(ctx, t, docs) })
}

// haveGraphs reports whether the syntaxes of all documents can name graphs.
func haveGraphs(docs []*document.Document) bool {
	return !slices.ContainsFunc(docs, func(d *document.Document) bool { return !d.Format().HasGraphs() })
}

// deleteGraph removes a graph, which must have a quad unless it is the default one.
func (x *exchange) deleteGraph(ctx context.Context, t target) error {
	return x.write(ctx, http.StatusNoContent, func(tx dataset.Tx) error {
		found, err := x.precondition(ctx, tx, t)
		if err != nil {
			return err
		}
		if !found {
			return noGraph(t)
		}
		return clearGraph(ctx, tx, t)
	})
}

// insertGraph adds documents to a graph, or to the store; PUT empties that first, and commits
// once.
func (x *exchange) insertGraph(ctx context.Context, t target, docs []*document.Document) error {
	for _, d := range docs { // before the writer lock
		if err := d.Parse(ctx); err != nil {
			return err
		}
	}
	status := http.StatusNoContent
	location := ""
	done, err := x.commit(ctx, func(tx dataset.Tx) error {
		status, location = http.StatusNoContent, ""
		sparql.DrawFrom(tx, x.s.each...)
		to := t
		found, quads := true, false
		if t.store {
			if quads = haveGraphs(docs); !quads { // a new graph for it
				to.graph, to.store = rdf.IRI(x.address+"/store/"+strings.ToLower(rand.Text())), false
				location = to.graph.Value()
				status = http.StatusCreated
			}
		}
		var err error
		if quads && x.r.Method == http.MethodPost {
			err = x.condition(to.String(), true)
		} else if found, err = x.precondition(ctx, tx, to); !found && !to.store {
			status = http.StatusCreated
		}
		if err != nil {
			return err
		}
		if x.r.Method == http.MethodPut {
			if err := clearGraph(ctx, tx, to); err != nil {
				return err
			}
		}
		for _, d := range docs {
			if err := insertDocument(ctx, tx, d, to, quads); err != nil {
				return err
			}
			if n, ok := tx.(interface{ NamePrefixes(set map[string]string) }); ok {
				n.NamePrefixes(maps.Collect(d.Prefixes()))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if location != "" && x.tried == nil {
		x.w.Header().Set("Location", location)
	}
	return x.acknowledge(status, done)
}

// precondition reports whether the target has a quad, and checks what the request
// says about it in If-Match and If-None-Match.
func (x *exchange) precondition(ctx context.Context, tx dataset.Tx, t target) (bool, error) {
	ds, err := tx.Dataset(ctx)
	if err != nil {
		return false, err
	}
	p, found, err := t.pattern(ctx, ds)
	if err == nil && t.store { // which is always there
		if found, err = hasRows(ctx, ds, p); err == nil && !found {
			found, err = hasRows(ctx, ds, dataset.Pattern{})
		}
	}
	if err != nil {
		return false, err
	}
	return found, x.condition(t.String(), found)
}

// condition checks what a write asks for in If-Match and If-None-Match. What cannot be
// checked has failed.
func (x *exchange) condition(what string, found bool) error {
	failed := func(detail string) error {
		return problem(http.StatusPreconditionFailed, "precondition", "Precondition failed", detail)
	}
	match, matchAny := wildcard(x.r.Header["If-Match"])
	noneMatch, noneMatchAny := wildcard(x.r.Header["If-None-Match"])
	switch {
	case match && !matchAny, noneMatch && !noneMatchAny:
		return failed("of If-Match and If-None-Match a write takes * alone, since the validators of this server are weak; Rete-If-State takes the Rete-State of an answer")
	case match && !found:
		return failed(what + " has no quad")
	case noneMatch && found:
		return failed(what + " is there already")
	}
	return nil
}

// wildcard reports whether a request has a field, and whether it is * and nothing else.
func wildcard(field []string) (given, alone bool) {
	return len(field) > 0, len(field) == 1 && field[0] == "*"
}

// clearGraph removes all quads of the target.
func clearGraph(ctx context.Context, tx dataset.Tx, t target) error {
	what := "DEFAULT"
	switch {
	case t.store:
		what = "ALL"
	case !t.graph.IsZero():
		what = "GRAPH " + t.graph.String()
	}
	u, err := sparql.ParseUpdate("CLEAR SILENT "+what, nil)
	if err != nil {
		return err
	}
	_, err = sparql.Execute(ctx, tx, u)
	return err
}

// batchQuads is how many quads go into a transaction at a time.
const batchQuads = 4096

// insertDocument adds the quads of a document: to the target, or where they say if
// quads is true.
func insertDocument(ctx context.Context, tx dataset.Tx, d *document.Document, t target, quads bool) error {
	r, err := d.Quads(ctx)
	if err != nil {
		return err
	}
	var raw rdf.RawQuad
	batch := make([]rdf.Quad, 0, 64)
	for {
		err := r.Read(&raw)
		if err == io.EOF {
			return tx.Insert(ctx, batch...)
		}
		if err != nil {
			return err
		}
		q := raw.Quad()
		if !quads {
			if !q.G.IsZero() {
				return problem(http.StatusBadRequest, "data", "Malformed data", "the document has named graphs, and the request names the graph")
			}
			q.G = t.graph
		}
		if batch = append(batch, q); len(batch) == batchQuads {
			if err := tx.Insert(ctx, batch...); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
}

// documents reads the body: one document, or those of a form. Those that are
// returned must be closed, also after an error.
func (x *exchange) documents(t target) ([]*document.Document, error) {
	if x.r.Header.Get("Content-Type") == "" {
		if none, err := x.bodyless(); err != nil {
			return nil, err
		} else if none {
			return nil, problem(http.StatusUnsupportedMediaType, "media-type", "Unknown media type",
				"the request has no body and no Content-Type; an empty graph is an empty body with the media type of a syntax")
		}
	}
	media, params, err := x.contentType()
	if err != nil {
		return nil, err
	}
	body, err := x.body()
	if err != nil {
		return nil, err
	}
	defer body.Close()
	base := x.url()
	if !t.graph.IsZero() {
		base = t.graph.Value()
	}
	if media != "multipart/form-data" {
		d, err := x.document(body, media, "body", base, memoryText, x.s.documents)
		if err != nil {
			return nil, err
		}
		return []*document.Document{d}, nil
	}
	if params["boundary"] == "" {
		return nil, problem(http.StatusBadRequest, "body", "Malformed body", "the form has no boundary")
	}
	return x.formDocuments(multipart.NewReader(body, params["boundary"]), base)
}

// maxParts bounds the documents of a form, memoryPart what is in memory of each, and of those of LOAD.
const (
	maxParts   = 1000
	memoryPart = 16 << 10
)

func (x *exchange) formDocuments(form *multipart.Reader, base string) ([]*document.Document, error) {
	var docs []*document.Document
	limits := x.s.documents.Shared()
	limits.Total = x.s.opt.MaxBody
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			if len(docs) == 0 {
				return docs, problem(http.StatusBadRequest, "body", "Malformed body", "the form has no part")
			}
			return docs, nil
		}
		if err != nil {
			return docs, bodyError(err)
		}
		if len(docs) == maxParts {
			return docs, problem(http.StatusRequestEntityTooLarge, "too-large", "Too large", fmt.Sprintf("the form has more than %d parts", maxParts))
		}
		name := part.FileName()
		media, err := partType(part.Header.Get("Content-Type"), name)
		if err != nil {
			return docs, err
		}
		if name = cmp.Or(name, part.FormName()); name == "" {
			name = fmt.Sprintf("part %d", len(docs)+1)
		}
		d, err := x.document(part, media, name, base, 2*memoryPart, limits)
		if err != nil {
			return docs, err
		}
		docs = append(docs, d)
	}
}

// partType is the media type of a part of a form. Programs that fill in forms do not know
// those of RDF; then the name of the file tells.
func partType(header, file string) (string, error) {
	media := ""
	if header != "" {
		var err error
		if media, _, err = mediaType(header); err != nil {
			return "", err
		}
	}
	if media == "" || media == "application/octet-stream" {
		if f := rdfio.FormatOf(file); f != rdfio.Unknown {
			return f.MediaType(), nil
		}
	}
	return media, nil
}

// document takes in one document, which with its quads may have room bytes in memory if there is room
// for them.
func (x *exchange) document(body io.Reader, media, name, base string, room int64, limits document.Limits) (*document.Document, error) {
	f, err := inputFormat(media)
	if err != nil {
		return nil, err
	}
	src := &document.Source{ReadCloser: io.NopCloser(body), Name: name, Base: base, Format: f}
	limits.Memory, limits.Room, limits.Unpack = 1, x.roomFor(room), x.unpack
	d, err := document.Read(x.r.Context(), src, limits)
	var file *fs.PathError
	var full *Problem // of those that unpack
	if err == nil || errors.As(err, &file) || errors.As(err, &full) || x.r.Context().Err() != nil || requestProblem(err) != nil {
		return d, err
	}
	return nil, bodyError(err) // it is packed without saying so, and broken
}
