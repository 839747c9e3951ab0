package regex

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// isWord reports whether a character is part of a word, between which and others \b stands:
// a letter, a mark, a digit, a connector such as _, or a joiner (Unicode TR18, annex C).
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return syntax.IsWordChar(r)
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

// emptyOps returns what holds between two characters, -1 at the ends of the text.
func emptyOps(before, after rune) syntax.EmptyOp {
	op := syntax.EmptyOpContext(before, after) &^ (syntax.EmptyWordBoundary | syntax.EmptyNoWordBoundary)
	if isWord(before) != isWord(after) {
		return op | syntax.EmptyWordBoundary
	}
	return op | syntax.EmptyNoWordBoundary
}

// mayBeEmpty reports whether an expression may match the empty string somewhere in a text:
// \b does not match the empty text.
func mayBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return mayBeEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || mayBeEmpty(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !mayBeEmpty(sub) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if mayBeEmpty(sub) {
				return true
			}
		}
	}
	return false
}

// thread is one way through the program, with the places of its groups.
type thread struct {
	pc    uint32
	marks []int
}

// threads are threads by descending priority, each instruction once.
type threads struct {
	list []thread
	at   []uint32 // by instruction: its place in list, if it is there
}

func (q *threads) has(pc uint32) bool {
	i := q.at[pc]
	return int(i) < len(q.list) && q.list[i].pc == pc
}

// machine matches one text (Thompson's algorithm with groups, after Pike): the package regexp
// knows ASCII words alone. Time is the length of the text times the size of the program.
type machine struct {
	prog  *syntax.Prog
	marks []int   // of the thread that is being added
	free  [][]int // marks that are not used any more
}

// add adds the threads that an instruction leads to without a character.
func (m *machine) add(q *threads, pc uint32, at int, holds syntax.EmptyOp) {
	if q.has(pc) {
		return
	}
	q.at[pc] = uint32(len(q.list))
	q.list = append(q.list, thread{pc: pc})
	switch in := &m.prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		m.add(q, in.Out, at, holds)
		m.add(q, in.Arg, at, holds)
	case syntax.InstEmptyWidth:
		if syntax.EmptyOp(in.Arg)&^holds == 0 {
			m.add(q, in.Out, at, holds)
		}
	case syntax.InstNop:
		m.add(q, in.Out, at, holds)
	case syntax.InstCapture:
		if int(in.Arg) >= len(m.marks) {
			m.add(q, in.Out, at, holds)
			return
		}
		was := m.marks[in.Arg]
		m.marks[in.Arg] = at
		m.add(q, in.Out, at, holds)
		m.marks[in.Arg] = was
	case syntax.InstFail:
	default:
		var marks []int
		if n := len(m.free); n > 0 {
			marks, m.free = m.free[n-1], m.free[:n-1]
		} else {
			marks = make([]int, len(m.marks))
		}
		copy(marks, m.marks)
		q.list[q.at[pc]].marks = marks
	}
}

// findWords is [Pattern.find] with the words of Unicode. marks is how many places of groups
// are wanted: the first two are those of the match, with none the first end that is found is
// enough and the result says only that there is a match.
func (p *Pattern) findWords(c Meter, s string, at, marks int) []int {
	n := len(p.words.Inst)
	m := &machine{prog: p.words, marks: make([]int, marks)}
	for i := range m.marks {
		m.marks[i] = -1
	}
	now, then := &threads{at: make([]uint32, n)}, &threads{at: make([]uint32, n)}
	before := rune(-1)
	if at > 0 {
		before, _ = utf8.DecodeLastRuneInString(s[:at])
	}
	var found []int
	for {
		r, size := rune(-1), 0
		if at < len(s) {
			r, size = utf8.DecodeRuneInString(s[at:])
		}
		if found == nil {
			if marks > 0 {
				m.marks[0] = at
			}
			m.add(now, uint32(p.words.Start), at, emptyOps(before, r))
		}
		if len(now.list) == 0 || !c.Read(1+len(now.list)) {
			return found
		}
		next := rune(-1)
		if at+size < len(s) {
			next, _ = utf8.DecodeRuneInString(s[at+size:])
		}
		holds := emptyOps(r, next)
		then.list = then.list[:0]
		for i := range now.list {
			t := &now.list[i]
			in := &p.words.Inst[t.pc]
			if in.Op == syntax.InstMatch {
				if marks == 0 {
					return []int{}
				}
				t.marks[1] = at
				found = t.marks
				break // what comes after has a lower priority
			}
			if t.marks == nil {
				continue
			}
			if size > 0 && in.MatchRune(r) {
				copy(m.marks, t.marks)
				m.add(then, in.Out, at+size, holds)
			}
			m.free = append(m.free, t.marks)
		}
		for i := range m.marks {
			m.marks[i] = -1
		}
		if size == 0 {
			return found
		}
		before, at = r, at+size
		now, then = then, now
	}
}
