// Command generate writes a data set of the benchmarks as N-Triples or N-Quads, and its
// number of statements and SHA-256 on standard error.
//
//	go run ./bench/generate -set ecommerce -scale 1000000 > ecommerce.nt
//	go run ./bench/generate -set ecommerce -queries 10
//
// With -queries it writes the queries instead, each with as many draws of its constants.
package main

import (
	"bufio"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/bench/movies"
	"github.com/rete-go/rete/bench/sets"
)

func main() {
	name := flag.String("set", "social", "data set: "+strings.Join(sets.Names, ", "))
	scale := flag.Int("scale", 1_000_000, "number of statements, about")
	shared := flag.String("shared", os.Getenv("RETE_SHARED"), "folder of shared data, for the set movies")
	queries := flag.Int("queries", 0, "write the queries instead, this many times each")
	seed := flag.Uint64("seed", 1, "draws the constants of queries")
	flag.Parse()
	if err := run(os.Stdout, os.Stderr, *name, *scale, *shared, *queries, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(out, notes io.Writer, name string, scale int, shared string, queries int, seed uint64) error {
	set, err := sets.Named(name, scale, filepath.Join(shared, filepath.FromSlash(movies.File)))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	if queries > 0 {
		for _, q := range set.Queries {
			for n := range queries {
				fmt.Fprintf(w, "# %s %d\n%s\n\n", q.Name, n, set.Instance(q, seed, n))
			}
		}
		return w.Flush()
	}
	sum := sha256.New()
	n, err := set.Write(io.MultiWriter(w, sum))
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(notes, "%d statements, SHA-256 %x\n", n, sum.Sum(nil))
	return err
}
