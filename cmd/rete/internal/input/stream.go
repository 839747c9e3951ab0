package input

import (
	"os"
)

// stream is a document that can be read once, by its name: a named pipe, the <(…) of a
// shell, /dev/stdin. It is opened when it is read first, which may wait for its other end.
type stream struct {
	name string
	file *os.File
}

// Read implements [io.Reader].
func (s *stream) Read(p []byte) (n int, err error) {
	if s.file == nil {
		if s.file, err = os.Open(s.name); err != nil {
			return 0, err
		}
	}
	if n, err = s.file.Read(p); err != nil {
		s.file.Close()
	}
	return n, err
}
