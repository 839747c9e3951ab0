// Package console has the page that people get at the root of a server, with its script and styles.
// They are built from web by the script build, and need no other host (docs/console.md).
package console

import (
	"crypto/rand"
	"crypto/sha256"
	_ "embed" // the files of the page
	"html/template"
	"io"
	"sync"
)

//go:embed dist/console.js
var script []byte

//go:embed dist/console.css
var styles []byte

//go:embed dist/licences.txt
var licences []byte

//go:embed web/page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// Nonce returns a nonce of a page, which lets it add styles of its own.
func Nonce() string { return rand.Text() }

// Policy is the Content-Security-Policy of a page. Nothing comes from another host, no script
// stands in the page, and no text of the data can become one.
func Policy(nonce string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data:; connect-src 'self'; " +
		"form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// WritePage writes the page for a server whose paths begin with root, which has no slash at its end.
func WritePage(w io.Writer, root, nonce string) error {
	return page.Execute(w, struct{ Root, Nonce string }{root, nonce})
}

// Asset is a file of the page. All who ask for it share its bytes.
type Asset struct {
	Content []byte
	Media   string // its media type
	Sum     string // of the content
}

var assets = sync.OnceValue(func() map[string]Asset {
	all := map[string]Asset{
		"console.js":   {Content: script, Media: "text/javascript; charset=utf-8"},
		"console.css":  {Content: styles, Media: "text/css; charset=utf-8"},
		"licences.txt": {Content: licences, Media: "text/plain; charset=utf-8"},
	}
	for name, a := range all {
		sum := sha256.Sum256(a.Content)
		a.Sum = string(sum[:])
		all[name] = a
	}
	return all
})

// File returns a file of the page by its name.
func File(name string) (Asset, bool) {
	a, ok := assets()[name]
	return a, ok
}
