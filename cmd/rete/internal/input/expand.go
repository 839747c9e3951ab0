package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf/rdfio"
)

// Expand returns the documents that names name, in that order:
//
//   - "-" is standard input;
//   - an http: or https: address is one document;
//   - a folder stands for the documents in it and below, by their names, those of hidden files
//     and folders left out, and so are files that are no documents; without any it is [ErrNone];
//   - a name of nothing that has *, ? or [ is a pattern, and stands for what matches it; where
//     nothing does it is [ErrNone];
//   - anything else is a file or a pipe.
//
// A segment, a manifest or a folder with one is [ErrGraph].
func Expand(names []string, opt *Options) ([]Document, error) {
	var all []Document
	for _, name := range names {
		list, err := opt.expand(name)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

func (o *Options) expand(name string) ([]Document, error) {
	switch {
	case name == "-":
		return []Document{{Name: "standard input", Format: o.Format, Base: o.Base, Reader: o.Stdin}}, nil
	case IsGraphName(name):
		return nil, named(name, ErrGraph, "")
	case blob.IsRemote(name):
		d := Document{Name: name, Format: o.Format, Base: o.Base, Web: true}
		if d.Base == "" {
			d.Base = name
		}
		return []Document{d}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return o.folder(name)
	case err == nil:
		return []Document{o.of(name, info)}, nil
	case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(name, "*?["):
		return nil, err
	}
	matches, err := filepath.Glob(name)
	if err != nil {
		return nil, named(name, err, "")
	}
	if len(matches) == 0 {
		return nil, named(name, ErrNone, ": no file matches")
	}
	return Expand(matches, o)
}

// folder returns the documents in a folder and below, in the order of their paths. Other files
// are left out, and Options.LeftOut is told of them.
func (o *Options) folder(name string) ([]Document, error) {
	var all []Document
	var out []leftOut
	err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != name && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(d.Name(), manifest.Suffix):
			return named(filepath.Dir(path), ErrGraph, ": it has the manifest %s", d.Name())
		case d.IsDir():
			return nil
		}
		info, err := os.Stat(path) // through links
		why := ""
		switch {
		case d.Type()&fs.ModeSymlink != 0 && errors.Is(err, fs.ErrNotExist):
			why = "a link to nothing"
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			why = "no regular file"
		case o.Format == rdfio.Unknown:
			why = notDocument(path)
		}
		if why == "" {
			all = append(all, o.of(path, info))
			return nil
		}
		out = append(out, leftOut{path, why})
		return nil
	})
	for _, l := range out {
		if err == nil && o.LeftOut != nil {
			o.LeftOut(l.path, l.why)
		}
	}
	if err == nil && len(all) == 0 {
		err = named(name, ErrNone, " in this folder: none has a name that ends with %s", strings.Join(readExtensions(), ", "))
		if len(out) > 0 {
			err = fmt.Errorf("%w; %s is left out", err, out[0].path)
		}
	}
	return all, err
}

// leftOut is a file that is left out, and why.
type leftOut struct{ path, why string }

// readExtensions are those of the syntaxes that are read.
func readExtensions() []string {
	return slices.DeleteFunc(rdfio.Extensions(), func(ext string) bool { return rdfio.FormatOf("x"+ext) == rdfio.JSONLD })
}

// notDocument says why a file in a folder is no document; empty if it is one. Its name tells, but
// what is called .xml may be anything, so there the content decides.
func notDocument(path string) string {
	f := rdfio.FormatOf(path)
	switch {
	case f == rdfio.JSONLD:
		return "JSON-LD is written, and not read"
	case f == rdfio.Unknown:
		return "its name tells no syntax that is read"
	case f != rdfio.RDFXML || !strings.Contains(strings.ToLower(filepath.Base(path)), ".xml"):
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return "" // and the error comes where it is read
	}
	defer file.Close()
	plain, err := rdfio.Decompress(file)
	if err != nil {
		return ""
	}
	if _, f, err = rdfio.Detect("", plain); err != nil || f != rdfio.RDFXML {
		return "XML that is not RDF/XML"
	}
	return ""
}
