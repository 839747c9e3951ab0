package rdfxml

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"
)

// canonical collects the content of rdf:parseType="Literal" as Exclusive XML
// Canonicalization with comments writes it: namespaces stand where they are
// used first, attributes in order, empty elements as a pair of tags.
type canonical struct {
	out     []byte
	open    []level
	written map[string][]string // what prefixes mean in the output so far
}

// level is an open element: its name, the prefixes whose namespaces it wrote
// out, and those that the document declares at it.
type level struct {
	name     xml.Name
	written  []string
	declared []string
}

// start writes the start tag of an element whose declarations ns has. bad
// names a prefix without a namespace.
func (c *canonical) start(t xml.StartElement, ns namespaces) (bad string) {
	type attr struct{ uri, local, raw, value string }
	var attrs []attr
	used := []string{t.Name.Space}
	for _, a := range t.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			continue
		}
		uri := ""
		if a.Name.Space != "" {
			var ok bool
			if uri, ok = ns.lookup(a.Name.Space); !ok {
				return a.Name.Space
			}
			used = append(used, a.Name.Space)
		}
		attrs = append(attrs, attr{uri, a.Name.Local, rawName(a.Name), a.Value})
	}
	slices.Sort(used)
	var written []string
	c.out = append(append(c.out, '<'), rawName(t.Name)...)
	for _, prefix := range slices.Compact(used) {
		uri, ok := ns.lookup(prefix)
		if !ok {
			return prefix
		}
		had := "" // as if every prefix meant nothing, which holds for the default one
		if stack := c.written[prefix]; len(stack) > 0 {
			had = stack[len(stack)-1]
		}
		if prefix == "xml" || had == uri {
			continue
		}
		written = append(written, prefix)
		c.written[prefix] = append(c.written[prefix], uri)
		name := "xmlns"
		if prefix != "" {
			name += ":" + prefix
		}
		c.attribute(name, uri)
	}
	slices.SortFunc(attrs, func(a, b attr) int {
		if d := strings.Compare(a.uri, b.uri); d != 0 {
			return d
		}
		return strings.Compare(a.local, b.local)
	})
	for _, a := range attrs {
		c.attribute(a.raw, a.value)
	}
	c.out = append(c.out, '>')
	c.open = append(c.open, level{name: t.Name, written: written})
	return ""
}

// end writes an end tag and returns the prefixes that its element declared; ok
// is false if it does not close the open element.
func (c *canonical) end(name xml.Name) (declared []string, ok bool) {
	n := len(c.open) - 1
	if c.open[n].name != name {
		return nil, false
	}
	declared = c.open[n].declared
	for _, prefix := range c.open[n].written {
		stack := c.written[prefix]
		c.written[prefix] = stack[:len(stack)-1]
	}
	c.open = c.open[:n]
	c.out = append(append(append(c.out, "</"...), rawName(name)...), '>')
	return declared, true
}

func (c *canonical) attribute(name, value string) {
	c.out = append(append(append(c.out, ' '), name...), `="`...)
	for i := range len(value) {
		switch b := value[i]; b {
		case '&':
			c.out = append(c.out, "&amp;"...)
		case '<':
			c.out = append(c.out, "&lt;"...)
		case '"':
			c.out = append(c.out, "&quot;"...)
		case '\t':
			c.out = append(c.out, "&#x9;"...)
		case '\n':
			c.out = append(c.out, "&#xA;"...)
		case '\r':
			c.out = append(c.out, "&#xD;"...)
		default:
			c.out = append(c.out, b)
		}
	}
	c.out = append(c.out, '"')
}

func (c *canonical) text(text []byte) {
	for _, b := range text {
		switch b {
		case '&':
			c.out = append(c.out, "&amp;"...)
		case '<':
			c.out = append(c.out, "&lt;"...)
		case '>':
			c.out = append(c.out, "&gt;"...)
		case '\r':
			c.out = append(c.out, "&#xD;"...)
		default:
			c.out = append(c.out, b)
		}
	}
}

func (c *canonical) comment(text []byte) {
	c.out = append(append(append(c.out, "<!--"...), text...), "-->"...)
}

func (c *canonical) instruction(p xml.ProcInst) {
	c.out = append(append(c.out, "<?"...), p.Target...)
	if inst := bytes.TrimLeft(p.Inst, " \t\r\n"); len(inst) > 0 {
		c.out = append(append(c.out, ' '), inst...)
	}
	c.out = append(c.out, "?>"...)
}
