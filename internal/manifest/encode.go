package manifest

import (
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/rete-go/rete/internal/strictjson"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

// encoder writes the parts of a manifest.
type encoder struct{ strictjson.Encoder }

// Encode returns the manifest as it is written: UTF-8, two spaces a level, the
// keys in the order of docs/manifest.md, then the unknown ones in theirs, then the self of
// these bytes, one newline at the end. What [Parse] reads from it equals m.
func (m *Manifest) Encode() []byte {
	w := new(encoder)
	w.Open('{')
	w.Field("rete_manifest").Int(Version)
	w.Field("name").Text(m.Name)
	w.Field("generation").Int(m.Generation)
	w.Field("log").Open('[')
	for _, e := range m.Log {
		w.Item()
		w.entry(e)
	}
	w.Close(']')
	if m.Lineage != "" {
		w.Field("lineage").Text(m.Lineage)
	}
	if m.Commit != "" {
		w.Field("commit").Text(m.Commit)
	}
	if len(m.Recent) > 0 {
		w.Field("recent").Open('{')
		for _, r := range m.Recent {
			w.Field(r.ID).Int(r.Generation)
		}
		w.Close('}')
	}
	if m.Sealed != nil {
		w.batches("sealed", m.Sealed)
	}
	if len(m.Retired) > 0 {
		w.batches("retired", m.Retired)
	}
	if m.Previous != nil {
		w.Field("previous").Open('{')
		w.file(m.Previous)
		w.Close('}')
	}
	if !m.At.IsZero() {
		w.Field("at").Text(m.At.UTC().Format(time.RFC3339Nano))
	}
	if m.Note != "" {
		w.Field("note").Text(m.Note)
	}
	if m.Card != nil {
		w.Field("card").Raw(m.Card)
	}
	if len(m.Prefixes) > 0 {
		w.Field("prefixes").Open('{')
		for _, name := range prefixes.Set(m.Prefixes).Names() {
			w.Field(name).Text(m.Prefixes[name])
		}
		w.Close('}')
	}
	w.unknown(m.unknown)
	// Last, so that no two lines that change places put it into another object.
	w.Field("self").Text(selfText(m.Generation, [16]byte{}))
	self := len(w.Bytes()) - len(`"`) - selfDigits
	w.Close('}')
	out := append(w.Bytes(), '\n')
	digest := selfDigest(out, self)
	hex.Encode(out[self:], digest[:])
	return out
}

// batches writes numbers of batches by the ids of journals.
func (w *encoder) batches(field string, of map[string]int64) {
	w.Field(field).Open('{')
	for _, id := range slices.Sorted(maps.Keys(of)) {
		w.Field(id).Int(of[id])
	}
	w.Close('}')
}

func (w *encoder) entry(e Entry) {
	w.Open('{')
	if e.Adds != nil {
		w.Field("adds")
		w.segment(e.Adds)
	}
	if e.Dels != nil {
		w.Field("dels")
		w.segment(e.Dels)
	}
	w.unknown(e.unknown)
	w.Close('}')
}

func (w *encoder) segment(s *SegmentRef) {
	w.Open('{')
	w.pin(&s.FileRef)
	if s.Quads != nil {
		w.Field("quads").Int(*s.Quads)
	}
	if s.Canonical != nil {
		w.Field("canonical").Raw(strconv.AppendBool(nil, *s.Canonical))
	}
	if s.Extra != nil {
		w.Field("extra_blake3_16").Text(hex.EncodeToString(s.Extra[:]))
	}
	w.unknown(s.FileRef.unknown)
	w.Close('}')
}

func (w *encoder) file(f *FileRef) {
	w.pin(f)
	w.unknown(f.unknown)
}

func (w *encoder) pin(f *FileRef) {
	w.Field("url").Text(f.URL)
	w.Field("size").Int(f.Size)
	w.Field("blake3_16").Text(hex.EncodeToString(f.Hash[:]))
}

func (w *encoder) unknown(fields []unknownField) {
	for _, f := range fields {
		w.Field(f.key).Raw(f.raw)
	}
}
