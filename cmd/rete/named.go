package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/engine"
)

// notNamed refuses an output that a manifest beside it names: the pin of the segment
// would not hold any more. Manifests elsewhere cannot be known.
func notNamed(out string) error {
	if _, err := os.Stat(out); err != nil {
		return nil // nothing is there, so nothing is lost
	}
	target, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	dir := filepath.Dir(target)
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil // writing will tell
	}
	for _, f := range files {
		if !strings.Contains(f.Name(), engine.ManifestSuffix) {
			continue // neither a manifest nor an archived one
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			continue
		}
		m, err := engine.ParseManifest(text)
		if err != nil {
			continue // a lock, a journal, or damaged: it names nothing that can be read
		}
		for _, e := range m.Log {
			for _, ref := range []*engine.SegmentRef{e.Adds, e.Dels} {
				if ref == nil {
					continue
				}
				named := filepath.FromSlash(ref.URL)
				if !filepath.IsAbs(named) {
					named = filepath.Join(dir, named)
				}
				if named == target {
					return fmt.Errorf("%s is named by %s: a segment never changes; choose another name and add it, or --force", out, filepath.Join(filepath.Dir(out), f.Name()))
				}
			}
		}
	}
	return nil
}
