package segments

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
)

// maxLabels bounds the labels of a segment that are compared with others.
const maxLabels = 1 << 20

// warnShared tells the caller if a segment of another program has blank node
// labels that one of the log's other foreign segments has too: inside one
// manifest they are one node, and it may be that nobody meant that
// (docs/manifest.md, "Terms and blank nodes"). Our own segments have labels that no other document gets.
func (w *Maker) warnShared(ctx context.Context, name string, seg *segment.Segment) error {
	if w.Warn == nil || seg.Mapped() {
		return nil
	}
	mine := map[string]bool{}
	err := eachBlank(ctx, seg, func(label []byte) bool {
		mine[string(label)] = true
		return len(mine) < maxLabels
	})
	if err != nil || len(mine) == 0 {
		return err
	}
	for _, e := range w.Base.Log {
		if e.Adds == nil {
			continue
		}
		other, err := w.Store.OpenFile(ctx, e.Adds)
		if err != nil {
			return err
		}
		shared := ""
		if !other.Mapped() {
			err = eachBlank(ctx, other, func(label []byte) bool {
				if mine[string(label)] {
					shared = string(label)
				}
				return shared == ""
			})
		}
		other.Close()
		if err != nil {
			return err
		}
		if shared != "" {
			w.Warn(fmt.Sprintf("%s and %s both have the blank node %s: it is one node in this graph", name, e.Adds.URL, shared))
		}
	}
	return nil
}

// eachBlank calls f for the blank nodes of a segment until it returns false. They
// stand together in each section.
func eachBlank(ctx context.Context, seg *segment.Segment, f func(label []byte) bool) error {
	var terms ids.Terms
	for sec := segment.Shared; sec < segment.Predicates; sec++ {
		from, err := seg.LowerBound(ctx, sec, []byte("_:"))
		if err != nil {
			return err
		}
		for last := seg.Counts().Size(sec); from <= last; {
			n := min(last-from+1, dataset.MaxBatch)
			list := make([]uint32, n)
			for i := range list {
				list[i] = from + uint32(i)
			}
			terms.Reset()
			if err := seg.Decode(ctx, sec, list, &terms); err != nil {
				return err
			}
			for i := range list {
				if t := terms.At(i); !bytes.HasPrefix(t, []byte("_:")) {
					last = 0 // after the last of them
					break
				} else if !f(t) {
					return nil
				}
			}
			from += n
		}
	}
	return nil
}
