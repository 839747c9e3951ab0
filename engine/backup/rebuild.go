package backup

import (
	"bytes"
	"context"
	"fmt"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/carry"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/manifest"
)

// identity is what a restored graph has of its own.
type identity struct {
	Lineage string `json:"lineage"`
	Journal string `json:"journal"` // the journal's name
}

// bytesOf reads a small file of the place, and checks it.
func (p *Place) bytesOf(ctx context.Context, f File) ([]byte, error) {
	obj, err := p.open(ctx, f)
	if err != nil {
		return nil, err
	}
	defer obj.Close()
	var out bytes.Buffer
	if err := carry.Read(ctx, obj, &out, nil); err != nil {
		return nil, err
	}
	return out.Bytes(), f.is(obj, blake3.Sum256(out.Bytes()))
}

// rebuild calls use for the manifest of every generation of a backup, oldest first: as it
// was, and the bytes that it has in the restored graph, whose manifest is called base.
func (p *Place) rebuild(ctx context.Context, b *Backup, id identity, base string, use func(was *manifest.Manifest, raw []byte) error) error {
	names := map[string]string{} // of the restored segments, "" where they stay
	for _, list := range [][]SegmentFile{b.Segments, b.Remote} {
		for i := range list {
			names[pinKey(list[i].URL, list[i].pin())] = list[i].Name
		}
	}
	var previous *manifest.FileRef
	for i := len(b.Manifests) - 1; i >= 0; i-- {
		f := b.Manifests[i]
		was, err := p.manifest(ctx, b, &f)
		if err != nil {
			return err
		}
		m := was.Clone()
		m.Lineage, m.Sealed, m.Retired, m.Previous = id.Lineage, map[string]int64{}, nil, previous
		for _, e := range m.Log {
			for _, ref := range []*manifest.SegmentRef{e.Dels, e.Adds} {
				if ref == nil {
					continue
				}
				name, ok := names[pinKey(ref.URL, ref.Pin())]
				if !ok {
					return damage.In(b.Name, damage.New("", "it does not list the segment %s of generation %d", ref.URL, f.Generation))
				}
				if name != "" {
					ref.URL = name
				}
			}
		}
		raw := m.Encode()
		if err := use(was, raw); err != nil {
			return err
		}
		h := blake3.Sum256(raw)
		previous = &manifest.FileRef{URL: archiveName(base, f.Generation), Size: int64(len(raw)), Hash: [16]byte(h[:16])}
	}
	return nil
}

// archiveName is what the manifest of an earlier generation is called next to the current one.
func archiveName(manifest string, generation int64) string {
	return fmt.Sprintf("%s.g%d", manifest, generation)
}

func (p *Place) manifest(ctx context.Context, b *Backup, f *ManifestFile) (*manifest.Manifest, error) {
	text, err := p.bytesOf(ctx, f.File)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s, generation %d: %w", b.Name, f.Generation, err)
	}
	if m.Generation != f.Generation || m.Lineage != b.Lineage && m.Lineage != "" {
		return nil, damage.In(b.Name, damage.New("", "its manifest of generation %d is that of generation %d of the lineage %q", f.Generation, m.Generation, m.Lineage))
	}
	return m, nil
}

// journal returns the journal of the restored graph, nil if there are no changes that are
// not sealed. m is the manifest of the backup.
func (p *Place) journal(ctx context.Context, b *Backup, m *manifest.Manifest, id identity) ([]byte, error) {
	if len(b.Journal) == 0 {
		return nil, nil
	}
	var files [][]byte
	for _, f := range b.Journal {
		data, err := p.bytesOf(ctx, f)
		if err != nil {
			return nil, err
		}
		files = append(files, data)
	}
	return engine.RestoredJournal(b.Name+", journal", files, m, id.Journal, id.Lineage)
}
