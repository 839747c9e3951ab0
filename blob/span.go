package blob

import (
	"cmp"
	"slices"
)

// span is a stretch of an object that one request reads for several ranges.
type span struct {
	off, end int64
	ranges   []int // indices into the ranges asked for
}

// joinRanges puts the ranges rs[todo...] into spans, in the order of offsets:
// a range joins the span before it if at most gap bytes lie between them and
// the span stays within limit. Empty ranges need nothing.
func joinRanges(rs []Range, todo []int, gap, limit int64) []span {
	slices.SortFunc(todo, func(a, b int) int { return cmp.Compare(rs[a].Off, rs[b].Off) })
	var out []span
	for _, i := range todo {
		r := rs[i]
		if r.Len == 0 {
			continue
		}
		if n := len(out) - 1; n >= 0 {
			s := &out[n]
			if end := max(s.end, r.Off+r.Len); r.Off-s.end <= gap && (end == s.end || end-s.off <= limit) {
				s.end = end
				s.ranges = append(s.ranges, i)
				continue
			}
		}
		out = append(out, span{r.Off, r.Off + r.Len, []int{i}})
	}
	return out
}

// joinMore joins spans, those with the least between them first, as long as there are more
// than run together and less is read in vain for it than three fifths of what the spans have. Spans
// ascend.
func joinMore(spans []span, parallel int, limit int64) []span {
	if len(spans) <= parallel {
		return spans
	}
	spare := int64(0)
	gaps := make([]int, len(spans)-1) // gap i lies after span i
	for i, s := range spans {
		spare += (s.end - s.off) * 3 / 5
		if i < len(gaps) {
			gaps[i] = i
		}
	}
	size := func(i int) int64 { return spans[i+1].off - spans[i].end }
	slices.SortFunc(gaps, func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	closed := make([]bool, len(spans))
	left := len(spans)
	for _, i := range gaps {
		if spare -= size(i); spare < 0 || left == parallel {
			break
		}
		closed[i] = true
		left--
	}
	out := spans[:1]
	for i, s := range spans[1:] {
		if last := &out[len(out)-1]; closed[i] && s.end-last.off <= limit {
			last.end, last.ranges = s.end, append(last.ranges, s.ranges...)
			continue
		}
		out = append(out, s)
	}
	return out
}
