package rdfxml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxEntity bounds the text of one entity, with those that it names replaced.
const maxEntity = 16 << 10

// declareEntities adds the general entities of a document type declaration to
// entities. Those with external text are left out: using one is an error.
func declareEntities(entities map[string]string, directive string) error {
	_, subset, ok := strings.Cut(directive, "[")
	if !ok {
		return nil
	}
	for {
		_, rest, ok := strings.Cut(subset, "<!ENTITY")
		if !ok {
			return nil
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
		name, rest, ok := cutSpace(rest)
		if !ok || name == "" {
			return fmt.Errorf("an entity without a name")
		}
		subset = rest
		if name == "%" || rest == "" || rest[0] != '"' && rest[0] != '\'' {
			continue
		}
		text, after, ok := strings.Cut(rest[1:], rest[:1])
		if !ok {
			return fmt.Errorf("entity %s without a closing quote", name)
		}
		subset = after
		if _, again := entities[name]; again {
			continue // the first declaration counts
		}
		value, err := expand(entities, text)
		if err != nil {
			return fmt.Errorf("entity %s: %w", name, err)
		}
		entities[name] = value
	}
}

func cutSpace(s string) (word, rest string, ok bool) {
	i := strings.IndexAny(s, " \t\r\n")
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimLeft(s[i:], " \t\r\n"), true
}

var predefined = map[string]string{"amp": "&", "lt": "<", "gt": ">", "apos": "'", "quot": `"`}

// expand replaces the references in the text of an entity by what was declared
// before it.
func expand(entities map[string]string, text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, more := strings.Cut(text, "&")
		if strings.Contains(before, "<") {
			return "", fmt.Errorf("markup in an entity is not supported")
		}
		out.WriteString(before)
		if out.Len() > maxEntity {
			return "", fmt.Errorf("more than %d bytes", maxEntity)
		}
		if !more {
			return out.String(), nil
		}
		name, after, ok := strings.Cut(rest, ";")
		if !ok {
			return "", fmt.Errorf("'&' without ';'")
		}
		text = after
		if number, isNumber := strings.CutPrefix(name, "#"); isNumber {
			base := 10
			if hex, isHex := strings.CutPrefix(number, "x"); isHex {
				number, base = hex, 16
			}
			c, err := strconv.ParseUint(number, base, 32)
			if err != nil || c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
				return "", fmt.Errorf("&%s; is no character", name)
			}
			out.WriteRune(rune(c))
			continue
		}
		value, ok := entities[name]
		if !ok {
			value, ok = predefined[name]
		}
		if !ok {
			return "", fmt.Errorf("&%s; was not declared before", name)
		}
		out.WriteString(value)
	}
}
