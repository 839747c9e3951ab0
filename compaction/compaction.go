// Package compaction makes one segment of a run of log entries: the quads that
// the run leaves visible ([Adds]), or those that it takes away ([Dels]). An
// [Entry] has a segment of quads to add, and one of quads to delete.
//
// The result depends on its quads alone. The same visible set gives the same
// bytes, whatever log led to it and however many workers wrote it.
//
// It goes over the entries three times. First the dictionaries are merged by
// surface, which numbers all terms; in these numbers the rows of all layers are
// merged in SPO order, of equal quads the newest entry decides, and the nodes and
// predicates of the rows that stay are marked. Then the marks split the merged
// dictionary into the sections of the new file, and each layer's map from its
// ids to the new ones follows. Then, order by order, the layers' rows are
// translated and merged again.
//
// Nothing is sorted: a map is monotone for all terms with one old and one new
// role, so the rows of a layer, cut into one run for each combination of roles,
// are sorted runs. Rows beyond [segment.WriterOptions].Memory wait in temporary
// files. The maps take four bytes for each term of each layer and role, and for
// each term of the merged dictionary; where they do not fit, they are pages of a
// temporary file, of which memory has a part.
//
// The package knows nothing of manifests.
package compaction

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"

	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
)

// Entry is one entry of the log: its dels are taken away, then its adds put in.
// Either may be nil. Segments must stay open as long as the compaction takes.
type Entry struct {
	Adds, Dels *segment.File
}

// Options are the choices of a compaction. A nil pointer and the zero value
// work. The Canonical option of the writer is ignored: the output is marked so
// if it is so.
type Options struct {
	segment.WriterOptions
	// Workers is the number of orders that are written at the same time. Default:
	// GOMAXPROCS. The file does not depend on it.
	Workers int
	// MaxMemory bounds the memory of the compaction, about, and with it Memory: what does not fit waits in
	// temporary files. The caches of the sources are not counted. The file does not depend on it. Default:
	// no bound.
	MaxMemory int64
	// Hold, if not nil, is asked for the memory that the compaction takes in addition to what the
	// process has anyway, before it is taken; give is called at the end. An error ends the compaction.
	Hold func(ctx context.Context, bytes int64) (give func(), err error)
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a compaction is.
type Progress struct {
	Stage string // "terms", "mark", "write"
	Done  int64  // rows that were read in this stage, over all orders
	Total int64  // rows that are to be read, about; 0 in the stage "terms"
}

// Adds writes the quads whose last word in the run is an add: what the run
// leaves visible, if it starts at the first entry of a log, and the adds of the
// one entry that has the effect of the run.
func Adds(ctx context.Context, run []Entry, out io.Writer, opt *Options) (*segment.Built, error) {
	return compact(ctx, opened(run), adds, out, opt)
}

// Dels writes the quads whose last word in the run is a delete: the dels of the
// one entry that has the effect of the run. They are needed unless the run
// starts at the first entry of the log. Without any, the file is empty.
func Dels(ctx context.Context, run []Entry, out io.Writer, opt *Options) (*segment.Built, error) {
	return compact(ctx, opened(run), dels, out, opt)
}

// errTooMany is a merged dictionary whose numbers do not fit.
var errTooMany = errors.New("compaction: more than 4294967294 distinct terms")

// kind is the lowest bit of a layer's weight.
type kind uint32

const (
	dels kind = 0
	adds kind = 1
)

// job is one compaction.
type job struct {
	opt     Options
	want    kind
	layers  []*layer
	meter   *meter
	folder  *scratch.Folder
	takes   int64        // bytes of memory in addition to what the process takes anyway
	budget  atomic.Int64 // bytes that rows may still take
	pager   *pager
	rows    int         // of a batch
	batches chan *batch // that nobody uses

	nodes  merged   // terms that are subjects or objects
	preds  merged   // predicates
	graphs []*graph // by name, the default graph first
	shared uint32   // how many terms of the output are subject and object; valid once assigned
	odd    bool     // a term of the output is not spelled canonically; valid once assigned
}

func compact(ctx context.Context, run [][2]source, want kind, out io.Writer, opt *Options) (*segment.Built, error) {
	return newJob(vfs.OS(), run, want, opt).run(ctx, out)
}

// newJob prepares a compaction.
func newJob(fsys vfs.FS, run [][2]source, want kind, opt *Options) *job {
	j := &job{want: want}
	if opt != nil {
		j.opt = *opt
	}
	j.opt.TempDir = vfs.TempDir(j.opt.TempDir)
	j.folder = scratch.New(fsys, j.opt.TempDir, j.opt.MaxScratch)
	if j.opt.Workers <= 0 {
		j.opt.Workers = runtime.GOMAXPROCS(0)
	}
	j.meter = newMeter(j.opt.Progress)
	for i, e := range run {
		for k, s := range e {
			if s != nil {
				j.layers = append(j.layers, newLayer(s, uint32(i)<<1|uint32(k), kind(k) == want))
			}
		}
	}
	d := j.opt.divide(j.layers)
	j.opt.Memory, j.rows, j.takes = d.rows, d.batch, d.takes
	j.pager = &pager{folder: j.folder, room: d.maps / idBytes}
	j.batches = make(chan *batch, j.opt.Workers)
	j.folder.Expect(d.scratch, false)
	return j
}

// run makes the file.
func (j *job) run(ctx context.Context, out io.Writer) (*segment.Built, error) {
	defer j.folder.Close()
	if j.opt.Hold != nil {
		give, err := j.opt.Hold(ctx, j.takes)
		if err != nil {
			return nil, err
		}
		defer give()
	}
	if err := j.makeMaps(ctx); err != nil {
		return nil, err
	}
	return j.write(ctx, out)
}

// makeMaps makes the maps from the ids of the layers to those of the output.
func (j *job) makeMaps(ctx context.Context) error {
	for _, l := range j.layers {
		l.makeMaps(j.pager)
	}
	j.budget.Store(j.opt.Memory)
	if err := j.merge(ctx); err != nil {
		return err
	}
	if err := j.mark(ctx); err != nil {
		return err
	}
	return j.assign(ctx)
}

// dropMaps gives back the maps and their file.
func (j *job) dropMaps() {
	j.nodes.table, j.preds.table = nil, nil
	for _, l := range j.layers {
		l.ids = [3]*table{}
	}
	j.pager.close()
}
