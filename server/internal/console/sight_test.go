package console_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestNarrow: all of it can be done at 400 pixels, where nothing but tables and drawings is wider
// than the page.
func TestNarrow(t *testing.T) {
	p := open(t, serve(t, nil, people, `INSERT DATA { <http://example.org/ann> <http://example.org/p> 2 }`), "/")
	p.width(400)
	p.dark()
	fits := func(name string) {
		t.Helper()
		p.until("document.documentElement.scrollWidth <= 400 && document.body.scrollWidth <= 400")
		p.shot("narrow-" + name)
	}
	p.write("SELECT * { ?who foaf:na")
	p.click(".cm-tooltip-autocomplete li", "foaf:name")
	p.press(" ?name }")
	p.click("#run", "")
	p.has("#count", "4 rows")
	fits("query")
	p.click("#download", "")
	p.has("#status", "downloaded")
	for _, tab := range []string{"Graph", "Raw", "Table"} {
		p.click("[role=tab]", tab)
		fits("answer")
	}
	p.click("#analyze", "")
	p.has(".tree", "expected")
	fits("plan")
	p.click("nav a", "Data")
	p.has("#totals", "17 quads")
	fits("data")
	p.click(".entries a", "ex:Company")
	p.has("#resource", "ex:Company")
	fits("resource")
	p.click("nav a", "History")
	p.has("[data-generation='3'] .counts", "+1 −0")
	p.click("[data-generation='2'] input[name=from]", "")
	p.click("[data-generation='3'] input[name=to]", "")
	p.click("#compare", "")
	p.has("#differences .table", "ex:p")
	fits("history")
	p.click("[data-generation='2'] button", "Revert")
	p.has("dialog", "−1")
	fits("dialog")
	p.click("#revert", "")
	p.has("#status", "Generation 4")
	for _, view := range []string{"Load", "Running"} {
		p.click("nav a", view)
		fits("other")
	}
}

// contrast is the ratio of the contrast of pairs of colors of the stylesheet (WCAG 2.2, 1.4.3), the
// least of all.
const contrast = `((pairs) => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const luminance = (name) => {
    if (!getComputedStyle(document.documentElement).getPropertyValue('--' + name)) throw new Error('no color ' + name)
    const probe = document.createElement('span')
    probe.style.color = 'var(--' + name + ')'
    document.body.append(probe)
    context.fillStyle = getComputedStyle(probe).color
    probe.remove()
    context.fillRect(0, 0, 1, 1)
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  return pairs.map(([a, b]) => {
    const [x, y] = [luminance(a), luminance(b)]
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05)
  })
})`

// TestContrast: texts have a contrast of 4.5 to what is under them, borders and focus of 3, in light
// and in dark, which the switch changes.
func TestContrast(t *testing.T) {
	p := open(t, serve(t, nil, people), "/")
	texts := `[['text','page'],['text','raised'],['text','field'],['faint','page'],['faint','raised'],['faint','field'],['link','page'],['on-main','main'],['error','page'],['error','raised'],['added','page'],['keyword','field'],['string','field'],['variable','field'],['text','selection']]`
	borders := `[['edge','page'],['edge','raised'],['focus','page'],['focus','field'],['main','page']]`
	check := func(theme string) {
		t.Helper()
		for list, least := range map[string]float64{texts: 4.5, borders: 3} {
			var ratios []float64
			p.eval(contrast+"("+list+")", &ratios)
			for i, r := range ratios {
				if r < least {
					t.Errorf("%s: pair %d of %s has %.2f", theme, i, list, r)
				}
			}
		}
	}
	p.has("#theme", "Dark")
	check("light")
	p.click("#theme", "Dark")
	p.has("#theme", "Light")
	check("dark")
	p.do(chromedp.Reload())
	p.has("#theme", "Light") // it is kept
}

// TestKeys: a query is asked and its answer walked through by keys alone, and what has the focus is seen.
func TestKeys(t *testing.T) {
	p := open(t, serve(t, nil, people), "/")
	tabTo := func(test string) {
		t.Helper()
		for range 40 {
			var there bool
			if p.eval("((e) => "+test+")(document.activeElement)", &there); there {
				var outline string
				if p.eval("getComputedStyle(document.activeElement).outlineStyle", &outline); outline == "none" {
					t.Errorf("%s: the focus is not seen", test)
				}
				return
			}
			p.press(kb.Tab)
		}
		t.Fatalf("no way by Tab to what is %s", test)
	}
	p.until("document.querySelector('#run')")
	tabTo("e.className === 'skip'")
	tabTo("e.textContent === 'Data'")
	p.press("\r")
	p.has("#totals", "16 quads")
	p.do(chromedp.NavigateBack())
	p.has("nav [aria-current]", "Query")
	tabTo("e.id === 'run'")
	p.press("\r")
	p.has("#count", "15 rows")
	tabTo("e.getAttribute('role') === 'tab' && e.textContent === 'Table'")
	p.press(kb.ArrowRight)
	tabTo("e.textContent === 'Graph'")
	p.press("\r")
	p.until("document.querySelector('.graph')?.dataset.ready")
}
