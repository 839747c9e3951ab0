package display

import (
	"strings"

	"github.com/rivo/uniseg"
)

// maxCluster is how many bytes one character may have with all that combines with it: what
// is longer is drawn over other lines.
const maxCluster = 64

// Cut returns a clean text in at most width columns: what is too long ends with an ellipsis.
// No character is cut in two.
func Cut(text string, width int) string {
	if fits(text, width) {
		return text
	}
	if width < 1 {
		return ""
	}
	return text[:head(text, width-1)] + ellipsis
}

// CutMiddle is [Cut] that keeps both ends, a little more of the last one: what tells IRIs
// apart is at their end.
func CutMiddle(text string, width int) string {
	if fits(text, width) {
		return text
	}
	if width < 4 {
		return Cut(text, width)
	}
	front := (width - 1) * 2 / 5
	start := head(text, front)
	front = Width(text[:start])
	return text[:start] + ellipsis + text[tail(text[start:], width-1-front)+start:]
}

// fits reports whether a text has at most width columns, without measuring what is far too
// long for that.
func fits(text string, width int) bool {
	return len(text) <= width || head(text, width) == len(text)
}

// head returns how many bytes at the beginning of text take at most width columns.
func head(text string, width int) int {
	n, state, rest := 0, -1, text
	for len(rest) > 0 {
		var w int
		var cluster string
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if width -= w; width < 0 || len(cluster) > maxCluster {
			break
		}
		n += len(cluster)
	}
	return n
}

// tail returns from which byte on the end of text takes at most width columns.
func tail(text string, width int) int {
	all := Width(text)
	n, state, rest := 0, -1, text
	for len(rest) > 0 && all > width {
		var w int
		var cluster string
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		all -= w
		n += len(cluster)
	}
	return n
}

// pad returns the spaces that fill a clean text up to width columns.
func pad(text string, width int) string {
	return strings.Repeat(" ", max(0, width-Width(text)))
}
