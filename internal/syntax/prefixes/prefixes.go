// Package prefixes holds what namespaces are called: names such as foaf for
// http://xmlns.com/foaf/0.1/, which documents declare, graphs keep and writers use. A [Set]
// has namespaces by their prefixes, a [Shortener] finds the prefix of an IRI.
package prefixes

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

// Set holds namespaces by their prefixes, which have no colon. Nil is empty.
type Set map[string]string

// Bounds of what is kept.
const (
	MaxNames     = 1000 // of a set
	maxName      = 100  // bytes of a prefix
	maxNamespace = 2000 // bytes of a namespace
	version      = 1    // of the encoding
)

// Check says why a prefix and a namespace cannot be kept; nil if they can. A prefix is one of
// Turtle and SPARQL, or empty, and a namespace is an absolute IRI.
func Check(name, namespace string) error {
	if end := End([]byte(name + ":")); end != len(name) || len(name) > maxName {
		return fmt.Errorf("%q is not a valid prefix", name)
	}
	if !rdf.IRI(namespace).Valid() || len(namespace) > maxNamespace {
		return fmt.Errorf("%q is not a valid namespace: an absolute IRI of at most %d bytes is one", namespace, maxNamespace)
	}
	return nil
}

// End returns the index of the colon that ends the prefix at b[0], or minus the index at which
// b turned out to hold none.
func End(b []byte) int {
	i, dot := 0, false
	for i < len(b) {
		c := b[i]
		if c == ':' && !dot {
			return i
		}
		if c == '.' && i > 0 {
			dot = true
			i++
			continue
		}
		n := lex.NameRune(b, i, i == 0)
		if n == 0 || i == 0 && (c == '_' || lex.Class[c]&lex.ClassDigit != 0) {
			break
		}
		dot = false
		i += n
	}
	return -max(i, 1)
}

// Names returns the prefixes in ascending order.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s)) }

// Joined returns s with what more has in addition: a prefix that s has keeps its namespace. What
// cannot be kept is left out, and so is, in ascending order, what would be more than [MaxNames].
// The result is s itself if nothing comes to it.
func (s Set) Joined(more Set) Set { return s.with(more.Names(), more) }

// With is [Set.Joined] that leaves out those declared last.
func (s Set) With(more *Declared) Set { return s.with(more.names(), more.set) }

func (s Set) with(names []string, more Set) Set {
	out := s
	for _, name := range names {
		if _, have := s[name]; have || len(out) >= MaxNames || Check(name, more[name]) != nil {
			continue
		}
		if len(out) == len(s) {
			if out = maps.Clone(s); out == nil {
				out = Set{}
			}
		}
		out[name] = more[name]
	}
	return out
}

// Over returns the prefixes of s, and those of below whose names s lacks, as a set of its own.
func (s Set) Over(below Set) Set {
	out := make(Set, len(s)+len(below))
	maps.Copy(out, below)
	maps.Copy(out, s)
	return out
}

// Encode returns the set as it is stored in a segment: a version, and for each prefix, ascending,
// it and its namespace, each after its length; nil of an empty set. Of more than [MaxNames] the
// first are stored.
func (s Set) Encode() []byte {
	names := s.Names()
	if len(names) == 0 {
		return nil
	}
	names = names[:min(len(names), MaxNames)]
	b := binary.AppendUvarint([]byte{version}, uint64(len(names)))
	for _, name := range names {
		for _, text := range []string{name, s[name]} {
			b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
		}
	}
	return b
}

// Decode reads what Encode returns. A later version is an empty set.
func Decode(b []byte) (Set, error) {
	if len(b) == 0 || b[0] > version {
		return nil, nil
	}
	d := decoder{rest: b[1:]}
	n := d.count()
	s := Set{}
	last := ""
	for i := range n {
		name, namespace := d.text(), d.text()
		if d.bad || i > 0 && name <= last || Check(name, namespace) != nil {
			return nil, fmt.Errorf("prefix %d of %d is not valid", i+1, n)
		}
		s[name], last = namespace, name
	}
	if d.bad || b[0] == 0 || n > MaxNames || len(d.rest) > 0 {
		return nil, fmt.Errorf("%d prefixes, and %d bytes after them", n, len(d.rest))
	}
	return s, nil
}

type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) count() int {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

func (d *decoder) text() string {
	n := d.count()
	if n > len(d.rest) {
		d.bad, d.rest = true, nil
		return ""
	}
	text := string(d.rest[:n])
	d.rest = d.rest[n:]
	return text
}

// Shortener finds the prefix of an IRI.
type Shortener struct {
	names   map[string]string // by namespace
	lengths []int             // of namespaces, longest first, each once
}

// NewShortener returns a shortener by the prefixes of a set. Of several prefixes of one namespace
// it takes the first.
func NewShortener(s Set) *Shortener {
	sh := &Shortener{names: make(map[string]string, len(s))}
	for _, name := range s.Names() {
		namespace := s[name]
		if _, have := sh.names[namespace]; !have {
			sh.names[namespace] = name
			sh.lengths = append(sh.lengths, len(namespace))
		}
	}
	sort.Sort(sort.Reverse(sort.IntSlice(sh.lengths)))
	sh.lengths = slices.Compact(sh.lengths)
	return sh
}

// Each calls use for the prefixes whose namespaces an IRI begins with, longest first, and the
// rest of the IRI, until use returns true. It reports whether one did.
func (sh *Shortener) Each(iri []byte, use func(name string, local []byte) bool) bool {
	for _, n := range sh.lengths {
		if n > len(iri) {
			continue
		}
		if name, ok := sh.names[string(iri[:n])]; ok && use(name, iri[n:]) {
			return true
		}
	}
	return false
}
