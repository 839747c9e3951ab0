package manifest_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/manifest"
)

// pageBlocks are the indented blocks of a page, without their indentation.
func pageBlocks(t *testing.T, name string) (out []string) {
	t.Helper()
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	open := false
	for l := range strings.Lines(string(page)) {
		l, ok := strings.CutPrefix(l, "    ")
		if ok && !open {
			out = append(out, "")
		}
		if open = ok; ok {
			out[len(out)-1] += l
		}
	}
	return out
}

// TestManifestPage reads the worked example of docs/manifest.md: a manifest whose self
// holds, the bytes that are hashed for it, and the digest of these.
func TestManifestPage(t *testing.T) {
	var manifests []string
	for _, b := range pageBlocks(t, "../../docs/manifest.md") {
		if strings.HasPrefix(b, "{") && strings.Contains(b, `"self"`) {
			manifests = append(manifests, b)
		}
	}
	if len(manifests) != 1 {
		t.Fatalf("the page has %d manifests with self", len(manifests))
	}
	src := manifests[0]
	m, err := manifest.Parse([]byte(src))
	if err != nil || !manifest.SelfHolds(m) {
		t.Fatalf("%v; the digest of the bytes is %s", err, manifest.Sign([]byte(src)))
	}
	if string(m.Encode()) != src {
		t.Errorf("it is written as\n%s", m.Encode())
	}
	at := strings.Index(src, `"self": "2-`) + len(`"self": "2-`)
	sum := blake3.Sum256([]byte(src[:at] + strings.Repeat("0", 32) + src[at+32:]))
	if got := hex.EncodeToString(sum[:16]); got != src[at:at+32] {
		t.Errorf("the page's recipe gives %s", got)
	}
}
