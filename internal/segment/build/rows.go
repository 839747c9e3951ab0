package build

import (
	"context"
	"io"
	"sync"

	"github.com/rete-go/rete/internal/extsort"
)

// translateMemory turns the quads of a build without runs into rows of the file's ids, on all
// workers, and frees them on the way. What the sorter has room for is turned at a time.
func (b *Builder) translateMemory(s *extsort.Sorter, to *ids) error {
	var work []rowsWork
	for i, quads := range b.full {
		for len(quads) > 0 {
			if s.Full() { // it sorts its rows, and their room is used again
				b.fill(&s.Layout, to, work)
				work = work[:0]
			}
			room, err := s.Room(len(quads))
			if err != nil {
				return err
			}
			work = append(work, rowsWork{quads[:room.Len()], room})
			quads = quads[room.Len():]
		}
		b.full[i] = nil
	}
	b.full = nil
	b.fill(&s.Layout, to, work)
	return nil
}

// rowsWork is quads and the room for their rows.
type rowsWork struct {
	quads []idQuad
	room  extsort.List
}

// fill makes rows on all workers.
func (b *Builder) fill(l *extsort.Layout, to *ids, work []rowsWork) {
	var wait sync.WaitGroup
	for worker := range b.opt.Workers {
		wait.Go(func() {
			for k := worker; k < len(work); k += b.opt.Workers {
				to.rows(l, work[k].room, work[k].quads)
				work[k].quads = nil
			}
		})
	}
	wait.Wait()
}

// rows makes rows of quads.
func (to *ids) rows(l *extsort.Layout, rows extsort.List, quads []idQuad) {
	for i, q := range quads {
		graph := uint32(0)
		if q[3] != noGraph {
			graph = to.graph[q[3]]
		}
		l.Set(rows, i, [4]uint32{graph, to.node[q[0]], to.pred[q[1]], to.node[q[2]]})
	}
}

// translateRuns turns the quads of all runs into rows.
func (b *Builder) translateRuns(ctx context.Context, s *extsort.Sorter, n *numbering) error {
	var to ids
	quads := make([]idQuad, 4096)
	for _, r := range b.runs {
		if err := r.load(n, &to); err != nil {
			return err
		}
		for _, stream := range r.quads {
			in := quadReader{blocks: stream.Blocks()}
			for {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				k, err := in.fill(quads)
				if err == io.EOF {
					break
				}
				if err != nil {
					return err
				}
				for part := quads[:k]; len(part) > 0; {
					room, err := s.Room(len(part))
					if err != nil {
						return err
					}
					to.rows(&s.Layout, room, part[:room.Len()])
					part = part[room.Len():]
				}
			}
		}
	}
	b.runs = nil
	if err := b.files.places.Remove(); err != nil {
		return err
	}
	return b.files.quads.Remove()
}
