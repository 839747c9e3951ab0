package journal

import (
	"bytes"
	"fmt"
)

// highestSynced goes through the commit lines that can be read after the whole
// batches. Those before say nothing: a batch is never synced before it is written.
func (f *File) highestSynced() (n int64) {
	for at := f.good; ; {
		i := bytes.Index(f.data[at:], []byte(commitMark))
		if i < 0 {
			return n
		}
		at += i
		if at == 0 || f.data[at-1] == '\n' {
			if c, ok := parseCommit(lineAt(f.data, at)); ok {
				n = max(n, c.synced)
			}
		}
		at += len(commitMark)
	}
}

// lineAt returns the line that begins at a place, with its line end if it has one.
func lineAt(data []byte, at int) []byte {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return data[at : at+i+1]
	}
	return data[at:]
}

// parse finds the whole batches and the tail after them.
func (f *File) parse() {
	if f.grown != nil {
		return // as it was read
	}
	line := lineAt(f.data, 0)
	h, ok := parseHeader(line)
	if !ok {
		f.parsePlain()
		return
	}
	f.Header, f.start, f.last, f.hash = h, len(line), line, h.After
	f.good = f.start
	f.parseBatches()
}

// parseBatches goes on after the whole batches that are known.
func (f *File) parseBatches() {
	for at := f.good; at < len(f.data) && f.Torn == nil && !f.takeRoom(); at = f.good {
		cut, next := f.commitLine(at)
		body := f.data[at:cut]
		c, ok := parseCommit(f.data[cut:next])
		switch n, sum := int64(bytes.Count(body, []byte("\n"))), chainHash(f.last, body); {
		case !ok:
			f.tear("expected a commit line, found %q", clip(f.data[cut:next]))
		case c.number != f.next():
			f.tear("expected batch %d, found batch %d", f.next(), c.number)
		case n != c.lines:
			f.tear("the commit line says %d lines, there are %d", c.lines, n)
		case sum != c.hash:
			f.tear("the commit line says xxh64=%016x, the lines have %016x", c.hash, sum)
		default:
			f.Batches = append(f.Batches, Batch{Number: c.number, Lines: c.lines, from: at, to: cut})
			f.last, f.hash, f.good = f.data[cut:next], c.hash, next
		}
	}
}

// commitLine returns where the next line that is no change begins and ends.
func (f *File) commitLine(at int) (cut, next int) {
	if f.data[at] == '#' {
		cut = at
	} else if i := bytes.Index(f.data[at:], []byte("\n#")); i >= 0 {
		cut = at + i + 1
	} else {
		cut = len(f.data)
	}
	return cut, cut + len(lineAt(f.data, cut))
}

// next is the number that the batch after the whole ones has.
func (f *File) next() int64 {
	if n := len(f.Batches); n > 0 {
		return f.Batches[n-1].Number + 1
	}
	return max(f.Header.First, 1)
}

func clip(b []byte) []byte { return b[:min(len(b), 60)] }

// parsePlain reads a file without header and commit lines.
func (f *File) parsePlain() {
	if first := lineAt(f.data, 0); isCRLF(first) {
		f.end(true, "line 1", crlf)
		return
	} else if bytes.HasPrefix(first, []byte("# ")) || bytes.Contains(f.data, []byte("\n"+commitMark)) {
		f.end(true, "header", fmt.Sprintf("expected the header of a journal, found %q", clip(first)))
		return
	}
	f.Plain = true
	for n := int64(1); f.good < len(f.data); n++ {
		line := lineAt(f.data, f.good)
		if torn := line[len(line)-1] != '\n' && (isChange(line) || unfinishedChange(line)); torn || isCRLF(line) || !isChange(line) {
			reason := fmt.Sprintf("expected a line that begins with \"+ \" or \"- \", found %q", clip(line))
			if torn {
				reason = "the last line is not finished"
			} else if isCRLF(line) {
				reason = crlf
			}
			f.end(!torn, fmt.Sprintf("line %d", n), reason)
			return
		}
		f.Batches = append(f.Batches, Batch{Number: n, Lines: 1, from: f.good, to: f.good + len(line)})
		f.good += len(line)
	}
}

func isChange(line []byte) bool {
	return len(line) > 2 && (line[0] == '+' || line[0] == '-') && line[1] == ' '
}
