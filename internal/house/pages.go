package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	// pageName is a page in a comment, with the number of a section if there is one.
	pageName = regexp.MustCompile(`([\w./-]*\b[\w-]+\.md)\b(?:,? (?:sections? )?(\d+(?:\.\d+)*))?`)
	// link is a link of a page: its target and anchor.
	link = regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]*))?\)`)
	// sourceName is a file of the repository in a page.
	sourceName = regexp.MustCompile("`([\\w.-]+(?:/[\\w.-]+)+\\.(?:go|md|txtar))`")
	heading    = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// pages compares what comments and pages name with the pages and files that there are.
func pages(root string) (out []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" && filepath.Ext(name) != ".md":
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		text := string(raw)
		if filepath.Ext(name) == ".go" {
			out = append(out, namesPages(root, rel, text)...)
		} else {
			out = append(out, links(root, rel, text)...)
		}
		return nil
	})
	slices.Sort(out)
	return out, err
}

// namesPages checks the pages that the comments of a source file name.
func namesPages(root, file, text string) (out []string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			for _, m := range pageName.FindAllStringSubmatch(c.Text, -1) {
				page := findPage(root, filepath.Dir(file), m[1])
				switch {
				case page == "":
					out = append(out, fmt.Sprintf("%s: there is no page %s", fset.Position(c.Pos()), m[1]))
				case m[2] != "" && !numbered(filepath.Join(root, page), m[2]):
					out = append(out, fmt.Sprintf("%s: %s has no section %s", fset.Position(c.Pos()), page, m[2]))
				}
			}
		}
	}
	return out
}

// findPage returns the path of a page that is named by its path, also from dir, or by its name
// in docs.
func findPage(root, dir, name string) string {
	for _, p := range []string{name, "docs/" + name, filepath.Join(dir, name)} {
		if _, err := os.Stat(filepath.Join(root, p)); err == nil {
			return p
		}
	}
	return ""
}

// numbered reports whether a page has a heading that begins with a number.
func numbered(page, number string) bool {
	raw, err := os.ReadFile(page)
	if err != nil {
		return false
	}
	for _, m := range heading.FindAllStringSubmatch(string(raw), -1) {
		if first, _, _ := strings.Cut(m[1], " "); strings.TrimSuffix(first, ".") == number {
			return true
		}
	}
	return false
}

// links checks the links of a page, and the files of the repository that it names.
func links(root, file, text string) (out []string) {
	dir := filepath.Join(root, filepath.Dir(file))
	for i, line := range strings.Split(text, "\n") {
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			target := filepath.Join(dir, m[1])
			if m[1] == "" {
				target = filepath.Join(root, file)
			}
			raw, err := os.ReadFile(target)
			if err != nil {
				if _, err := os.Stat(target); err != nil {
					out = append(out, fmt.Sprintf("%s:%d: a link to %s, which is not there", file, i+1, m[1]))
				}
				continue
			}
			if m[2] != "" && !slices.Contains(anchors(string(raw)), m[2]) {
				out = append(out, fmt.Sprintf("%s:%d: %s has no heading #%s", file, i+1, filepath.Base(target), m[2]))
			}
		}
		for _, m := range sourceName.FindAllStringSubmatch(line, -1) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil && known(root, m[1]) {
				out = append(out, fmt.Sprintf("%s:%d: there is no file %s", file, i+1, m[1]))
			}
		}
	}
	return out
}

// known reports whether a path begins with a folder of the repository.
func known(root, name string) bool {
	first, _, _ := strings.Cut(name, "/")
	_, err := os.Stat(filepath.Join(root, first))
	return err == nil
}

// anchors returns the anchors of the headings of a page.
func anchors(page string) (out []string) {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(m[1]) {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				b.WriteRune(r)
			case r == ' ':
				b.WriteByte('-')
			}
		}
		out = append(out, b.String())
	}
	return out
}
