package write

import (
	"context"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/spool"
)

// addValue takes a term into the value index.
func (w *Writer) addValue(sec format.Section, id uint32, surface []byte) error {
	if w.values == nil || len(surface) == 0 || surface[0] != '"' {
		return nil
	}
	if sec != format.ObjectOnly {
		w.literalFirst = true
		return nil
	}
	return w.values.Add(id, surface)
}

// valueSections makes the two sections of the value index, both empty without one.
func (w *Writer) valueSections(ctx context.Context) (pages, root *spool.Rope, err error) {
	pages, root = new(spool.Rope), new(spool.Rope)
	if w.values == nil || w.literalFirst {
		return pages, root, nil
	}
	out := w.newSpool()
	r, err := w.values.Write(ctx, out, w.opt.Codec.id(), w.opt.Level)
	if err != nil || r == nil {
		return pages, root, err
	}
	pages.Spool(out)
	root.Bytes(r.Append(nil))
	return pages, root, nil
}
