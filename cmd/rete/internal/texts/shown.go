package texts

import (
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/internal/vfs"
)

// Shown returns a text in which files below the working directory have their names
// relative to it, as people give them: the engine knows them by their full names.
func Shown(text string) string {
	dir, err := vfs.OS().Bind("")
	if err != nil || dir == filepath.Dir(dir) {
		return text
	}
	dir += string(filepath.Separator)
	var b strings.Builder
	for {
		at := strings.Index(text, dir)
		if at < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		if at > 0 && !strings.ContainsRune(" \t\"'`([<=", rune(text[at-1])) {
			b.WriteString(dir) // the end of a longer name
		}
		text = text[at+len(dir):]
	}
}
