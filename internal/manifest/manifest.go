package manifest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

// Suffix ends the file name of a manifest.
const Suffix = ".rete-manifest.json"

// MaxBytes is the most bytes of a manifest that are read.
const MaxBytes = 64 << 20

// MaxRecent is the number of commit ids that a manifest remembers.
const MaxRecent = 256

// Manifest names what a graph is made of (docs/manifest.md, "Fields"). Fields that are not
// of ours are kept, at every level, with the spelling of their values; they
// travel with copies of the structs here.
type Manifest struct {
	// Name becomes a prefix of file names.
	Name string
	// Generation counts commits.
	Generation int64
	// Log is the graph: entries, oldest first.
	Log []Entry
	// Lineage is a random number in 32 hex digits that init draws and nobody
	// changes; "" in a manifest of another program.
	Lineage string
	// Commit is the id of the commit that made this generation, 32 hex digits.
	Commit string
	// Recent are the last commits, oldest first, this one included.
	Recent []RecentCommit
	// Sealed says for each journal which batch is the last that is in the log.
	Sealed map[string]int64
	// Retired says the same of journals that were given up: nothing more of them comes to the log.
	Retired map[string]int64
	// Previous pins the archived manifest of one generation back.
	Previous *FileRef
	// At is the time of the commit; zero if it is not recorded.
	At time.Time
	// Note is the reason of the commit.
	Note string
	// Prefixes are what namespaces are called in the texts of people; no answer depends on them.
	Prefixes map[string]string
	// Card is a JSON object with title, licence and the like for the compacted
	// segment; nil if there is none.
	Card []byte

	self    selfState // as it was read
	selfFor int64     // the generation in self, as it was read; 0 without a valid one
	unknown []unknownField
}

// Entry is one step of the log: first its dels go, then its adds come.
type Entry struct {
	Adds, Dels *SegmentRef // one may be nil, not both

	unknown []unknownField
}

// FileRef is the name of an object and its pin.
type FileRef struct {
	// URL is relative to the manifest, an absolute path, or scheme://….
	URL string
	// Size is the object's length in bytes.
	Size int64
	// Hash is blake3_16: of a segment the content hash, of an archived
	// manifest the first half of BLAKE3 over its bytes.
	Hash [16]byte

	unknown []unknownField
}

// SegmentRef is a segment of the log.
type SegmentRef struct {
	FileRef
	// Quads is the number of quads; nil if it is not recorded.
	Quads *int64
	// Canonical says whether all terms are spelled canonically; nil if nobody
	// looked yet.
	Canonical *bool
	// Extra pins the header and the sections outside the content hash; nil if
	// it is not recorded.
	Extra *[16]byte
}

// RecentCommit is the id of a commit and the generation that it made.
type RecentCommit struct {
	ID         string
	Generation int64
}

// unknownField is a field that this version does not know, in its own spelling.
type unknownField struct {
	key string // decoded
	raw []byte // the value's JSON text
}

// Clone returns a copy that shares nothing with m that either may change.
func (m *Manifest) Clone() *Manifest {
	c := *m
	c.Log = slices.Clone(m.Log)
	for i := range c.Log {
		c.Log[i].Adds, c.Log[i].Dels = c.Log[i].Adds.clone(), c.Log[i].Dels.clone()
		c.Log[i].unknown = slices.Clone(c.Log[i].unknown)
	}
	c.Recent = slices.Clone(m.Recent)
	c.Sealed, c.Retired = maps.Clone(m.Sealed), maps.Clone(m.Retired)
	c.Prefixes = maps.Clone(m.Prefixes)
	if m.Previous != nil {
		p := *m.Previous
		p.unknown = slices.Clone(p.unknown)
		c.Previous = &p
	}
	c.Card = bytes.Clone(m.Card)
	c.unknown = slices.Clone(m.unknown)
	return &c
}

func (s *SegmentRef) clone() *SegmentRef {
	if s == nil {
		return nil
	}
	c := *s
	c.Quads, c.Canonical, c.Extra = copyOf(s.Quads), copyOf(s.Canonical), copyOf(s.Extra)
	c.unknown = slices.Clone(s.unknown)
	return &c
}

func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// same reports whether two references name the same bytes: everything that an
// answer can depend on is equal.
func (s *SegmentRef) same(t *SegmentRef) bool {
	if s == nil || t == nil {
		return s == t
	}
	return s.URL == t.URL && s.Size == t.Size && s.Hash == t.Hash &&
		(s.Extra == nil) == (t.Extra == nil) && (s.Extra == nil || *s.Extra == *t.Extra)
}

// Same reports whether two entries have the same adds and the same dels.
func (e Entry) Same(f Entry) bool { return e.Adds.same(f.Adds) && e.Dels.same(f.Dels) }

// Same reports whether two manifests are one generation.
func (m *Manifest) Same(o *Manifest) bool {
	return m.Generation == o.Generation && m.Commit == o.Commit && m.sameLog(o)
}

