package probe

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rete-go/rete/bench/internal/limits"
)

// sizeFile: bytes of the base's segment for a statement. Its limit is one order of its rows as
// numbers of variable length.
func sizeFile(e *env) measure {
	names, err := filepath.Glob(filepath.Join(e.dir, storeBase, "*.rete"))
	e.fail(err)
	size := int64(0)
	for _, name := range names {
		info, err := os.Stat(name)
		e.fail(err)
		size += info.Size()
	}
	rows := e.loaded().rows
	least := len(limits.Encode(rows))
	return measure{unit: "bytes a statement", n: len(rows), count: func() (float64, float64) {
		return float64(size) / float64(len(rows)), float64(least) / float64(len(rows))
	}}
}

// Peak builds a segment, or asks the joins' queries, and returns the largest resident memory of this
// process, in MiB. It is compared with the size of the document that is built, or of the
// segments that are asked.
func Peak(ctx context.Context, dir, what string) (Reading, error) {
	e := &env{ctx: ctx, dir: dir}
	defer e.close()
	r := Reading{Name: "memory/" + what, Unit: "MiB", N: 1}
	works := map[string]func() (of float64){"build": e.peakBuild, "query": e.peakQuery}
	work, ok := works[what]
	if !ok {
		return r, fmt.Errorf("no peak %q", what)
	}
	err := caught(func() { r.Of = work() })
	if err == nil {
		r.Value, err = resident()
	}
	return r, err
}

const mib = 1 << 20

func (e *env) peakBuild() float64 {
	doc := e.read(filepath.Join(e.dir, builtName))
	e.buildAll(doc)
	return float64(len(doc)) / mib
}

func (e *env) peakQuery() (of float64) {
	s := e.queries(storeFolded)
	for _, text := range []string{"{ ?a :knows ?b . ?b :knows ?c }", "{ ?a :knows ?b . ?b :knows ?c . ?a :knows ?c }", "{ ?x :text ?t } ORDER BY ?t"} {
		e.ask(s, parse("SELECT * "+text))
	}
	names, err := filepath.Glob(filepath.Join(e.dir, storeFolded, "*.rete"))
	e.fail(err)
	for _, name := range names {
		info, err := os.Stat(name)
		e.fail(err)
		of += float64(info.Size()) / mib
	}
	return of
}

// resident is the largest resident memory of this process so far, in MiB.
func resident() (float64, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, found := bytes.Cut(text, []byte("VmHWM:"))
	f := bytes.Fields(rest)
	if !found || len(f) == 0 {
		return 0, fmt.Errorf("the system does not tell the largest resident memory")
	}
	n, err := strconv.ParseFloat(string(f[0]), 64)
	return n / 1024, err
}
