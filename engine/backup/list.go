package backup

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
)

// Suffix ends the name of the list of a backup.
const Suffix = ".rete-backup.json"

// maxList bounds the list of a backup, which is read into memory.
const maxList = 256 << 20

// FormatVersion is the version of backups that is written and read.
const FormatVersion = 1

// Digest is the BLAKE3 of the bytes of a file, 64 hex digits in JSON and in names.
type Digest [32]byte

// String returns the digest in hex.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Digest) UnmarshalText(text []byte) error { return decodeHex(d[:], text) }

// half is a digest of 16 bytes.
type half [16]byte

func (h half) MarshalText() ([]byte, error)     { return hex.AppendEncode(nil, h[:]), nil }
func (h *half) UnmarshalText(text []byte) error { return decodeHex(h[:], text) }

func decodeHex(to, text []byte) error {
	if len(text) != 2*len(to) || bytes.ContainsAny(text, "ABCDEF") {
		return fmt.Errorf("%q is not %d lower-case hex digits", text, 2*len(to))
	}
	_, err := hex.Decode(to, text)
	return err
}

// Backup is the list of the files of one complete backup.
type Backup struct {
	// Name is that of the list, in its place.
	Name string `json:"-"`

	Version int    `json:"rete_backup"`
	Graph   string `json:"graph"` // the manifest's name
	Lineage string `json:"lineage,omitempty"`
	Commit  string `json:"commit,omitempty"`
	// Generation is the current one of the backup.
	Generation int64 `json:"generation"`
	// JournalID names the journal, Batch is its last batch, and Changes what is in no segment yet.
	JournalID string `json:"journal_id,omitempty"`
	Batch     int64  `json:"batch,omitempty"`
	Changes   int64  `json:"changes,omitempty"`
	// At is when the backup was completed.
	At time.Time `json:"at"`

	Manifests []ManifestFile `json:"manifests"` // newest generation first, without a gap
	Journal   []File         `json:"journal,omitempty"`
	Segments  []SegmentFile  `json:"segments,omitempty"`
	// Remote are segments that were left where they are.
	Remote []SegmentFile `json:"remote,omitempty"`
}

// File is a file of a backup.
type File struct {
	Size int64  `json:"size"`
	Hash Digest `json:"blake3"`
}

// ManifestFile is the manifest of one generation.
type ManifestFile struct {
	Generation int64 `json:"generation"`
	File
}

// SegmentFile is a segment by the name that manifests have for it, and by the pin.
type SegmentFile struct {
	URL string `json:"url"`
	// Name is the file that is restored, relative to the manifest; "" of one that was
	// left at its URL, whose hash is zero too.
	Name string `json:"name,omitempty"`
	File
	Content half  `json:"blake3_16"`
	Extra   *half `json:"extra_blake3_16,omitempty"`
}

func (s *SegmentFile) pin() *segment.Pin {
	p := &segment.Pin{Size: s.Size, Hash: s.Content}
	if s.Extra != nil {
		p.Extra = (*[16]byte)(s.Extra)
	}
	return p
}

// pinKey names a segment by what the manifest says of its bytes.
func pinKey(url string, p *segment.Pin) string {
	key := fmt.Sprintf("%s %d %x", url, p.Size, p.Hash)
	if p.Extra != nil {
		key += fmt.Sprintf(" %x", *p.Extra)
	}
	return key
}

// Bytes is the size of all files of the backup.
func (b *Backup) Bytes() (n int64) {
	for f := range b.files() {
		n += f.Size
	}
	return n
}

// files calls yield for every file, each digest perhaps more than once.
func (b *Backup) files() func(yield func(File) bool) {
	return func(yield func(File) bool) {
		for _, m := range b.Manifests {
			if !yield(m.File) {
				return
			}
		}
		for _, j := range b.Journal {
			if !yield(j) {
				return
			}
		}
		for _, s := range b.Segments {
			if !yield(s.File) {
				return
			}
		}
	}
}

// encode returns the list, and names it.
func (b *Backup) encode() ([]byte, error) {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	b.Name = fmt.Sprintf("%s-g%d-%s-%s%s", b.Graph, b.Generation, b.At.UTC().Format("20060102T150405Z"), digestInName(text), Suffix)
	return text, nil
}

// digestInName is what the name of a list says of its bytes.
func digestInName(text []byte) string {
	h := blake3.Sum256(text)
	return hex.EncodeToString(h[:16])
}

// parseList reads a list and checks it against its name.
func parseList(name string, text []byte) (*Backup, error) {
	bad := func(format string, args ...any) (*Backup, error) {
		return nil, damage.In(name, damage.New("", format, args...))
	}
	stem, ok := strings.CutSuffix(filepath.Base(name), Suffix)
	if found := digestInName(text); !ok || !strings.HasSuffix(stem, "-"+found) {
		return bad("its bytes have the digest %s, which its name does not have: it was changed, cut or renamed", found)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	b := &Backup{}
	if err := dec.Decode(b); err != nil {
		return bad("%v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return bad("something follows the list")
	}
	b.Name = filepath.Base(name)
	if b.Version != FormatVersion {
		return bad("it is a list of version %d; this program reads version %d", b.Version, FormatVersion)
	}
	if err := b.validate(); err != nil {
		return bad("%v", err)
	}
	return b, nil
}

func (b *Backup) validate() error {
	if len(b.Manifests) == 0 || b.Manifests[0].Generation != b.Generation {
		return fmt.Errorf("it has no manifest of generation %d", b.Generation)
	}
	for i, m := range b.Manifests {
		if want := b.Generation - int64(i); m.Generation != want {
			return fmt.Errorf("it has the manifest of generation %d where that of %d belongs", m.Generation, want)
		}
	}
	names := map[string]bool{}
	for _, s := range b.Segments {
		if !filepath.IsLocal(filepath.FromSlash(s.Name)) || names[s.Name] {
			return fmt.Errorf("%q is not the name of one file next to the manifest", s.Name)
		}
		names[s.Name] = true
	}
	for f := range b.files() {
		if f.Size < 0 {
			return fmt.Errorf("a file has the size %d", f.Size)
		}
	}
	return nil
}
