package engine

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// ErrVersion: the manifest is of a version that this program does not know.
var ErrVersion = errors.New("unknown manifest version")

// ParseManifest reads a manifest (manifest.md 1). What is not valid is a
// *[ManifestError] with line, column and JSON path; another version is
// [ErrVersion].
func ParseManifest(src []byte) (*Manifest, error) {
	if len(src) > MaxManifest {
		return nil, fmt.Errorf("a manifest of %d bytes; at most %d are read", len(src), MaxManifest)
	}
	// The version first: what it is not must not be judged by our rules.
	version := "1"
	if err := parseJSON(src, func(d *decoder) { version = readVersion(d) }); err != nil {
		return nil, err
	}
	if version != "1" {
		return nil, fmt.Errorf("%w: %s; this program reads version 1", ErrVersion, version)
	}
	m := new(Manifest)
	if err := parseJSON(src, func(d *decoder) { m.read(d) }); err != nil {
		return nil, err
	}
	return m, nil
}

// readVersion returns the text of the version and checks the grammar of the rest.
func readVersion(d *decoder) (version string) {
	d.space()
	start := d.at
	d.object(func(key string, _ int) {
		if value := d.any(); key == "rete_manifest" {
			version = string(value)
		}
	})
	if version == "" {
		d.fail(start, "rete_manifest is missing: this is not a manifest")
	}
	return version
}

func (m *Manifest) read(d *decoder) {
	d.space()
	start := d.at
	var seen []string
	d.object(func(key string, at int) {
		seen = append(seen, key)
		switch key {
		case "rete_manifest":
			d.any()
		case "name":
			value := d.at
			m.Name = d.text("a string")
			if err := checkName(m.Name); err != nil {
				d.fail(value, "%v", err)
			}
		case "generation":
			m.Generation = d.count()
		case "log":
			d.array(func(int) { m.Log = append(m.Log, d.entry()) })
		default:
			if !d.null() {
				m.optional(d, key)
			}
		}
	})
	d.require(start, seen, "name", "generation", "log")
}

// optional reads a field that may be missing or null.
func (m *Manifest) optional(d *decoder, key string) {
	switch key {
	case "lineage":
		m.Lineage = hex.EncodeToString(d.hash())
	case "commit":
		m.Commit = hex.EncodeToString(d.hash())
	case "recent":
		m.Recent = d.recent()
	case "sealed":
		m.Sealed = map[string]int64{}
		d.object(func(id string, _ int) { m.Sealed[id] = d.count() })
	case "previous":
		m.Previous = new(FileRef)
		d.file(m.Previous, nil)
	case "at":
		value := d.at
		t, err := time.Parse(time.RFC3339Nano, d.text("a time"))
		if err != nil {
			d.fail(value, "expected a time as RFC 3339 has it")
		}
		m.At = t.UTC()
	case "note":
		m.Note = d.text("a string")
	case "card":
		if !d.next('{') {
			d.fail(d.at, "expected an object, found %s", d.found())
		}
		m.Card = d.any()
	default:
		m.unknown = append(m.unknown, unknownField{key, d.any()})
	}
}

func (d *decoder) entry() LogEntry {
	var e LogEntry
	start := d.at
	d.object(func(key string, _ int) {
		switch key {
		case "adds":
			e.Adds = d.segment()
		case "dels":
			e.Dels = d.segment()
		default:
			e.unknown = append(e.unknown, unknownField{key, d.any()})
		}
	})
	if e.Adds == nil && e.Dels == nil {
		d.fail(start, "an entry has adds, dels or both; this one has neither")
	}
	return e
}

// segment reads a segment or null.
func (d *decoder) segment() *SegmentRef {
	if d.null() {
		return nil
	}
	s := new(SegmentRef)
	d.file(&s.FileRef, func(key string) bool {
		switch key {
		case "quads":
			if !d.null() {
				n := d.count()
				s.Quads = &n
			}
		case "canonical":
			if !d.null() {
				b := d.boolean()
				s.Canonical = &b
			}
		case "extra_blake3_16":
			if !d.null() {
				h := [16]byte(d.hash())
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
func (d *decoder) file(f *FileRef, more func(key string) bool) {
	d.space()
	start := d.at
	var seen []string
	d.object(func(key string, _ int) {
		seen = append(seen, key)
		switch key {
		case "url":
			value := d.at
			if f.URL = d.text("a string"); f.URL == "" {
				d.fail(value, "an empty name")
			}
		case "size":
			f.Size = d.count()
		case "blake3_16":
			f.Hash = [16]byte(d.hash())
		default:
			if more == nil || !more(key) {
				f.unknown = append(f.unknown, unknownField{key, d.any()})
			}
		}
	})
	d.require(start, seen, "url", "size", "blake3_16")
}

func (d *decoder) recent() []RecentCommit {
	var out []RecentCommit
	d.object(func(id string, at int) {
		if !isHex128(id) {
			d.fail(at, "a commit id is 32 lower-case hex digits, found %q", id)
		}
		out = append(out, RecentCommit{id, d.count()})
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

func (d *decoder) require(start int, seen []string, keys ...string) {
	for _, k := range keys {
		if !slices.Contains(seen, k) {
			d.fail(start, "%s is missing", k)
		}
	}
}

// count reads an integer from 0 on, written without point and exponent.
func (d *decoder) count() int64 {
	d.space()
	start := d.at
	if !d.next('-') && (d.at >= len(d.src) || d.src[d.at] < '0' || d.src[d.at] > '9') {
		d.fail(d.at, "expected a whole number, found %s", d.found())
	}
	text := d.number()
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		d.fail(start, "expected a whole number from 0 to 2^63-1, found %s", text)
	}
	return int64(n)
}

func (d *decoder) boolean() bool {
	start := d.at
	switch string(d.any()) {
	case "true":
		return true
	case "false":
		return false
	}
	d.fail(start, "expected true or false")
	return false
}

// hash reads 32 hex digits.
func (d *decoder) hash() []byte {
	d.space()
	start := d.at
	s := d.text("32 hex digits")
	h, err := hex.DecodeString(s)
	if err != nil || len(h) != 16 {
		d.fail(start, "expected 32 hex digits, found %q", s)
	}
	return h
}
