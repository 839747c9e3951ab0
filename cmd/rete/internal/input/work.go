package input

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// work is the making of one segment.
type work struct {
	store *Store
	set   *Set
	files []string // of each document
	temp  []string // to be removed
}

// free removes what is temporary.
func (w *work) free() {
	for _, name := range w.temp {
		_ = os.Remove(name)
	}
	w.temp = nil
}

// spool makes a file of each document that can be read once, so that its hash is known before
// it is parsed.
func (w *work) spool(ctx context.Context) error {
	w.set = &Set{Documents: append([]Document(nil), w.set.Documents...), Graph: w.set.Graph}
	for i := range w.set.Documents {
		d := &w.set.Documents[i]
		if d.Reader == nil && !d.Web {
			w.files = append(w.files, d.Name)
			continue
		}
		in, err := d.Open(ctx)
		if err != nil {
			return err
		}
		name, err := w.store.copyFile(ctx, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
		w.files, w.temp = append(w.files, name), append(w.temp, name)
	}
	return nil
}

// key hashes all documents.
func (w *work) key(ctx context.Context) (string, error) {
	digests := make([][]byte, len(w.files))
	for i := range w.files {
		err := w.read(ctx, i, func(io.Reader) error { return nil }, &digests[i])
		if err != nil {
			return "", err
		}
	}
	return w.keyOf(digests), nil
}

// read opens document i and has it read; digest becomes the hash of all of its bytes.
func (w *work) read(ctx context.Context, i int, use func(io.Reader) error, digest *[]byte) error {
	d := w.set.Documents[i]
	d.Name, d.Reader, d.Web = w.files[i], nil, false
	in, err := d.Open(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	h := blake3.New(32, nil)
	tee := io.TeeReader(reading{ctx, in}, h)
	if err := use(tee); err != nil {
		return err
	}
	// A parser may leave the end unread.
	if _, err := io.CopyBuffer(io.Discard, onlyReader{tee}, make([]byte, 1<<20)); err != nil {
		return err
	}
	*digest = h.Sum(nil)
	return nil
}

type onlyReader struct{ io.Reader }

// keyOf hashes all that a segment depends on: the bytes of the documents, what they are taken
// for, and the program.
func (w *work) keyOf(digests [][]byte) string {
	h := blake3.New(16, nil)
	put(h, program(), w.set.Graph.Surface())
	for i := range w.set.Documents {
		d := &w.set.Documents[i]
		put(h, d.syntax().String(), d.Base, string(digests[i]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// put hashes texts, each after its length.
func put(h hash.Hash, texts ...string) {
	for _, t := range texts {
		h.Write(binary.AppendUvarint(nil, uint64(len(t))))
		h.Write([]byte(t))
	}
}

// program names what reads the documents: another build of rete may read them otherwise.
func program() string {
	text := fmt.Sprint(segment.FormatByte)
	if info, ok := debug.ReadBuildInfo(); ok {
		text += info.String()
	}
	if path, err := os.Executable(); err == nil {
		if st, err := os.Stat(path); err == nil { // of one that was built with changes
			text += st.ModTime().UTC().String()
		}
	}
	return text
}

// make builds the segment and returns where it is. Where the folder of the kept segments takes
// no more, as that of a full disk, it is a temporary file.
func (w *work) make(ctx context.Context) (string, error) {
	file, kept, err := w.store.create()
	if err != nil {
		return "", err
	}
	path, err := w.build(ctx, file, kept)
	var unwritten *fs.PathError
	if kept && errors.As(err, &unwritten) && unwritten.Path == file.Name() {
		_ = os.Remove(file.Name())
		if file, err = w.store.createTemp(); err != nil {
			return "", err
		}
		return w.build(ctx, file, false)
	}
	return path, err
}

// build writes the segment. The key that it is kept under is that of the bytes that were
// parsed, whatever was in the files earlier.
func (w *work) build(ctx context.Context, file *os.File, kept bool) (string, error) {
	w.temp = append(w.temp, file.Name())
	defer file.Close()
	b := segment.NewBuilder(&w.store.Build)
	defer b.Abort()
	b.SetGraph(w.set.Graph)
	digests := make([][]byte, len(w.files))
	err := b.AddInputs(ctx, len(w.files), func(ctx context.Context, i int) error {
		d := &w.set.Documents[i]
		return w.read(ctx, i, func(r io.Reader) error {
			return b.AddInput(ctx, d.Name, r, d.Format, d.Options(rdf.Document, false))
		}, &digests[i])
	})
	if err != nil {
		return "", err
	}
	built, err := b.WriteTo(ctx, file)
	if err != nil {
		return "", err
	}
	if kept {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	if kept {
		if path := w.store.keep(file.Name(), w.keyOf(digests), built); path != "" {
			return path, nil
		}
	}
	return file.Name(), nil
}
