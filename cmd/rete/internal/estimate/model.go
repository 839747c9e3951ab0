package estimate

import (
	"math"

	"github.com/rete-go/rete/internal/segment"
)

// trial is the build of a sample, or of a half of it.
type trial struct {
	built           *segment.Built
	header          *segment.Header
	file            []byte
	skipped         int
	memory, scratch int64
	read, write     spent

	text   int64   // bytes of the distinct nodes
	quads  float64 // of the default graph
	graphs []container
}

func (t *trial) length(kinds ...segment.Kind) (n float64) {
	for _, k := range kinds {
		n += float64(t.header.Section(k).Length)
	}
	return n
}

// index are the bytes of the default graph, words those of the text index, terms those of the dictionary, pyramid
// those of the schema pyramid, rest the others, which are of tables of all of these.
func (t *trial) index() float64   { return t.length(segment.KindIndex) }
func (t *trial) words() float64   { return t.length(segment.KindTextIndex) }
func (t *trial) pyramid() float64 { return t.length(segment.KindPyramid) }
func (t *trial) terms() float64 {
	return t.length(segment.KindDictionary, segment.KindValues, segment.KindValuePages)
}
func (t *trial) known() float64 {
	return t.index() + t.length(segment.KindNamedGraphs) + t.terms() + t.words() + t.pyramid()
}
func (t *trial) rest() float64 { return float64(t.built.Size) - t.known() }

// model is how the whole differs from the sample.
type model struct {
	all    *trial
	halves [2]*trial

	times              float64 // how many times as many bytes of statements the whole has
	quads, terms, text float64 // likewise of distinct quads, of terms, of bytes of terms
	graphs             float64 // likewise of named graphs
}

// learn takes the counts of a sample, of which the whole is some times as large.
func (m *model) learn(t *tally, times float64) {
	m.times = times
	m.terms, m.text = t.nodes.all(1 / times)
	m.quads, _ = t.quads.all(1 / times)
	m.graphs, _ = t.graphs.all(1 / times)
	if n := float64(len(t.graphs)); n > 0 { // most graphs stand together, and then their stretches tell better
		m.graphs = max(min(m.graphs, float64(t.runs)*times/n), 1)
	}
}

// contents is what the graphs of the whole hold.
func (m *model) contents(t *tally) segment.Contents {
	named := -t.rows[0][""]
	for _, n := range t.rows[0] {
		named += n
	}
	return segment.Contents{Graphs: int(scaled(uint64(len(t.graphs)), m.graphs)),
		Named: scaled(uint64(named), m.quads), Default: scaled(uint64(t.rows[0][""]), m.quads)}
}

// count takes what a tally says of the blocks of the trial: 0 those of the sample, 1 and 2 those of its halves.
func (t *trial) count(of *tally, part int) (err error) {
	t.text, t.quads = of.bytes[part], of.rows[part][""]
	t.graphs, err = containers(t.file, t.header, of.rows[part])
	t.file = nil
	return err
}

// size is that of the file of the whole.
func (m *model) size() int64 {
	index := m.grown((*trial).index, (*trial).defaults) * m.all.quads * m.quads
	words := m.grown((*trial).words, (*trial).defaults) * m.all.quads * m.quads
	terms := m.grown((*trial).terms, (*trial).nodes) * float64(m.all.text) * m.text
	// Of classes, predicates and communities there are soon as many as are shown.
	pyramid := m.all.pyramid() + math.Log2(m.times)*max(m.all.pyramid()-m.mean((*trial).pyramid), 0)
	known := index + words + terms + pyramid + m.named()
	// The rest grows by the byte, from what each file has.
	rest := m.all.rest()
	if more := m.all.known() - m.mean((*trial).known); more > 0 {
		rest += max(rest-m.mean((*trial).rest), 0) / more * (known - m.all.known())
	}
	return int64(known + max(rest, segment.HeaderSize))
}

func (t *trial) defaults() float64 { return t.quads }
func (t *trial) nodes() float64    { return float64(t.text) }

// mean is that of the halves.
func (m *model) mean(of func(*trial) float64) float64 { return (of(m.halves[0]) + of(m.halves[1])) / 2 }

// grown is how many bytes the whole has for each of what is counted: as many fewer for each time that the sample
// has to double as from its halves to all of it, or half as many more: growth flattens.
func (m *model) grown(bytes, count func(*trial) float64) float64 {
	per := bytes(m.all) / max(count(m.all), 1)
	before := m.mean(bytes) / max(m.mean(count), 1)
	trend := per - before
	if trend > 0 {
		trend /= 2
	}
	return max(per+math.Log2(m.times)*trend, per/2)
}

// named is the bytes of the named graphs.
func (m *model) named() float64 {
	if len(m.all.graphs) == 0 {
		return 0
	}
	g := fit(m.all.graphs, m.halves[0].graphs, m.halves[1].graphs)
	return m.all.length(segment.KindNamedGraphs) * m.graphs * math.Pow(m.quads/m.graphs, g.rows) * math.Pow(m.terms, g.terms)
}
