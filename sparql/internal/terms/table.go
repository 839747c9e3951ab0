// Package terms is what one query knows of terms: the ids of the dataset, ids
// of its own for terms that the data does not have, and typed values, decoded
// once for each id.
package terms

import (
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/value"
)

type id = dataset.ID

// Table is the terms of one query, as one of its goroutines sees them. The ids are
// those of all its goroutines (see [Table.Fork]), the values that it keeps its own.
type Table struct {
	ds    dataset.Dataset
	known *known
	cache cache
	// counted is the bytes of the cache for which Grow was called.
	counted int64
	step    int // how many values are decoded at once

	// Grow is called with the bytes that the table comes to hold; its error
	// ends the query. Nil counts nothing.
	Grow func(ctx context.Context, bytes int64) error
	// Shrink is called with the bytes that the table no longer holds.
	Shrink func(bytes int64)
	// CacheBytes bounds the values that are kept from one batch to the next; 0 stands
	// for 32 MiB, which is also the most.
	CacheBytes int64
	// Made is the bytes of terms for which Grow was called, which stay.
	Made int64

	missing []string
	lookup  []rdf.Term
	found   []id
	need    []id
	slab    dataset.Terms
}

// New returns a table over ds without terms.
func New(ds dataset.Dataset) *Table {
	return &Table{ds: ds, known: &known{index: make(map[string]id)}, cache: newCache()}
}

// Fork returns a table with the same terms, those of later included, for another
// goroutine of the query.
func (t *Table) Fork() *Table {
	return &Table{ds: t.ds, known: t.known, cache: newCache(), CacheBytes: t.CacheBytes}
}

// Dataset returns the dataset below the table.
func (t *Table) Dataset() dataset.Dataset { return t.ds }

// Intern sets out[i] to the id of surfaces[i], which must be canonical: the
// stored id if there is one, else one of the query's own. The empty surface
// gives 0. New surfaces are looked up in one batch.
func (t *Table) Intern(ctx context.Context, surfaces []string, out []id) error {
	for {
		if err := t.find(surfaces, out); err != nil || len(t.missing) == 0 {
			return err
		}
		// What is looked up may be dropped again: see [Table.Spill].
		if err := t.resolve(ctx); err != nil {
			return err
		}
	}
}

// find sets out to the ids that are known, and t.missing to the others' surfaces.
func (t *Table) find(surfaces []string, out []id) error {
	t.missing = t.missing[:0]
	t.known.mu.Lock()
	defer t.known.mu.Unlock()
	for i, s := range surfaces {
		if s == "" {
			out[i] = 0
			continue
		}
		known, ok, err := t.known.find(s)
		if err != nil {
			return err
		}
		out[i] = known
		if !ok {
			t.missing = append(t.missing, s)
		}
	}
	return nil
}

// resolve looks up the missing surfaces and makes ids for those that are not
// stored.
func (t *Table) resolve(ctx context.Context) error {
	slices.Sort(t.missing)
	t.missing = slices.Compact(t.missing)
	t.lookup = t.lookup[:0]
	var bytes int64
	for _, s := range t.missing {
		t.lookup = append(t.lookup, rdf.FromSurface(s))
		bytes += int64(len(s)) + termCost
	}
	if err := t.grow(ctx, bytes); err != nil {
		return err
	}
	t.found = append(t.found[:0], make([]id, len(t.lookup))...)
	if err := t.ds.Lookup(ctx, t.lookup, t.found); err != nil {
		return err
	}
	k := t.known
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, s := range t.missing {
		if _, ok, err := k.find(s); ok || err != nil {
			if err != nil {
				return err
			}
			continue // by another goroutine meanwhile
		}
		k.bytes += int64(len(s)) + termCost
		if t.found[i] == 0 {
			t.found[i] = k.fresh(s)
		}
		k.index[s] = t.found[i]
	}
	return nil
}

