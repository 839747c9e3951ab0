package hold

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rete-go/rete/sparql/results"
)

func TestHoldByBytes(t *testing.T) {
	var b bytes.Buffer
	status := ""
	h := New(&b, 10, time.Hour, func() { status += "200" })
	_, _ = h.Write([]byte("12345"))
	_, _ = h.Write([]byte("67890"))
	if b.Len() != 0 || status != "" {
		t.Fatalf("%q has gone through, status %q", b.String(), status)
	}
	_, _ = h.Write([]byte("x"))
	_, _ = h.Write([]byte("y"))
	if b.String() != "1234567890xy" || status != "200" || h.Discard() {
		t.Errorf("%q has gone through, status %q", b.String(), status)
	}
}

func TestHoldByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		h := New(&b, 1<<20, Time, nil)
		_, _ = h.Write([]byte("a"))
		time.Sleep(Time - time.Millisecond)
		_, _ = h.Write([]byte("b"))
		if b.Len() != 0 {
			t.Fatalf("%q has gone through", b.String())
		}
		time.Sleep(time.Millisecond)
		_, _ = h.Write([]byte("c"))
		if b.String() != "abc" {
			t.Errorf("%q has gone through", b.String())
		}
	})
}

func TestHoldDiscard(t *testing.T) {
	var b bytes.Buffer
	h := New(&b, 100, time.Hour, nil)
	_, _ = h.Write([]byte("half an answer"))
	if !h.Discard() || b.Len() != 0 {
		t.Errorf("%q has gone through", b.String())
	}
	if err := h.Release(); err != nil || b.Len() != 0 {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestHTML(t *testing.T) {
	var b bytes.Buffer
	w := results.NewWriter(&b, results.HTML)
	_ = w.Head([]string{"x"})
	for _, surface := range []string{
		"<http://ex/?a&b>", "<javascript:alert(1)>", `"<script>\"'"@en`, `"42"^^<http://www.w3.org/2001/XMLSchema#integer>`,
		`"ab"@he--rtl`, "_:b", "",
	} {
		if err := w.Row([][]byte{[]byte(surface)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<td><a href="http://ex/?a&amp;b">http://ex/?a&amp;b</a></td>`, `<td>javascript:alert(1)</td>`,
		`<td>&lt;script&gt;&quot;&#39; <small>@en</small></td>`, `<td class="n">42</td>`, `<td dir="rtl">ab`, `<td>_:b</td>`,
		"<td></td>", "</html>",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in\n%s", want, b.String())
		}
	}
}
