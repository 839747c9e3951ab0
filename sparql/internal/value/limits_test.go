package value_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql/internal/regex"
	"github.com/rete-go/rete/sparql/internal/value"
)

// makers are functions of a text x that make a text, or a term, that is as long or longer.
var makers = map[string]func(x value.Value) (name string, args []value.Value){
	"CONCAT":         func(x value.Value) (string, []value.Value) { return "CONCAT", []value.Value{x, x, x} },
	"CONCAT, tagged": func(x value.Value) (string, []value.Value) { return "CONCAT", []value.Value{tagged(x), tagged(x)} },
	"UCASE":          func(x value.Value) (string, []value.Value) { return "UCASE", []value.Value{x} },
	"UCASE, longer": func(x value.Value) (string, []value.Value) {
		return "UCASE", []value.Value{value.OfString(strings.Repeat("\u0390", len(x.Text())/2))}
	},
	"LCASE": func(x value.Value) (string, []value.Value) {
		return "LCASE", []value.Value{value.OfString(strings.ToUpper(x.Text()))}
	},
	"SUBSTR": func(x value.Value) (string, []value.Value) { return "SUBSTR", []value.Value{tagged(x), value.OfInt(2)} },
	"STRBEFORE": func(x value.Value) (string, []value.Value) {
		return "STRBEFORE", []value.Value{tagged(x), value.OfString("!")}
	},
	"STRAFTER": func(x value.Value) (string, []value.Value) {
		return "STRAFTER", []value.Value{tagged(x), value.OfString("x")}
	},
	"ENCODE": func(x value.Value) (string, []value.Value) {
		return "ENCODE_FOR_URI", []value.Value{value.OfString(strings.Repeat("%", len(x.Text())))}
	},
	"REPLACE": func(x value.Value) (string, []value.Value) {
		return "REPLACE", []value.Value{x, value.OfString("x"), value.OfString("xyz")}
	},
	"REPLACE, all": func(x value.Value) (string, []value.Value) {
		return "REPLACE", []value.Value{x, value.OfString(".*x"), x}
	},
	"REPLACE, groups": func(x value.Value) (string, []value.Value) {
		return "REPLACE", []value.Value{x, value.OfString("(x+)"), value.OfString("$1$1$1$1")}
	},
	"STRLANG": func(x value.Value) (string, []value.Value) { return "STRLANG", []value.Value{x, value.OfString("en")} },
	"STRLANG, escaped": func(x value.Value) (string, []value.Value) {
		return "STRLANG", []value.Value{value.OfString(strings.Repeat("\x01", len(x.Text()))), value.OfString("en")}
	},
	"STRLANGDIR": func(x value.Value) (string, []value.Value) {
		return "STRLANGDIR", []value.Value{x, value.OfString("en"), value.OfString("ltr")}
	},
	"STRDT": func(x value.Value) (string, []value.Value) {
		return "STRDT", []value.Value{x, value.OfIRI("http://ex/t")}
	},
	"TRIPLE": func(x value.Value) (string, []value.Value) {
		return "TRIPLE", []value.Value{value.OfIRI("http://ex/t"), value.OfIRI("http://ex/t"), x}
	},
	"IRI": func(x value.Value) (string, []value.Value) {
		return "IRI", []value.Value{value.OfString("http://ex/" + strings.Repeat("x", len(x.Text())))}
	},
}

func tagged(x value.Value) value.Value { return value.OfLang(x.Text(), "en", "") }

// memory counts what is drawn.
type memory struct {
	drawn, most int64
	refuse      func() error // nil: nothing is refused
}

func (m *memory) Grow(_ context.Context, bytes int64) error {
	if m.refuse != nil {
		if err := m.refuse(); err != nil {
			return err
		}
	}
	m.drawn += bytes
	m.most = max(m.most, m.drawn)
	return nil
}

func (m *memory) Shrink(bytes int64) { m.drawn -= bytes }

