// Package console has the page that people get at the root of a server, with its script and styles.
// They are built from web by the script build, and need no other host (docs/console.md).
package console

import (
	"crypto/rand"
	"embed"
	"html/template"
	"io"
	"io/fs"
	"path"
)

//go:embed dist/console.js dist/console.css dist/licences.txt
var dist embed.FS

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

// contentTypes are those of the files of the page.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".txt": "text/plain; charset=utf-8",
}

// File returns a file of the page by its name, and its media type.
func File(name string) (content []byte, media string, ok bool) {
	if !fs.ValidPath(name) {
		return nil, "", false
	}
	content, err := dist.ReadFile("dist/" + name)
	return content, contentTypes[path.Ext(name)], err == nil
}
