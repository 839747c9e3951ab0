package server_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/vfs"
)

// faultyDataset fails at its k-th read, counted from 1 over all its methods.
type faultyDataset struct {
	dataset.Dataset
	reads *atomic.Int64
	at    int64
	err   error
}

func (d faultyDataset) read() error {
	if d.reads.Add(1) == d.at {
		return d.err
	}
	return nil
}

func (d faultyDataset) Decode(ctx context.Context, ids []dataset.ID, out *dataset.Terms) error {
	if err := d.read(); err != nil {
		return err
	}
	return d.Dataset.Decode(ctx, ids, out)
}

func (d faultyDataset) Scan(ctx context.Context, p dataset.Pattern, o dataset.Order, opt *dataset.ScanOptions) (dataset.Cursor, error) {
	if err := d.read(); err != nil {
		return nil, err
	}
	c, err := d.Dataset.Scan(ctx, p, o, opt)
	return faultyCursor{c, d}, err
}

type faultyCursor struct {
	dataset.Cursor
	d faultyDataset
}

func (c faultyCursor) Next(ctx context.Context, b *dataset.Batch) error {
	if err := c.d.read(); err != nil {
		return err
	}
	return c.Cursor.Next(ctx, b)
}

// manyPeople is a dataset whose answers are larger than what is held back.
func manyPeople() string {
	var b strings.Builder
	b.WriteString("PREFIX : <http://ex/>\n")
	for i := range 4000 {
		fmt.Fprintf(&b, ":person%d :name \"Person number %d, with a name that is long enough to fill a buffer\" .\n", i, i)
	}
	return b.String()
}

// endings are the last bytes of whole answers in formats that show their end; the
// others are lines, of which the carrier must tell.
var endings = map[string]string{
	"json": "]}}", "xml": "</sparql>", "html": "</html>", "turtle": " .", "trig": " .", "jsonld": "]", "rdfxml": "</rdf:RDF>",
}

// TestFailingReads lets every k-th read of an answer fail, in every format and coding.
// A client gets a status, or an answer that is seen to be cut off; never one that looks
// whole.
func TestFailingReads(t *testing.T) {
	store := &fakeStore{data: readText(t, manyPeople())}
	var reads atomic.Int64
	var at atomic.Int64
	store.wrap = func(ds dataset.Dataset) dataset.Dataset {
		reads.Store(0)
		return faultyDataset{ds, &reads, at.Load(), fmt.Errorf("tile 7: %w", rete.ErrDamaged)}
	}
	srv := start(t, store, nil)
	var paths []string
	for _, format := range []string{"json", "xml", "csv", "tsv", "html"} {
		paths = append(paths, "/sparql?query=SELECT*%7B?s+?p+?o%7D&format="+format)
	}
	for _, format := range []string{"turtle", "ntriples", "nquads", "trig", "jsonld", "rdfxml"} {
		paths = append(paths, "/sparql?query=CONSTRUCT+WHERE%7B?s+?p+?o%7D&format="+format)
	}
	paths = append(paths, "/sparql?query=DESCRIBE+?s%7B?s+?p+?o%7D&format=ntriples", "/store?default&format=turtle", "/store?format=jsonld")
	for _, path := range paths {
		ending := endings[path[strings.LastIndex(path, "format=")+len("format="):]]
		for _, coding := range []string{"identity", "gzip", "zstd"} {
			t.Run(path+" "+coding, func(t *testing.T) {
				at.Store(0)
				whole := ask(t, "GET", srv.URL+path, "", "Accept-Encoding", coding)
				if whole.status != 200 || whole.err != nil {
					t.Fatalf("without a failure: %d %v", whole.status, whole.err)
				}
				text := unpack(t, coding, whole.body)
				if text = strings.TrimSpace(text); text == "" || !strings.HasSuffix(text, ending) {
					t.Fatalf("a whole answer ends with %q", text[max(0, len(text)-40):])
				}
				n := reads.Load()
				early, late := 0, 0
				for k := int64(1); k <= n; k++ {
					at.Store(k)
					a := ask(t, "GET", srv.URL+path, "", "Accept-Encoding", coding)
					switch {
					case a.status == 500 && a.err == nil && strings.Contains(a.body, "urn:rete:problem:damaged"):
						early++
					case a.status == 200 && errors.Is(a.err, io.ErrUnexpectedEOF):
						late++
						if coding == "identity" && ending != "" && strings.HasSuffix(strings.TrimSpace(a.body), ending) {
							t.Errorf("read %d of %d: the end is that of a whole answer", k, n)
						}
						if coding != "identity" && unpackable(coding, a.body) {
							t.Errorf("read %d of %d: what came unpacks to a whole answer", k, n)
						}
					default:
						t.Errorf("read %d of %d: status %d, error %v, %d bytes", k, n, a.status, a.err, len(a.body))
					}
				}
				if early == 0 || late == 0 {
					t.Errorf("of %d reads %d had a status and %d were cut off: both kinds are wanted", n, early, late)
				}
			})
		}
	}
	if store.open != 0 {
		t.Errorf("%d snapshots are open", store.open)
	}
}

