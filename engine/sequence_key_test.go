package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// exactEntries is how many of the newest entries of a log count in [world.key] with
// their bytes; those before count by what they show.
const exactEntries = 2

// key describes a world by what can matter to what happens next. Worlds of one key
// differ in random names, in numbers and times, and in the older entries of the log.
// Else it is made of the files as they are, not of the model.
func (w *world) key() (string, error) {
	var b strings.Builder
	m, err := manifestIn(w.fs)
	if err != nil {
		return "", err
	}
	old := max(0, len(m.Log)-exactEntries)
	fmt.Fprint(&b, old > 0, model.Fold(w.log[:old]).Sorted())
	for _, e := range m.Log[old:] {
		for _, ref := range []*manifest.SegmentRef{e.Dels, e.Adds} {
			if ref == nil {
				b.WriteString("-,")
			} else {
				fmt.Fprintf(&b, "%x,", ref.Hash)
			}
		}
	}
	if g := len(w.sets); g > 1 { // the one that a revert restores
		fmt.Fprint(&b, " back to ", w.sets[g-2].Sorted())
	}
	list, err := w.fs.ReadDir(".")
	if err != nil {
		return "", err
	}
	for _, f := range list {
		if rest, ok := strings.CutPrefix(f.Name(), manifestName+"."); ok && (strings.HasPrefix(rest, "changes") || strings.HasPrefix(rest, "second")) {
			text, err := vfs.ReadFile(w.fs, f.Name(), 1<<20)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "\n%s\n%s", strings.TrimRight(rest, ".0123456789"), unnumbered(m, string(text)))
		}
	}
	unsealed := make([]string, 0, 2)
	for q, add := range w.journal {
		unsealed = append(unsealed, fmt.Sprint(q, add))
	}
	slices.Sort(unsealed)
	fmt.Fprint(&b, unsealed, w.seen.Sorted(), w.behind, w.owned, w.stale, w.live)
	return b.String(), nil
}

// unnumbered is the text of a journal without what differs from one to the next; of
// a batch it says whether the log has it.
func unnumbered(m *manifest.Manifest, text string) string {
	var b strings.Builder
	id := ""
	for line := range strings.Lines(text) {
		var number int64
		switch {
		case !strings.HasPrefix(line, "#"):
			b.WriteString(line)
			continue
		case strings.HasPrefix(line, "# journal"):
			id = strings.Fields(line)[2]
			fmt.Fprintln(&b, "header", strings.Contains(line, "after="))
			continue
		}
		fmt.Sscanf(line, "# commit %d", &number)
		fmt.Fprintln(&b, "commit", number <= m.Sealed[id])
	}
	return b.String()
}

func manifestIn(fsys vfs.FS) (*manifest.Manifest, error) {
	text, err := vfs.ReadFile(fsys, manifestName, 1<<20)
	if err != nil {
		return nil, err
	}
	return manifest.Parse(text)
}
