package exec

import (
	"strconv"

	"lukechampine.com/blake3"
)

// solution is what BNODE knows of the row that is being computed.
type solution struct {
	row    int
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
	r.sol.prefix = "q" + strconv.FormatUint(r.Values.Rand.Uint64(), 36) + "x"
	r.sol.labels = make(map[solutionLabel]string)
	r.Values.Blank = func(label string, labelled bool) string {
		if !labelled {
			return r.freshBlank()
		}
		if len(label) > blake3Bytes { // it is remembered for the batch
			sum := blake3.Sum256([]byte(label))
			label = string(sum[:])
		}
		key := solutionLabel{r.sol.row, label}
		name, ok := r.sol.labels[key]
		if !ok {
			name = r.freshBlank()
			r.sol.labels[key] = name
		}
		return name
	}
}

// freshBlank returns the label of a new blank node.
func (r *Run) freshBlank() string {
	r.sol.made++
	return r.sol.prefix + strconv.Itoa(r.sol.made)
}

// newBatch forgets the labels of the solutions before.
func (r *Run) newBatch() {
	if len(r.sol.labels) > 0 {
		clear(r.sol.labels)
	}
}

// valueErr returns the Go error by which a function stopped, if one did. The texts that were
// made for the rows of a batch are needed no more.
func (r *Run) valueErr() error { return r.Values.BatchDone() }

// rowErr is valueErr behind a row of a batch.
func (r *Run) rowErr() error {
	r.Values.RowDone()
	return r.Values.Err()
}
