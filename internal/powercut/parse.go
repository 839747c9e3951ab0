package powercut

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Call is a system call.
type Call struct {
	Name       string
	Args       []string // as strace spells them, strings in hex
	Result     int64    // below zero: it failed, or the program ended in it and it did nothing
	Begin, End int      // moments: it may have an effect after Begin, and had it at End
	Process    int      // number of the program in the recording

	cut bool // the program ended in it
}

func (c *Call) String() string {
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = readable(a)
	}
	return fmt.Sprintf("%s(%.400s) = %d", c.Name, strings.Join(args, ", "), c.Result)
}

// add appends the calls of one program's trace.
func (r *Recording) add(trace io.Reader) error {
	in := bufio.NewReader(trace)
	running := map[string]int{} // by thread: the index of the call that it is in
	for number := 1; ; number++ {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			r.endProgram()
			return nil
		} else if err != nil {
			return err
		}
		thread, text, _ := strings.Cut(line, " ")
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "+++") || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "<... exit"):
			continue
		case strings.HasPrefix(text, "<... "):
			i, ok := running[thread]
			if !ok {
				return fmt.Errorf("line %d resumes a call that did not begin: %.200s", number, text)
			}
			delete(running, thread)
			_, rest, _ := strings.Cut(text, " resumed>")
			r.Calls[i].End = r.Length
			err = r.Calls[i].finish(rest)
		default:
			c := Call{Begin: r.Length, Process: r.process, Result: -1}
			r.Length++
			rest, unfinished := strings.CutSuffix(text, "<unfinished ...>")
			var ok bool
			if c.Name, rest, ok = strings.Cut(rest, "("); !ok {
				return fmt.Errorf("line %d has no call: %.200s", number, text)
			}
			if unfinished {
				c.Args, c.cut = []string{rest}, true
				running[thread] = len(r.Calls)
				r.Calls = append(r.Calls, c)
				continue // it has one moment so far
			}
			c.Args, c.End = []string{""}, r.Length
			err = c.finish(rest)
			r.Calls = append(r.Calls, c)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w: %.200s", number, err, text)
		}
		r.Length++
	}
}

// endProgram ends the calls in which the program ended.
func (r *Recording) endProgram() {
	for _, c := range cutCalls(r.Calls, r.process) {
		if len(c.Args) == 1 { // it was not resumed
			c.Args = split(c.Args[0])
		}
		c.End = r.Length
		r.Length++
	}
	r.process++
}

// finish reads what follows the first part of the arguments. A result that is not known is
// that of a call in which the program ended; one with the name of an error is that of a
// call which a signal interrupted before it did anything.
func (c *Call) finish(rest string) error {
	i := strings.LastIndex(rest, ") ")
	_, result, ok := strings.Cut(rest[max(i, 0):], "= ")
	if i < 0 || !ok {
		return fmt.Errorf("no result")
	}
	args := strings.TrimSuffix(strings.TrimSpace(c.Args[0]+rest[:i]), "<unfinished ...>")
	unknown, ok := strings.CutPrefix(result, "?")
	c.cut = ok && !strings.Contains(unknown, "ERESTART") && c.Name != "exit_group"
	if c.Args = split(args); len(result) > 0 && result[0] != '?' {
		result, _, _ = strings.Cut(result, " ")
		result, _, _ = strings.Cut(result, "<")
		n, err := strconv.ParseInt(strings.TrimSpace(result), 0, 64)
		if err != nil {
			return err
		}
		c.Result = n
	}
	return nil
}

// split cuts arguments at the commas that are in no text and no brackets.
func split(args string) (out []string) {
	depth, quoted, from := 0, false, 0
	for i := range len(args) {
		switch args[i] {
		case '"':
			quoted = !quoted
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 && !quoted {
				out = append(out, strings.TrimSpace(args[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(args[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

// arg returns an argument, "" if there are fewer.
func (c *Call) arg(i int) string {
	if i < len(c.Args) {
		return c.Args[i]
	}
	return ""
}

// number returns an argument that is a number.
func (c *Call) number(i int) (int64, error) {
	return strconv.ParseInt(c.arg(i), 0, 64)
}

// descriptor returns an argument that is a file descriptor, and what it stands for; the
// working directory is -1.
func (c *Call) descriptor(i int) (fd int, of string) {
	text, of, _ := strings.Cut(c.arg(i), "<")
	of = readable(strings.TrimSuffix(of, ">"))
	fd, err := strconv.Atoi(text)
	if err != nil {
		return -1, of
	}
	return fd, of
}

// File returns the path of the file or folder that a call is about, if its first argument
// is a descriptor.
func (c *Call) File() string {
	_, of := c.descriptor(0)
	return of
}

// text returns an argument that is a string.
func (c *Call) text(i int) ([]byte, error) {
	text, ok := strings.CutPrefix(c.arg(i), `"`)
	text, whole := strings.CutSuffix(text, `"`)
	if !ok || !whole {
		return nil, fmt.Errorf("%s: argument %d is not a whole string", c.Name, i)
	}
	return hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
}

// Answer returns the status that a call begins to send to a TCP client as the first line
// of an HTTP response, and the port of the client.
func (c *Call) Answer() (status, port int, ok bool) {
	if c.Name != "write" {
		return 0, 0, false
	}
	_, of := c.descriptor(0)
	_, peer, tcp := strings.Cut(of, "->")
	const first = "HTTP/1.1 "
	head := c.arg(1)
	if !tcp || !strings.HasPrefix(of, "TCP") {
		return 0, 0, false
	}
	head = readable(head[:min(len(head), 1+4*len(first+"200"))])
	if head, ok = strings.CutPrefix(strings.Trim(head, `"`), first); !ok {
		return 0, 0, false
	}
	status, err := strconv.Atoi(head)
	if err != nil {
		return 0, 0, false
	}
	port, err = strconv.Atoi(strings.TrimSuffix(peer[strings.LastIndexByte(peer, ':')+1:], "]"))
	return status, port, err == nil
}

// readable replaces what is in hex.
func readable(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], `\x`) && i+4 <= len(text) {
			if n, err := strconv.ParseUint(text[i+2:i+4], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
