package manifest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/strictjson"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

// Version is the version of manifests that is read and written.
const Version = 1

// Error says where a manifest is not valid. It matches the damage
// sentinel.
type Error struct {
	File   string // "" where the parser knows no name
	Line   int    // from 1
	Column int    // in characters, from 1
	Path   string // JSON path, $ is the root
	Detail string

	changed bool // it matches ErrNotAsWritten too
}

func (e *Error) Error() string {
	at := fmt.Sprintf("%d:%d", e.Line, e.Column)
	if e.File != "" {
		at = e.File + ":" + at
	}
	return fmt.Sprintf("%s: %s: %s", at, e.Path, e.Detail)
}

// Is makes the error match engine.ErrDamaged.
func (e *Error) Is(target error) bool {
	return target == damage.Err || target == ErrNotAsWritten && e.changed
}

// Parse reads a manifest (docs/manifest.md, "Fields"). What is not valid is a
// *[Error] with line, column and JSON path, which matches [ErrNotAsWritten] if it
// has a self that does not hold, or without one an unknown field inside an entry; another
// version is [ErrVersion].
func Parse(src []byte) (*Manifest, error) {
	m, changed, err := parse(src)
	if err == nil && changed != nil {
		return nil, changed
	}
	return m, err
}

// parse is Parse for a caller that can use a manifest that is not as it
// was written: changed says what shows that, nil if nothing does.
func parse(src []byte) (m *Manifest, changed *Error, err error) {
	if len(src) > MaxBytes {
		return nil, nil, fmt.Errorf("a manifest of %d bytes; at most %d are read", len(src), MaxBytes)
	}
	// The version first: what it is not must not be judged by our rules.
	known := strconv.Itoa(Version)
	version := known
	if err := parseJSON(src, func(d *strictjson.Decoder) { version = readVersion(d) }); err != nil {
		return nil, nil, err
	}
	if version != known {
		return nil, nil, fmt.Errorf("%w: %s; this program reads version %s", ErrVersion, version, known)
	}
	r := &reader{src: src, m: new(Manifest)}
	if err := parseJSON(src, r.read); err != nil {
		return nil, nil, err
	}
	return r.m, r.changed, nil
}

func parseJSON(src []byte, read func(*strictjson.Decoder)) error {
	err := strictjson.Parse(src, read)
	if at := (*strictjson.Error)(nil); errors.As(err, &at) {
		return errorAt(at)
	}
	return err
}

func errorAt(e *strictjson.Error) *Error {
	return &Error{Line: e.Line, Column: e.Column, Path: e.Path, Detail: e.Detail}
}

// readVersion returns the text of the version and checks the grammar of the rest.
func readVersion(d *strictjson.Decoder) (version string) {
	start := d.At()
	d.Object(func(key string, _ int) {
		if value := d.Any(); key == "rete_manifest" {
			version = string(value)
		}
	})
	if version == "" {
		d.Fail(start, "rete_manifest is missing: this is not a manifest")
	}
	return version
}

// reader reads one manifest.
type reader struct {
	*strictjson.Decoder
	src     []byte
	m       *Manifest
	self    selfPlace
	unknown *strictjson.Error // the first unknown field inside an entry, a segment or previous
	changed *Error
}

func (r *reader) read(d *strictjson.Decoder) {
	r.Decoder = d
	m := r.m
	start := r.At()
	var seen []string
	r.Object(func(key string, _ int) {
		seen = append(seen, key)
		switch key {
		case "rete_manifest":
			r.Any()
		case "name":
			value := r.At()
			m.Name = r.Text("a string")
			if err := CheckName(m.Name); err != nil {
				r.Fail(value, "%v", err)
			}
		case "generation":
			m.Generation = r.Count()
		case "log":
			r.Array(func(int) { m.Log = append(m.Log, r.entry()) })
		case "self":
			r.self = r.readSelf()
		default:
			r.optional(key)
		}
	})
	r.require(start, seen, "name", "generation", "log")
	m.selfFor = r.self.generation
	m.self, r.changed = r.judge()
}

