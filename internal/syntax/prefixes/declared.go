package prefixes

import (
	"cmp"
	"iter"
	"maps"
	"slices"
)

// Declared are the prefixes that documents declare, in the order in which they do. The zero value
// is empty.
type Declared struct {
	set Set
	at  map[string]int // the place of each prefix in its document
}

// Declarer is a reader of documents that tells the prefixes that were declared so far: the first
// [MaxNames] of those that can be kept, each with the namespace that it had first. They are the
// reader's own, and grow while it reads.
type Declarer interface{ Declared() *Declared }

// Add adds the next declaration of a document. The first namespace of a prefix stays; what cannot
// be kept is left out, and so is what comes after [MaxNames] others.
func (d *Declared) Add(name, namespace string) {
	if _, have := d.set[name]; have || len(d.set) >= MaxNames || Check(name, namespace) != nil {
		return
	}
	d.put(name, namespace, len(d.set))
}

func (d *Declared) put(name, namespace string, at int) {
	if d.set == nil {
		d.set, d.at = Set{}, map[string]int{}
	}
	d.set[name], d.at[name] = namespace, at
}

// Gather adds the declarations of another document. Where two documents differ the namespace that
// sorts first stays, and the earlier place of a prefix, so the order of the documents makes no
// difference. Nothing is left out for its number.
func (d *Declared) Gather(more *Declared) {
	for name, namespace := range more.set {
		at := more.at[name]
		if old, have := d.set[name]; have {
			namespace, at = min(old, namespace), min(d.at[name], at)
		}
		d.put(name, namespace, at)
	}
}

// Append adds the declarations of a document that is read after those of d, in its order.
func (d *Declared) Append(more iter.Seq2[string, string]) {
	for name, namespace := range more {
		d.Add(name, namespace)
	}
}

// All are the prefixes and their namespaces, in the order in which they were declared.
func (d *Declared) All() iter.Seq2[string, string] {
	return func(yield func(name, namespace string) bool) {
		for _, name := range d.names() {
			if !yield(name, d.set[name]) {
				return
			}
		}
	}
}

// names are the prefixes by their places, of one place ascending.
func (d *Declared) names() []string {
	return slices.SortedFunc(maps.Keys(d.set), func(a, b string) int { return cmp.Or(cmp.Compare(d.at[a], d.at[b]), cmp.Compare(a, b)) })
}

// Set returns the first [MaxNames] prefixes. The set may be that of d.
func (d *Declared) Set() Set {
	if len(d.set) <= MaxNames {
		return d.set
	}
	return Set(nil).With(d)
}