// InternOne is [Table.Intern] for one surface.
func (t *Table) InternOne(ctx context.Context, surface string) (id, error) {
	var out [1]id
	err := t.Intern(ctx, []string{surface}, out[:])
	return out[0], err
}

// grow counts bytes of terms that stay.
func (t *Table) grow(ctx context.Context, bytes int64) error {
	if t.Grow == nil {
		return nil
	}
	if err := t.Grow(ctx, bytes); err != nil {
		return err
	}
	t.Made += bytes
	return nil
}

// madeSurface returns the surface of an id that the query made.
func (t *Table) madeSurface(i id) (string, error) {
	t.known.mu.Lock()
	defer t.known.mu.Unlock()
	return t.known.surface(i)
}

// Key returns a number for a text that is no term: equal texts have the same one, and
// no term of the query has it. It is never 0.
func (t *Table) Key(ctx context.Context, text []byte) (id, error) {
	surface := "\x00" + string(text)
	k := t.known
	k.mu.Lock()
	i, ok, err := k.find(surface)
	k.mu.Unlock()
	if ok || err != nil {
		return i, err
	}
	bytes := int64(len(surface)) + termCost
	if err := t.grow(ctx, bytes); err != nil {
		return 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if i, ok, err := k.find(surface); ok || err != nil { // by another goroutine meanwhile
		return i, err
	}
	k.bytes += bytes
	k.index[surface] = k.fresh(surface)
	return k.index[surface], nil
}

// Spillable returns the bytes that [Table.Spill] would give back.
func (t *Table) Spillable() int64 {
	t.known.mu.Lock()
	defer t.known.mu.Unlock()
	return t.known.spillable()
}

// Spill writes the terms that the query made to a file, which make makes the first
// time, and returns the bytes that are held less. Their ids stay what they are.
func (t *Table) Spill(make func() (File, error)) (int64, error) {
	t.known.mu.Lock()
	defer t.known.mu.Unlock()
	return t.known.write(make)
}

// Surfaces appends the surfaces of ids, which must be ascending and distinct
// and not 0.
func (t *Table) Surfaces(ctx context.Context, list []id, out *dataset.Terms) error {
	stored := len(list)
	for stored > 0 && list[stored-1].IsLocal() {
		stored--
	}
	if stored > 0 {
		before := out.Len()
		if err := t.ds.Decode(ctx, list[:stored], out); err != nil {
			return err
		}
		if out.Len() != before+stored {
			return fmt.Errorf("sparql: the dataset decoded %d of %d terms", out.Len()-before, stored)
		}
	}
	read := 0
	for _, i := range list[stored:] {
		s, err := t.madeSurface(i)
		if err != nil {
			return err
		}
		out.Append([]byte(s))
		if read += len(s); read > checkedText { // it may lie in a file
			if err := ctx.Err(); err != nil {
				return err
			}
			read = 0
		}
	}
	return nil
}

// checkedText is how many bytes of terms are read between two checks of the context, but for
// the last one.
const checkedText = 4 << 20

// SurfaceOf returns the surface of one id, "" of 0.
func (t *Table) SurfaceOf(ctx context.Context, i id) (string, error) {
	if i == 0 {
		return "", nil
	}
	t.slab.Reset()
	if err := t.Surfaces(ctx, []id{i}, &t.slab); err != nil {
		return "", err
	}
	return string(t.slab.At(0)), nil
}

// Values makes the values of all ids of the columns known, and appends to
// slots, for each column in turn, the slots of its ids. Slots are good until
// the next call of Values; 0 is the slot of no value.
func (t *Table) Values(ctx context.Context, columns [][]id, slots [][]int32) error {
	if t.cache.full(t.CacheBytes) {
		if t.Shrink != nil {
			t.Shrink(t.counted)
		}
		t.cache, t.counted = newCache(), 0
	}
	t.need = t.need[:0]
	for c, col := range columns {
		slots[c] = slots[c][:0]
		for _, i := range col {
			slot, ok := t.cache.find(i)
			if !ok {
				t.need = append(t.need, i)
			}
			slots[c] = append(slots[c], slot)
		}
	}
	if len(t.need) == 0 {
		return nil
	}
	if err := t.decode(ctx); err != nil {
		return err
	}
	for c, col := range columns {
		for r, i := range col {
			if i != 0 && slots[c][r] == 0 {
				slots[c][r], _ = t.cache.find(i)
			}
		}
	}
	return nil
}

// Value returns the value in a slot.
func (t *Table) Value(slot int32) *value.Value { return t.cache.at(slot) }

// Decoded appends the values of ids to out, without keeping them: for callers
// that look at each id once. The ids are ascending and distinct; 0 has no value.
func (t *Table) Decoded(ctx context.Context, list []id, out []value.Value) ([]value.Value, error) {
	if len(list) > 0 && list[0] == 0 {
		out, list = append(out, value.Value{}), list[1:]
	}
	stored := len(list)
	for stored > 0 && list[stored-1].IsLocal() {
		stored--
	}
	if stored > 0 {
		var err error
		if out, err = t.stored(ctx, list[:stored], out); err != nil {
			return nil, err
		}
	}
	for _, i := range list[stored:] {
		s, err := t.madeSurface(i)
		if err != nil {
			return nil, err
		}
		out = append(out, value.DecodeString(s))
	}
	return out, nil
}

// stored appends the values of ids of the dataset to out.
func (t *Table) stored(ctx context.Context, list []id, out []value.Value) ([]value.Value, error) {
	var terms dataset.Terms
	if err := t.ds.Decode(ctx, list, &terms); err != nil {
		return nil, err
	}
	if terms.Len() != len(list) {
		return nil, fmt.Errorf("sparql: the dataset gave %d of %d terms", terms.Len(), len(list))
	}
	for i := range terms.Len() {
		out = append(out, value.Decode(terms.At(i)))
	}
	return out, nil
}

// decode brings the needed ids into the cache.
func (t *Table) decode(ctx context.Context) error {
	slices.Sort(t.need)
	t.need = slices.Compact(t.need)
	stored := len(t.need)
	for stored > 0 && t.need[stored-1].IsLocal() {
		stored--
	}
	for from := 0; from < stored; {
		n := min(max(t.step, firstValues), stored-from)
		before := t.cache.bytes
		values, err := t.stored(ctx, t.need[from:from+n], make([]value.Value, 0, n))
		if err != nil {
			return err
		}
		for k, v := range values {
			t.cache.add(t.need[from+k], v)
		}
		if err := t.count(ctx); err != nil {
			return err
		}
		from += n
		t.step = int(valueBytes * int64(n) / max(1, t.cache.bytes-before))
	}
	for _, i := range t.need[stored:] {
		s, err := t.madeSurface(i)
		if err != nil {
			return err
		}
		t.cache.add(i, value.DecodeString(s))
		if len(s) >= longValue {
			if err := t.count(ctx); err != nil {
				return err
			}
		}
	}
	return t.count(ctx)
}

const (
	// firstValues is how many values are decoded at once where it is not known that they are
	// short; of short ones as many as have about valueBytes.
	firstValues = 16
	valueBytes  = 1 << 20
	// longValue is from what length on a value is counted by itself.
	longValue = 16 << 10
)

// count counts what the cache has come to hold. If that is refused it begins anew.
func (t *Table) count(ctx context.Context) error {
	if t.Grow == nil || t.Shrink == nil || t.cache.bytes == t.counted {
		return nil
	}
	if err := t.Grow(ctx, t.cache.bytes-t.counted); err != nil {
		t.Shrink(t.counted)
		t.cache, t.counted = newCache(), 0
		return err
	}
	t.counted = t.cache.bytes
	return nil
}
