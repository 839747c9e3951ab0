package journal

import (
	"bytes"
	"fmt"

	"github.com/rete-go/rete/internal/damage"
)

// Torn is the tail of a file after its last whole batch.
type Torn struct {
	File   string
	Offset int64
	Size   int64
	// Whole is true if the tail has a commit line that can be read.
	Whole bool
	Cause *damage.Error // what is wrong with it

	damaged bool // no unfinished write leaves this
}

// sector is the unit in which a disk writes or does not.
const sector = 512

// emptyPart says of a batch that room or NULs are in it.
const emptyPart = "a part of it is empty"

// tear notes that what is after the whole batches is not one, for a reason: a write that
// was not finished, or damage.
func (f *File) tear(format string, args ...any) {
	reason := fmt.Sprintf(format, args...)
	torn, what := f.unfinished()
	if what != "" {
		reason = what
	}
	f.end(!torn, fmt.Sprintf("line %d, batch %d", 1+bytes.Count(f.data[:f.good], []byte("\n")), f.next()), reason)
}

// end notes that the file can be read up to its whole batches.
func (f *File) end(damaged bool, part, reason string) {
	e := damage.New(part, "%s", reason)
	e.Object, e.Offset = f.Name, int64(f.good)
	tail := f.tail()
	t := &Torn{File: f.Name, Offset: int64(f.good), Size: int64(len(tail)), Cause: e, damaged: damaged}
	for at := 0; at < len(tail) && !t.Whole; {
		line := lineAt(tail, at)
		_, t.Whole = parseCommit(line)
		at += len(line)
	}
	f.Torn = t
}

// lost makes a tail that could be an unfinished write damage: it was on disk.
func (t *Torn) lost() *Torn {
	if t.damaged {
		return t
	}
	d, e := *t, *t.Cause
	e.Detail += ", and it was on disk, as what was written later says"
	d.Cause, d.damaged = &e, true
	return &d
}

// advice is the cause with what to do.
func (t *Torn) advice() error {
	e := *t.Cause
	if e.Detail != crlf {
		e.Detail += "; a backup may have it whole, `fsck --drop-tail` saves it with all that follows, and cuts it off"
	}
	return &e
}

// unfinished reports whether what is after the whole batches can be a write that did
// not reach the disk whole. Such a write leaves parts that were never written, line ends
// of the room or NULs, or it ends early. what says what is wrong, if that is known better
// than by reading a batch.
//
// A byte that changed is no such part: an empty line between two lines, or a NUL, that
// is alone and does not reach to the end of a sector.
func (f *File) unfinished() (torn bool, what string) {
	for at := f.good; at < len(f.data); {
		line := lineAt(f.data, at)
		if run := runOf(f.data[at:], '\n'); run > 0 {
			if at == f.good || run > 1 || f.edge(at+run) {
				return true, emptyPart
			}
			return false, "an empty line among the changes"
		}
		if i := bytes.IndexByte(line, 0); i >= 0 {
			if run := runOf(line[i:], 0); run > 1 || f.edge(at+i+run) {
				return true, emptyPart
			}
			return false, fmt.Sprintf("a NUL in %q", clip(line))
		}
		if _, ok := parseCommit(line); ok { // the batch is there from its first line to its last
			if bytes.Contains(f.data[f.good:at], []byte("\r\n")) {
				return false, crlf
			}
			return false, ""
		}
		if i := bytes.LastIndex(line, []byte(commitMark)); i > 0 {
			if _, ok := parseCommit(line[i:]); ok {
				return false, "a commit line that does not begin its line"
			}
		}
		at += len(line)
		cut := at == len(f.data) || f.data[at] == '\n' // nothing follows in this place
		switch {
		case startsChange(line):
		case cut && f.unfinishedLine(at-len(line), line):
		case isCRLF(line):
			return false, crlf
		default:
			return false, fmt.Sprintf("neither a change nor a commit line: %q", clip(line))
		}
	}
	return true, "it ends without a commit line"
}

// edge reports whether a place is the end of a sector, or of the file.
func (f *File) edge(at int) bool { return at%sector == 0 || at == len(f.data) }

// runOf is how often data begins with a byte.
func runOf(data []byte, b byte) int {
	n := 0
	for n < len(data) && data[n] == b {
		n++
	}
	return n
}

// startsChange reports whether a line begins as the changes do that a writer writes.
func startsChange(line []byte) bool {
	return isChange(line) && (line[2] == '<' || line[2] == '_')
}

// unfinishedChange reports whether a line is less than a change begins with.
func unfinishedChange(line []byte) bool {
	return bytes.HasPrefix([]byte("+ "), line) || bytes.HasPrefix([]byte("- "), line)
}

// unfinishedLine reports whether a line can be the front of a change, or of the commit
// line that belongs there, with a line end of the room or without one.
func (f *File) unfinishedLine(at int, line []byte) bool {
	line, ended := bytes.CutSuffix(line, lineEnds[:1])
	if unfinishedChange(line) {
		return true
	}
	body := f.data[f.good:at]
	front := fmt.Appendf(nil, "%s%d%s%d%s", commitMark, f.next(), linesMark, bytes.Count(body, lineEnds[:1]), syncedMark)
	rest, ok := bytes.CutPrefix(line, front)
	if !ok {
		return bytes.HasPrefix(front, line)
	}
	rest = bytes.TrimLeft(rest, "0123456789")
	back := fmt.Appendf(nil, "%s%016x", hashMark, chainHash(f.last, body))
	return bytes.HasPrefix(back, rest) && !(ended && len(rest) == len(back))
}

// crlf says what became of a file that went through a program for texts of Windows.
const crlf = "its lines end in CRLF, those of a journal in LF: a program has changed all line ends; change them back"

func isCRLF(line []byte) bool { return bytes.HasSuffix(line, []byte("\r\n")) }