// TestMadeTexts has texts made for which there is no memory: the function stops with the error
// of the draw, before the text is made. With enough memory what was drawn covers it.
func TestMadeTexts(t *testing.T) {
	refused := errors.New("refused")
	x := value.OfString(strings.Repeat("x", 2<<20) + "!")
	for name, of := range makers {
		fname, args := of(x)
		f, ok := value.Lookup(fname)
		if !ok {
			t.Fatal(fname)
		}
		c := value.NewContext(t.Context())
		c.Memory = &memory{refuse: func() error { return refused }}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, ok = f.Call(c, args)
		runtime.ReadMemStats(&after)
		if ok || c.Err() != refused {
			t.Errorf("%s without memory: %v, %v", name, ok, c.Err())
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s without memory: %d bytes were allocated", name, n)
		}

		c = value.NewContext(t.Context())
		m := new(memory)
		c.Memory = m
		v, ok := f.Call(c, args)
		if !ok || c.Err() != nil {
			t.Fatalf("%s: %v, %v", name, ok, c.Err())
		}
		s := c.Surface(v)
		if size := int64(len(s)); m.drawn+64<<10 < size || m.drawn > 12*size {
			t.Errorf("%s: %d bytes were drawn for a term of %d", name, m.drawn, size)
		}
		c.RowDone()
		if err := c.BatchDone(); err != nil || m.drawn > 2<<20 {
			t.Errorf("%s: %d bytes are left, %v", name, m.drawn, err)
		}
	}
}

// TestAgain computes a row again after its text was refused.
func TestAgain(t *testing.T) {
	c, refuse := value.NewContext(t.Context()), true
	c.Memory = &memory{refuse: func() error {
		if refuse {
			return errors.New("refused")
		}
		return nil
	}}
	f, _ := value.Lookup("UCASE")
	args := []value.Value{value.OfString(strings.Repeat("x", 1<<20))}
	if _, ok := f.Call(c, args); ok || c.Err() == nil {
		t.Fatal(ok, c.Err())
	}
	refuse = false
	c.Again()
	if v, ok := f.Call(c, args); !ok || c.Err() != nil || len(v.Text()) != 1<<20 {
		t.Error(ok, c.Err())
	}
	c.MaxText = 1000
	if _, ok := f.Call(c, args); ok || !errors.Is(c.Err(), value.ErrTextTooLong) {
		t.Error(ok, c.Err())
	}
	if c.Again(); !errors.Is(c.Err(), value.ErrTextTooLong) {
		t.Error("another error is dropped")
	}
}

// counted is a context that counts its checks, and ends at one of them.
type counted struct {
	context.Context
	checks, end int
}

func (c *counted) Err() error {
	if c.checks++; c.end > 0 && c.checks >= c.end {
		return context.Canceled
	}
	return nil
}

// hostile are expressions that take long for a text of 20 kB: REGEX, or REPLACE where there is
// a replacement.
var hostile = []struct{ name, pattern, flags, text, replacement string }{
	{"many threads", "(a?){500}b{500}a{500}(a|aa){500}c", "", strings.Repeat("a", 20_000), ""},
	{"large program", "(" + strings.Repeat("a?", 20_000) + ")z", "", strings.Repeat("a", 20_000), ""},
	{"ambiguous repeats", "(a*)*(a|aa)*(a*b)+c", "", strings.Repeat("a", 20_000), ""},
	{"classes", "([a-z]+[a-z0-9]*){1,200}!", "i", strings.Repeat("aB0", 7000), ""},
	{"folded needle", strings.Repeat("a", 10_000) + "b", "i", strings.Repeat("a", 20_000), ""},
	{"matches that look to the end", "(a*b)|a", "", strings.Repeat("a", 20_000), "x"},
	{"matches of groups", "((a*)(b))|(a)", "", strings.Repeat("a", 20_000), "$4$4"},
	{"lines", "^(a*b|a)", "m", strings.Repeat("a\n", 10_000), "x"},
}

