package estimate

import "io"

// texter reads texts one after the other, each of whole lines.
type texter struct{ texts [][]byte }

// Read implements [io.Reader].
func (t *texter) Read(p []byte) (int, error) {
	for len(t.texts) > 0 && len(t.texts[0]) == 0 {
		t.texts = t.texts[1:]
	}
	if len(t.texts) == 0 {
		return 0, io.EOF
	}
	n := copy(p, t.texts[0])
	t.texts[0] = t.texts[0][n:]
	return n, nil
}