// sameLog reports whether two logs have the same entries.
func (m *Manifest) sameLog(o *Manifest) bool {
	return slices.EqualFunc(m.Log, o.Log, Entry.Same)
}

// Each calls f for the segments of the log, oldest first.
func (m *Manifest) Each(f func(*SegmentRef)) {
	for _, e := range m.Log {
		for _, s := range e.Segments() {
			f(s)
		}
	}
}

// Names reports whether the log has a segment.
func (m *Manifest) Names(ref *SegmentRef) bool {
	return slices.ContainsFunc(m.Log, func(e Entry) bool { return e.Adds.same(ref) || e.Dels.same(ref) })
}

// State names the content of a generation: by its commit, or by its segments where
// there is none.
func (m *Manifest) State() string {
	if m.Commit != "" {
		return fmt.Sprintf("%s/%d/%s", m.Lineage, m.Generation, m.Commit)
	}
	s := fmt.Sprintf("%d", m.Generation)
	for _, e := range m.Log {
		for _, ref := range []*SegmentRef{e.Dels, e.Adds} {
			s += "/"
			if ref != nil {
				s += hex.EncodeToString(ref.Hash[:])
			}
		}
	}
	return s
}

// Segments returns the segments of an entry, in the order of the fold: one or two.
func (e Entry) Segments() []*SegmentRef {
	list := make([]*SegmentRef, 0, 2)
	for _, s := range []*SegmentRef{e.Dels, e.Adds} {
		if s != nil {
			list = append(list, s)
		}
	}
	return list
}

// Size is the bytes of an entry's segments.
func (e Entry) Size() (n int64) {
	for _, s := range e.Segments() {
		n += s.Size
	}
	return n
}

// Pin is what the manifest says of the bytes of a segment.
func (s *SegmentRef) Pin() *segment.Pin {
	return &segment.Pin{Size: s.Size, Hash: s.Hash, Extra: s.Extra}
}

// Key names a segment, of which full is the full name, and its pin: another pin is another
// segment.
func (s *SegmentRef) Key(full string) string {
	k := fmt.Sprintf("%s %d %x", full, s.Size, s.Hash)
	if s.Extra != nil {
		k += fmt.Sprintf(" %x", *s.Extra)
	}
	return k
}

// Validate says what would keep m from being written and read again; nil if
// nothing does.
func (m *Manifest) Validate() error {
	if err := CheckName(m.Name); err != nil {
		return err
	}
	if m.Generation < 1 {
		return fmt.Errorf("generation %d: the first one is 1", m.Generation)
	}
	for i, e := range m.Log {
		if e.Adds == nil && e.Dels == nil {
			return fmt.Errorf("log entry %d has neither adds nor dels", i)
		}
		for _, s := range []*SegmentRef{e.Adds, e.Dels} {
			switch {
			case s == nil:
			case s.URL == "" || s.Size < 0 || s.Quads != nil && *s.Quads < 0:
				return fmt.Errorf("log entry %d: segment without a name, or with a negative number", i)
			case !utf8.ValidString(s.URL):
				return fmt.Errorf("log entry %d: the name %q is not UTF-8", i, s.URL)
			}
			if s != nil && !utf8.ValidString(s.URL) {
				return fmt.Errorf("log entry %d: the name %q is not UTF-8, which is all that a manifest can hold: rename the file", i, s.URL)
			}
		}
	}
	for what, id := range map[string]string{"lineage": m.Lineage, "commit": m.Commit} {
		if id != "" && !isHex128(id) {
			return fmt.Errorf("%s %q is not 32 hex digits", what, id)
		}
	}
	if len(m.Prefixes) > prefixes.MaxNames {
		return fmt.Errorf("%d prefixes, at most %d are kept", len(m.Prefixes), prefixes.MaxNames)
	}
	for name, namespace := range m.Prefixes {
		if err := prefixes.Check(name, namespace); err != nil {
			return err
		}
	}
	if len(m.Recent) > MaxRecent {
		return fmt.Errorf("%d recent commits, at most %d are kept", len(m.Recent), MaxRecent)
	}
	return nil
}

// maxName bounds the name of a graph, in characters.
const maxName = 100

// CheckName says why a graph cannot have a name; nil if it can.
func CheckName(name string) error {
	if len(name) < 1 || len(name) > maxName {
		return fmt.Errorf("name %q: 1 to %d characters are allowed", name, maxName)
	}
	for i, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		case c == '.' && i > 0:
		case c == '.':
			return fmt.Errorf("name %q begins with a dot", name)
		default:
			return fmt.Errorf("name %q: only A-Z a-z 0-9 . _ - are allowed", name)
		}
	}
	return nil
}

// isHex128 reports whether s is 128 bits in lower-case hex.
func isHex128(s string) bool {
	h, err := hex.DecodeString(s)
	return err == nil && len(h) == 16 && hex.EncodeToString(h) == s
}
