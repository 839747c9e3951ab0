package run

import (
	"strconv"

	"lukechampine.com/blake3"
)

// solution is what BNODE knows of the row that is being computed.
type solution struct {
	Row    int
	labels map[solutionLabel]string
	prefix string
	made   int
}

type solutionLabel struct {
	row   int
	label string
}

// blake3Bytes is the length of the sum that stands for a longer label.
const blake3Bytes = 32

// Start makes the run ready: it sets how BNODE names nodes. A label stands for
// one node within a solution; the names begin with a random part, so that no
// data has them.
func (r *Run) Start() {
	r.Solution.prefix = "q" + strconv.FormatUint(r.Values.Rand.Uint64(), 36) + "x"
	r.Solution.labels = make(map[solutionLabel]string)
	r.Values.Blank = func(label string, labelled bool) string {
		if !labelled {
			return r.FreshBlank()
		}
		if len(label) > blake3Bytes { // it is remembered for the batch
			sum := blake3.Sum256([]byte(label))
			label = string(sum[:])
		}
		key := solutionLabel{r.Solution.Row, label}
		name, ok := r.Solution.labels[key]
		if !ok {
			name = r.FreshBlank()
			r.Solution.labels[key] = name
		}
		return name
	}
}

// FreshBlank returns the label of a new blank node.
func (r *Run) FreshBlank() string {
	r.Solution.made++
	return r.Solution.prefix + strconv.Itoa(r.Solution.made)
}

// NewBatch drops the labels of the earlier solutions.
func (r *Run) NewBatch() {
	if len(r.Solution.labels) > 0 {
		clear(r.Solution.labels)
	}
}

// ValueErr returns the Go error by which a function stopped, if one did. The texts that were
// made for the rows of a batch are needed no more.
func (r *Run) ValueErr() error { return r.Values.BatchDone() }

// RowErr is ValueErr after a row of a batch.
func (r *Run) RowErr() error {
	r.Values.RowDone()
	return r.Values.Err()
}
