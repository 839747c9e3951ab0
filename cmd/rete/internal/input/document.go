package input

import (
	"cmp"
	"context"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
)

// Options say how documents are read. The zero value works.
type Options struct {
	// Format is the syntax of all documents. Unknown: by the name of each, or its content.
	Format rdfio.Format
	// Base is the base IRI of all documents. Default: the file: IRI of a file, the address of
	// a document on the web, none of others.
	Base string
	// Stdin is what "-" stands for.
	Stdin io.Reader
	// LeftOut gets the files of folders that are left out, other than hidden ones, and why; nil:
	// nobody does.
	LeftOut func(path, why string)
}

// Document is one document, not open yet.
type Document struct {
	// Name is what messages call it, and what tells its syntax without Format: the path of a
	// file, an address, "standard input".
	Name string
	// Format is the syntax that was asked for, or Unknown.
	Format rdfio.Format
	// Base is the IRI that relative references are resolved against, if it has one.
	Base string
	// Reader gives the bytes of standard input and pipes, which can be read once; nil for
	// files and web addresses.
	Reader io.Reader
	// Web says that Name is an address.
	Web bool
}

// syntax returns the syntax of a document as far as it is known without its content.
func (d *Document) syntax() rdfio.Format { return cmp.Or(d.Format, rdfio.FormatOf(d.Name)) }

// MediaType is that of the document as it is stored: of its packing, or of its syntax where that is known.
func (d *Document) MediaType() string {
	switch strings.ToLower(filepath.Ext(d.Name)) {
	case ".gz":
		return "application/gzip"
	case ".zst":
		return "application/zstd"
	case ".bz2":
		return "application/x-bzip2"
	}
	if f := d.syntax(); f != rdfio.Unknown {
		return f.MediaType()
	}
	return "application/octet-stream"
}

// Open returns the bytes of the document as they are stored, perhaps packed. Of one on the
// web it takes over the syntax that the server tells, unless one was asked for.
func (d *Document) Open(ctx context.Context) (io.ReadCloser, error) {
	switch {
	case d.Reader != nil:
		return io.NopCloser(d.Reader), nil
	case d.Web:
		s, err := document.Web(nil)(ctx, d.Name)
		if err != nil {
			return nil, err
		}
		d.Format = cmp.Or(d.Format, s.Format)
		return s, nil
	}
	return vfs.OpenRegular(d.Name)
}

// Size returns the bytes of documents as they are stored; false if one of them is no file.
func Size(docs []Document) (total int64, known bool) {
	for i := range docs {
		if docs[i].Reader != nil || docs[i].Web {
			return 0, false
		}
		info, err := os.Stat(docs[i].Name)
		if err != nil || !info.Mode().IsRegular() {
			return 0, false
		}
		total += info.Size()
	}
	return total, total > 0
}

// Options are those of a reader of the document.
func (d *Document) Options(blank rdf.BlankMode, lenient bool) rdf.Options {
	return rdf.Options{File: d.Name, Base: d.Base, Blank: blank, Lenient: lenient}
}

// fileIRI returns the file: IRI of a path: the base that a document on disk has.
func fileIRI(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// of returns the document of a name that is no folder and no pattern.
func (o *Options) of(name string, info os.FileInfo) Document {
	d := Document{Name: name, Format: o.Format, Base: o.Base}
	if info != nil && !info.Mode().IsRegular() {
		d.Reader = &stream{name: name}
	}
	if d.Base == "" {
		d.Base = fileIRI(name)
	}
	return d
}
