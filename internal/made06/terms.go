package made06

import (
	"slices"
	"sort"
	"strings"
)

// terms is the four sections of the dictionary: shared, subjects, objects, predicates.
type terms struct {
	list   [4][]string
	quoted bool
}

// split sorts the terms of the quads into sections. Names of graphs are subjects.
func split(quads []Quad) *terms {
	subjects, objects, predicates := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, q := range quads {
		subjects[q[0]], predicates[q[1]], objects[q[2]] = true, true, true
		if q[3] != "" {
			subjects[q[3]] = true
		}
	}
	t := &terms{}
	add := func(sec int, term string) {
		t.list[sec] = append(t.list[sec], term)
		t.quoted = t.quoted || strings.HasPrefix(term, "<<")
	}
	for term := range subjects {
		if objects[term] {
			add(0, term)
		} else {
			add(1, term)
		}
	}
	for term := range objects {
		if !subjects[term] {
			add(2, term)
		}
	}
	for term := range predicates {
		t.list[3] = append(t.list[3], term)
	}
	for i := range t.list {
		slices.Sort(t.list[i])
	}
	return t
}

func (t *terms) count() (n uint64) {
	for _, l := range t.list {
		n += uint64(len(l))
	}
	return n
}

// id returns the id of a term in a section, 0 if it is not there.
func (t *terms) id(sec int, term string) uint32 {
	i := sort.SearchStrings(t.list[sec], term)
	if i == len(t.list[sec]) || t.list[sec][i] != term {
		return 0
	}
	return uint32(i) + 1
}

// node returns the id of a subject or an object: shared ones come first.
func (t *terms) node(sec int, term string) uint32 {
	if id := t.id(0, term); id > 0 {
		return id
	}
	return uint32(len(t.list[0])) + t.id(sec, term)
}

// rows returns the ids of subject, predicate and object, of the default graph, and of named graphs
// with the id of the graph before.
func (t *terms) rows(quads []Quad) (def [][3]uint32, named [][4]uint32) {
	for _, q := range quads {
		s, p, o := t.node(1, q[0]), t.id(3, q[1]), t.node(2, q[2])
		if q[3] == "" {
			def = append(def, [3]uint32{s, p, o})
		} else {
			named = append(named, [4]uint32{t.node(1, q[3]), s, p, o})
		}
	}
	return def, named
}

// dictionary writes the chunks, those of the predicates first, and their directory.
func (f *file) dictionary() {
	var roots [4][]byte
	for _, sec := range []int{3, 0, 1, 2} {
		roots[sec] = f.dictSection(f.terms.list[sec])
	}
	f.unit(tagDict, slices.Concat(roots[:]...))
}

// dictSection writes a section and returns its root.
func (f *file) dictSection(list []string) []byte {
	if len(list) == 0 {
		return uv(nil, 0, runLength, 0, 0, 0, 0)
	}
	data := f.section(kindDict, false)
	begin := uint64(len(data.b))
	type chunk struct {
		run, at, length uint64
		key             string
	}
	var chunks []chunk
	for from := 0; from < len(list); from += f.opt.Runs * runLength {
		to := min(from+f.opt.Runs*runLength, len(list))
		c := chunk{run: uint64(from / runLength)}
		if from > 0 {
			c.key = list[from][:common(list[from-1], list[from])+1]
		}
		var body []byte
		for i := from; i < to; i++ {
			shared := 0
			if i%runLength > 0 {
				shared = common(list[i-1], list[i])
			}
			body = str(uv(body, uint64(shared)), []byte(list[i][shared:]))
		}
		at, length := f.block(data, body)
		c.at, c.length = at-begin, length
		chunks = append(chunks, c)
	}
	leaves := f.section(kindDictLeaves, true)
	groups := slices.Collect(slices.Chunk(chunks, f.opt.Leaf))
	root := uv(nil, uint64(len(list)), runLength, uint64(len(chunks)), begin, uint64(len(data.b))-begin, uint64(len(groups)))
	for _, group := range groups {
		var leaf []byte
		last := uint64(0)
		for _, c := range group {
			leaf = uv(str(uv(leaf, c.run-last), []byte(c.key)), c.length)
			last = c.run
		}
		off, length := f.block(leaves, leaf)
		root = str(uv(root, uint64(len(group)), off, length, group[0].run, group[0].at), []byte(group[0].key))
	}
	return root
}

// common returns how many bytes two terms begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// text writes the text index: tokens, and the subjects of each.
func (f *file) text() {
	if len(f.opt.Text) == 0 {
		return
	}
	type token struct {
		word        string
		off, length uint64
	}
	data := f.section(kindText, false)
	var tokens []token
	for word := range f.opt.Text {
		tokens = append(tokens, token{word: word})
	}
	slices.SortFunc(tokens, func(a, b token) int { return strings.Compare(a.word, b.word) })
	for i := range tokens {
		var subjects []uint32
		for _, s := range f.opt.Text[tokens[i].word] {
			subjects = append(subjects, f.terms.node(1, s))
		}
		slices.Sort(subjects)
		list, last := uv(nil, uint64(len(subjects))), uint32(0)
		for _, s := range subjects {
			list, last = uv(list, uint64(s-last)), s
		}
		tokens[i].off, tokens[i].length = uint64(len(data.b)), uint64(len(list))
		data.b = append(data.b, list...)
	}
	leaves := f.section(kindTextLeaves, true)
	groups := slices.Collect(slices.Chunk(tokens, f.opt.Leaf))
	root := uv(nil, 0, uint64(len(tokens)), uint64(len(groups)))
	for _, group := range groups {
		var leaf []byte
		last := ""
		for _, t := range group {
			n := common(last, t.word)
			leaf = uv(str(uv(leaf, uint64(n)), []byte(t.word[n:])), t.off, t.length)
			last = t.word
		}
		off, length := f.block(leaves, leaf)
		root = str(uv(root, uint64(len(group)), off, length), []byte(group[0].word))
	}
	f.unit(tagText, root)
}