// optional reads a field that may be missing or null.
func (r *reader) optional(key string) {
	m := r.m
	known := slices.Contains([]string{"lineage", "commit", "recent", "sealed", "retired", "previous", "at", "note", "card", "prefixes"}, key)
	if known && r.Null() {
		return
	}
	switch key {
	case "lineage":
		m.Lineage = hex.EncodeToString(r.hash())
	case "commit":
		m.Commit = hex.EncodeToString(r.hash())
	case "recent":
		m.Recent = r.recent()
	case "sealed":
		m.Sealed = r.batches()
	case "retired":
		m.Retired = r.batches()
	case "previous":
		m.Previous = new(FileRef)
		r.file(m.Previous, nil)
	case "at":
		value := r.At()
		t, err := time.Parse(time.RFC3339Nano, r.Text("a time"))
		if err != nil {
			r.Fail(value, "expected a time as RFC 3339 has it")
		}
		m.At = t.UTC()
	case "note":
		m.Note = r.Text("a string")
	case "card":
		if !r.Next('{') {
			r.Fail(r.At(), "expected an object, found %s", r.Found())
		}
		m.Card = r.Any()
	case "prefixes":
		m.Prefixes = r.prefixes()
	default:
		m.unknown = append(m.unknown, unknownField{key, r.Any()})
	}
}

// batches reads numbers of batches by the ids of journals.
func (r *reader) batches() map[string]int64 {
	out := map[string]int64{}
	r.Object(func(id string, _ int) { out[id] = r.Count() })
	return out
}

func (r *reader) prefixes() prefixes.Set {
	set := prefixes.Set{}
	r.Object(func(name string, at int) {
		set[name] = r.Text("a string")
		if err := prefixes.Check(name, set[name]); err != nil {
			r.Fail(at, "%v", err)
		}
		if len(set) > prefixes.MaxNames {
			r.Fail(at, "more than %d prefixes", prefixes.MaxNames)
		}
	})
	return set
}

// inner reads an unknown field that is not the root's.
func (r *reader) inner(to *[]unknownField, key string, at int) {
	if r.unknown == nil {
		r.unknown = r.Error(at, "an unknown field: only the root may have one, unless a self that holds shows that it is no known one with a changed letter")
	}
	*to = append(*to, unknownField{key, r.Any()})
}

func (r *reader) entry() Entry {
	var e Entry
	start := r.At()
	r.Object(func(key string, at int) {
		switch key {
		case "adds":
			e.Adds = r.segment()
		case "dels":
			e.Dels = r.segment()
		default:
			r.inner(&e.unknown, key, at)
		}
	})
	if e.Adds == nil && e.Dels == nil {
		r.Fail(start, "an entry has adds, dels or both; this one has neither")
	}
	return e
}

// segment reads a segment or null.
func (r *reader) segment() *SegmentRef {
	if r.Null() {
		return nil
	}
	s := new(SegmentRef)
	r.file(&s.FileRef, func(key string) bool {
		switch key {
		case "quads":
			if !r.Null() {
				n := r.Count()
				s.Quads = &n
			}
		case "canonical":
			if !r.Null() {
				b := r.Boolean()
				s.Canonical = &b
			}
		case "extra_blake3_16":
			if !r.Null() {
				h := [16]byte(r.hash())
				s.Extra = &h
			}
		default:
			return false
		}
		return true
	})
	return s
}

// file reads a name with its pin; more reads fields that only some have.
func (r *reader) file(f *FileRef, more func(key string) bool) {
	start := r.At()
	var seen []string
	r.Object(func(key string, at int) {
		seen = append(seen, key)
		switch key {
		case "url":
			value := r.At()
			if f.URL = r.Text("a string"); f.URL == "" {
				r.Fail(value, "an empty name")
			}
		case "size":
			f.Size = r.Count()
		case "blake3_16":
			f.Hash = [16]byte(r.hash())
		default:
			if more == nil || !more(key) {
				r.inner(&f.unknown, key, at)
			}
		}
	})
	r.require(start, seen, "url", "size", "blake3_16")
}

func (r *reader) recent() []RecentCommit {
	var out []RecentCommit
	r.Object(func(id string, at int) {
		if !isHex128(id) {
			r.Fail(at, "a commit id is 32 lower-case hex digits, found %q", id)
		}
		out = append(out, RecentCommit{id, r.Count()})
	})
	slices.SortStableFunc(out, func(a, b RecentCommit) int { return int(sign(a.Generation - b.Generation)) })
	return out[max(0, len(out)-MaxRecent):]
}

func sign(n int64) int64 {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func (r *reader) require(start int, seen []string, keys ...string) {
	for _, k := range keys {
		if !slices.Contains(seen, k) {
			r.Fail(start, "%s is missing", k)
		}
	}
}

// hash reads 32 hex digits.
func (r *reader) hash() []byte {
	start := r.At()
	s := r.Text("32 hex digits")
	h, err := hex.DecodeString(s)
	if err != nil || len(h) != 16 {
		r.Fail(start, "expected 32 hex digits, found %q", s)
	}
	return h
}
