package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"net/http/httptest"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/server"
)

// envBrowser runs the tests in a browser; they need Chromium.
const envBrowser = "RETE_BROWSER"

// patience bounds each wait for something to appear.
const patience = 30 * time.Second

var (
	chromiumOnce sync.Once
	chromium     context.Context
	endChromium  = func() {}
)

func TestMain(m *testing.M) {
	code := m.Run()
	endChromium()
	os.Exit(code)
}

// browserContext returns the context of the browser that all tests share.
func browserContext(t *testing.T) context.Context {
	t.Helper()
	if os.Getenv(envBrowser) == "" {
		t.Skipf("%s=1 runs the tests in a browser", envBrowser)
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			program = p
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium is installed")
	}
	chromiumOnce.Do(func() {
		opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1200, 850))
		alloc, end := chromedp.NewExecAllocator(context.Background(), opts...)
		ctx, cancel := chromedp.NewContext(alloc)
		chromium, endChromium = ctx, func() { cancel(); end() }
		if err := chromedp.Do(ctx); err != nil {
			t.Fatal(err)
		}
	})
	return chromium
}

// site is a database that is served, with the program's own way to it.
type site struct {
	db  *rete.DB
	url string
}

// serve serves a new database after updates, each of which becomes a generation.
func serve(t *testing.T, opt *server.Options, updates ...string) *site {
	t.Helper()
	db, err := rete.Create(t.Context(), filepath.Join(t.TempDir(), "g.rete-manifest.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, u := range updates {
		if _, err := db.Update(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		if err := db.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	h, err := server.New(server.Database(db), opt)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return &site{db, srv.URL}
}

// count is the number of quads now.
func (s *site) count(t *testing.T) uint64 {
	t.Helper()
	snap, err := s.db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	n, err := snap.Len(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// page is a tab of the browser with a profile of its own.
type page struct {
	t         *testing.T
	ctx       context.Context
	downloads string

	mu    sync.Mutex // guards what follows
	wrong []string   // exceptions, refusals of the policy, requests to other hosts
}

// open opens an address below a site.
func open(t *testing.T, s *site, path string) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browserContext(t), chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx, downloads: t.TempDir()}
	if err := chromedp.Listen(ctx, func(ev any) { p.watch(ev, s.url) }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.mustBeClean)
	c := chromedp.FromContext(ctx)
	p.do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		if _, err := cdp.Call(ctx, tab, log.Enable, cdp.Empty{}); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, tab, network.Enable, network.EnableParams{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, c.Browser, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
			Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: c.BrowserContextID, DownloadPath: p.downloads})
		return err
	}))
	p.do(chromedp.Navigate(s.url + path))
	return p
}

// watch notes what must not happen on any page.
func (p *page) watch(ev any, home string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		p.wrong = append(p.wrong, fmt.Sprint("exception: ", e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		if e.Entry.Source != log.EntrySourceNetwork { // an answer may be an error
			p.wrong = append(p.wrong, fmt.Sprint("log: ", e.Entry.Text))
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, home) && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:"+home) {
			p.wrong = append(p.wrong, "asks "+u)
		}
	}
}

func (p *page) mustBeClean() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.wrong {
		p.t.Error(w)
	}
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// eval evaluates an expression in the page into a value.
func (p *page) eval(expression string, value any) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string]("(async () => JSON.stringify(await ("+expression+")) ?? 'null')()", chromedp.EvalAwaitPromise))
	if err == nil {
		err = json.Unmarshal([]byte(text), value)
	}
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
}

// until waits until an expression is true.
func (p *page) until(expression string) {
	p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(patience)
	for {
		var ok bool
		if p.eval("!!("+expression+")", &ok); ok {
			return
		}
		if time.Now().After(end) {
			var text string
			p.eval("document.body.innerText", &text)
			p.shot("failed")
			p.t.Fatalf("never true: %s\n%.2000s", expression, text)
		}
		<-tick.C
	}
}

// locator is a JavaScript function that finds the first element of a selector that is in sight,
// has a text and is not covered, scrolled to where it can be clicked.
const locator = `((selector, text) => {
  for (const e of document.querySelectorAll(selector)) {
    if (!e.textContent.includes(text) && !(e.ariaLabel ?? '').includes(text) || e.disabled) continue
    e.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
    const r = e.getClientRects()[0]
    if (!r || !r.width) continue
    const [x, y] = [r.left + r.width / 2, r.top + r.height / 2]
    const there = document.elementFromPoint(x, y)
    if (there && (e.contains(there) || there.contains(e) && e.closest('canvas, label'))) return [x, y]
  }
  return null
})`

// click clicks the first element of a selector with a text, once it can be clicked and rests.
func (p *page) click(selector, text string) {
	p.t.Helper()
	call := fmt.Sprintf("%s(%s, %s)", locator, quoted(selector), quoted(text))
	p.clickAt(call)
}

// clickAt clicks at a point, which an expression has, as soon as it stands still.
func (p *page) clickAt(point string) {
	p.t.Helper()
	p.until(point)
	var at, before []float64
	for at == nil || !slices.Equal(at, before) {
		before = at
		p.until(point)
		p.eval("new Promise((done) => requestAnimationFrame(() => done("+point+")))", &at)
	}
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// press sends keys to what has the focus.
func (p *page) press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// write writes a text into the editor in place of what it has, key by key.
func (p *page) write(text string) {
	p.t.Helper()
	p.click(".cm-content", "")
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(kb.Delete))
	p.press(text)
}

// paste puts a text into the editor in place of what it has, as one input.
func (p *page) paste(text string) {
	p.t.Helper()
	p.click(".cm-content", "")
	p.do(chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(kb.Delete))
	p.do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// ask runs a text in the editor and waits for what is said of its answer.
func (p *page) ask(text, count string) {
	p.t.Helper()
	p.paste(text)
	p.click("#run", "")
	p.has("#count", count)
}

// has waits until an element of a selector contains a text.
func (p *page) has(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("[...document.querySelectorAll(%s)].some((e) => e.textContent.includes(%s))", quoted(selector), quoted(text)))
}

// choose chooses the option of a list that has a value.
func (p *page) choose(selector, value string) {
	p.t.Helper()
	var ok bool
	p.eval(fmt.Sprintf("((e) => { e.value = %s; e.dispatchEvent(new Event('change', { bubbles: true })); return true })(document.querySelector(%s))", quoted(value), quoted(selector)), &ok)
}

// downloaded waits for a file and returns what is in it.
func (p *page) downloaded(name string) string {
	p.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		b, err := os.ReadFile(filepath.Join(p.downloads, name)) // it appears under this name when it is whole
		if err == nil {
			return string(b)
		}
		if time.Now().After(end) {
			p.t.Fatal(err)
		}
	}
}

// width sets the width of the page.
func (p *page) width(pixels int64) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(pixels, 850))
}

// dark chooses what the system prefers.
func (p *page) dark() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		return err
	}))
}

// shot writes a picture of the page into the folder that RETE_SHOTS names, if it does.
func (p *page) shot(name string) {
	p.t.Helper()
	dir := os.Getenv("RETE_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666)
	}
	if err != nil {
		p.t.Error(err)
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings can be encoded
	}
	return string(b)
}
