package journal

import "github.com/rete-go/rete/internal/vfs"

// MostRoom is the most room, in bytes, that a writer leaves after its last batch.
const MostRoom = maxRoom + block

// ParseMark decodes a mark.
func ParseMark(data []byte) (Mark, bool) { return parseMark(data) }

// Encode is the one spelling of a mark.
func (m *Mark) Encode() []byte { return m.append(nil) }

// ReadMark returns the mark of a journal, nil if there is none that checks.
func ReadMark(fsys vfs.FS, name string) (*Mark, error) {
	m, _, err := readMark(fsys, name)
	return m, err
}

// SetMaxFile changes the bound of a file; the result undoes that.
func SetMaxFile(n int64) (undo func()) {
	old := maxFile
	maxFile = n
	return func() { maxFile = old }
}
