package main

import (
	"io"
	"os"

	"github.com/rete-go/rete/blob"
)

// stream is a document that can be read once, by its name: a named pipe, the <(…) of a
// shell, /dev/stdin. It is opened when it is read first, which may wait for its other end.
type stream struct {
	name string
	file *os.File
}

// asStream returns the stream of a name; nil for a regular file, and for what is refused
// by its name where it is opened.
func asStream(name string) io.Reader {
	if blob.IsRemote(name) {
		return nil
	}
	st, err := os.Stat(name)
	if err != nil || st.IsDir() || st.Mode().IsRegular() {
		return nil
	}
	return &stream{name: name}
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