// TestHostilePatterns ends such an expression at each of its checks of the context: it has
// many, and does nothing after the one that ended it.
func TestHostilePatterns(t *testing.T) {
	for _, h := range hostile {
		name, args := "REGEX", []value.Value{value.OfString(h.text), value.OfString(h.pattern)}
		if h.replacement != "" {
			name, args = "REPLACE", append(args, value.OfString(h.replacement))
		}
		f, _ := value.Lookup(name)
		args = append(args, value.OfString(h.flags))
		for _, k := range []int{1, 3} {
			ctx := &counted{Context: t.Context(), end: k}
			c := value.NewContext(ctx)
			_, _ = f.Call(c, args)
			if c.Err() == nil { // short for its like; it is checked between rows
				if ctx.checks >= k {
					t.Errorf("%s: goes on after check %d", h.name, k)
				}
				break
			}
			if c.Err() != context.Canceled || ctx.checks > k+1 {
				t.Errorf("%s, ended at check %d: %v after %d", h.name, k, c.Err(), ctx.checks)
			}
		}
	}
}

// TestReadChecks evaluates cheap functions over long texts many times: the context is checked
// between them.
func TestReadChecks(t *testing.T) {
	x := value.OfString(strings.Repeat("x", 1<<20))
	ctx := &counted{Context: t.Context(), end: 3}
	c := value.NewContext(ctx)
	for row := range 100 {
		if !c.ReadArgs([]value.Value{x, x}) {
			if row < 4 || row > 10 || c.Err() != context.Canceled {
				t.Errorf("ended at row %d: %v", row, c.Err())
			}
			return
		}
	}
	t.Error("never ended")
}

// TestReplaceLikeRegexp compares REPLACE of long texts, whose matches are found one by one,
// with the package regexp over the whole text.
func TestReplaceLikeRegexp(t *testing.T) {
	text := strings.Repeat("ab abc\nabcd é ñab\n\na b\u00a0ab ", 400)
	for _, p := range []string{"ab+", "a|ab", "(a)(b)?c?", "^a", "b$", "[^a]+b", "é.", "(a|b)+?c", "\n+", "^.", ".$", "(^a)|(b$)", "(?:a)(b)(c)?(d)?"} {
		for _, flags := range []string{"", "m", "i", "s", "ms"} {
			for _, size := range []int{len(text), 3000} {
				s := strings.ToValidUTF8(text[:size], "")
				pattern, reason := regex.Compile(p, flags)
				if pattern == nil {
					t.Fatal(p, reason)
				}
				c := value.NewContext(t.Context())
				got, ok := pattern.Replace(c, s, "<$0|$1>")
				goPattern := p
				if !strings.Contains(flags, "s") {
					goPattern = strings.ReplaceAll(goPattern, ".", "[^\n\r]")
				}
				goFlags := flags
				if goFlags != "" {
					goPattern = "(?" + goFlags + ")" + goPattern
				}
				template := "<${0}|${1}>"
				re := regexp.MustCompile(goPattern)
				if re.NumSubexp() == 0 {
					template = "<${0}|>"
				}
				if want := re.ReplaceAllString(s, template); !ok || got != want {
					t.Errorf("%q with %q over %d bytes: differs from regexp (%v)", p, flags, len(s), ok)
				}
			}
		}
	}
}

// TestPatternMemory compiles many large expressions: those that are kept are counted.
func TestPatternMemory(t *testing.T) {
	c, m := value.NewContext(t.Context()), new(memory)
	c.Memory = m
	f, _ := value.Lookup("REGEX")
	for i := range 200 {
		if _, ok := f.Call(c, []value.Value{value.OfString("b"), value.OfString(fmt.Sprintf("a{900}b{900}%d", i))}); !ok {
			t.Fatal(i)
		}
		if err := c.BatchDone(); err != nil {
			t.Fatal(err)
		}
	}
	if m.most < 4<<20 || m.most > 16<<20 {
		t.Errorf("%d bytes were drawn at most", m.most)
	}
}