// TestFailingReadsOldProtocol does the same for a client of HTTP/1.0, for which
// only Content-Length shows that an answer is whole.
func TestFailingReadsOldProtocol(t *testing.T) {
	store := &fakeStore{data: readText(t, manyPeople())}
	var reads, at atomic.Int64
	store.wrap = func(ds dataset.Dataset) dataset.Dataset {
		reads.Store(0)
		return faultyDataset{ds, &reads, at.Load(), errors.New("disk")}
	}
	addr := serve(t, store, nil)
	req := badRequest{head: "GET /sparql?format=csv&query=SELECT*%7B?s+?p+?o%7D HTTP/1.0"}
	resp, body, err := req.send(t, addr)
	if err != nil || resp.StatusCode != 200 || resp.ContentLength != int64(len(body)) {
		t.Fatalf("%v %v, %d bytes: %.300s", resp.StatusCode, err, len(body), body)
	}
	n := reads.Load()
	for k := int64(1); k <= n; k++ {
		at.Store(k)
		if resp, _, err := req.send(t, addr); err != nil || resp.StatusCode != 500 {
			t.Errorf("read %d: %v %v", k, resp.StatusCode, err)
		}
	}
}

func unpack(t *testing.T, coding, body string) string {
	t.Helper()
	r, err := unpacker(coding, body)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func unpackable(coding, body string) bool {
	r, err := unpacker(coding, body)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, r)
	return err == nil
}

func unpacker(coding, body string) (io.Reader, error) {
	switch coding {
	case "gzip":
		return gzip.NewReader(bytes.NewReader([]byte(body)))
	case "zstd":
		z, err := zstd.NewReader(strings.NewReader(body), zstd.WithDecoderConcurrency(1))
		return z, err
	}
	return strings.NewReader(body), nil
}

// TestFailingWrites lets every step of a write fail: nothing is acknowledged, and
// nothing changes.
func TestFailingWrites(t *testing.T) {
	srv, store := startFake(t, people, nil)
	for _, c := range []struct {
		err    error
		status int
		word   string
	}{
		{fmt.Errorf("append: %w", rete.ErrUnknownOutcome), 500, "unknown-outcome"},
		{fmt.Errorf("append: %w", rete.ErrConflict), 503, "busy"},
		{&fs.PathError{Op: "write", Path: "x", Err: vfs.ErrNoSpace}, 507, "space"},
		{&fs.PathError{Op: "write", Path: "x", Err: vfs.ErrQuota}, 507, "space"},
		{&fs.PathError{Op: "write", Path: "x", Err: vfs.ErrTooLarge}, 507, "space"},
		{errors.New("disk"), 500, "internal"},
	} {
		store.commit = func() error { return c.err }
		for _, a := range []answer{
			ask(t, "POST", srv.URL+"/sparql", "CLEAR ALL", "Content-Type", "application/sparql-update"),
			ask(t, "PUT", srv.URL+"/store?default", "", "Content-Type", "text/turtle"),
			ask(t, "DELETE", srv.URL+"/store?graph=http://ex/g", ""),
		} {
			if a.status != c.status || !strings.Contains(a.body, "problem:"+c.word+`"`) {
				t.Errorf("%v: %d %s", c.err, a.status, a.body)
			}
		}
		if store.name() != "state-0" {
			t.Fatal("the store has changed")
		}
	}
	store.commit = nil
	if a := ask(t, "POST", srv.URL+"/sparql", "CLEAR ALL", "Content-Type", "application/sparql-update"); a.status != 204 || a.header.Get("Rete-State") != "state-1" {
		t.Errorf("the next one: %d %s", a.status, a.body)
	}
}
