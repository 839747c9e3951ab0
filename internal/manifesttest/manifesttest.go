// Package manifesttest has what tests of manifests share: it signs what they change, and
// checks a whole history.
package manifesttest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
)

// Open names a manifest of a file system.
func Open(t testing.TB, fsys vfs.FS, name string) *manifest.File {
	t.Helper()
	f, err := manifest.Open(name, blob.MuxOptions{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// CheckHistory reads every generation of a manifest and checks what commits record. It
// returns the current one.
func CheckHistory(t testing.TB, f *manifest.File) *manifest.Manifest {
	t.Helper()
	cur, err := f.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := cur.Validate(); err != nil {
		t.Error(err)
	}
	for g := int64(1); g <= cur.Generation; g++ {
		m, err := f.ReadGeneration(t.Context(), g)
		if err != nil {
			t.Errorf("generation %d: %v", g, err)
			continue
		}
		if m.Lineage != cur.Lineage || len(m.Lineage) != 32 || m.Recent[len(m.Recent)-1] != (manifest.RecentCommit{ID: m.Commit, Generation: g}) {
			t.Errorf("generation %d: wrong lineage or recent commits", g)
		}
		if want := int64(len(m.Recent)); want != min(g, manifest.MaxRecent) {
			t.Errorf("generation %d: %d recent commits", g, want)
		}
		if (m.Previous != nil) != (g > 1) {
			t.Errorf("generation %d: previous is %v", g, m.Previous)
		}
	}
	return cur
}

var self = regexp.MustCompile(`"self"\s*:\s*"[0-9]+-([0-9a-f]{32})"`)

// Sign gives a manifest, whose last self is the root's, the digest of its bytes.
func Sign(src []byte) []byte {
	all := self.FindAllSubmatchIndex(src, -1)
	if all == nil {
		panic(fmt.Sprintf("no valid self in %s", src))
	}
	at := all[len(all)-1]
	out := bytes.Clone(src)
	digits := out[at[2]:at[3]]
	copy(digits, bytes.Repeat([]byte("0"), len(digits)))
	digest := Hash(out)
	hex.Encode(digits, digest[:])
	return out
}

// Hash is blake3_16 over bytes.
func Hash(b []byte) [16]byte {
	h := blake3.Sum256(b)
	return [16]byte(h[:16])
}

// Unseen says why a changed manifest may be read as if nothing had happened, "" if it may
// not. It is the list that docs/manifest.md has.
func Unseen(changed []byte) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(changed, &fields); err != nil {
		return ""
	}
	m, err := manifest.Parse(changed)
	if err != nil {
		return ""
	}
	if _, has := fields["self"]; !has {
		return "self is gone, or has another name"
	}
	if _, _, kept := m.Self(); kept {
		return "the generation in self is another one"
	}
	return ""
}
