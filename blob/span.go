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
