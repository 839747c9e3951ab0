package outside

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/ast/astutil"
)

// aliased begins the part of a comment that TestAliases makes.
const aliased = "As it is declared:"

// TestAliases: go doc shows of a name that stands for a type of another package no field and
// no method, so its comment ends with them. The test compares them, and with -update writes them.
func TestAliases(t *testing.T) {
	a := &aliases{t: t}
	list := public(t)
	for _, p := range list {
		for _, name := range p.GoFiles {
			a.collect(p, filepath.Join(p.Dir, name))
		}
	}
	if len(a.list) < 20 && !*update {
		t.Errorf("%d aliases", len(a.list))
	}
	for _, file := range slices.Sorted(maps.Keys(a.files)) {
		old, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := a.rewritten(file, old)
		if *update {
			if err := os.WriteFile(file, text, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if declared(old) == declared(text) {
			continue
		}
		t.Errorf("%s: a comment does not end with what its type has: go test ./internal/outside -run TestAliases -update", file)
	}
}

// declared is a text without the comments inside its generated parts, and without spaces: their
// words may lag until the next -update, names and types may not.
func declared(text []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if code, ok := strings.CutPrefix(strings.TrimSpace(line), "//\t"); ok {
			code, _, _ = strings.Cut(code, "//")
			line = code
		}
		b.WriteString(strings.Join(strings.Fields(line), ""))
	}
	return b.String()
}

// alias is a public name of a type of another package of the module, mostly an internal one.
type alias struct {
	pkg        pkg
	name       string
	path, of   string // that package and its name of the type
	embeds     bool   // it embeds the type, whose methods are its own then
	begin, end int    // of the comment in the file
}

type aliases struct {
	t     *testing.T
	list  []*alias
	files map[string][]*alias
}

// collect finds the aliases of a file.
func (a *aliases) collect(p pkg, file string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
	if err != nil {
		a.t.Fatal(err)
	}
	imports := map[string]string{}
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = path
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.TypeSpec)
			var sel *ast.SelectorExpr
			embeds := false
			switch b := spec.Type.(type) {
			case *ast.SelectorExpr:
				sel = b
			case *ast.StructType:
				sel, embeds = embedded(b), true
			}
			if sel == nil || !embeds && !spec.Assign.IsValid() || !spec.Name.IsExported() {
				continue
			}
			path := imports[fmt.Sprint(sel.X)]
			comment := spec.Doc
			if !g.Lparen.IsValid() {
				comment = g.Doc
			}
			if !strings.HasPrefix(path, module+"/") || comment == nil || embeds && !strings.Contains(path, "/internal/") {
				continue
			}
			if a.files == nil {
				a.files = map[string][]*alias{}
			}
			one := &alias{pkg: p, name: spec.Name.Name, path: path, of: sel.Sel.Name, embeds: embeds,
				begin: fset.Position(comment.Pos()).Offset, end: fset.Position(comment.End()).Offset}
			a.list, a.files[file] = append(a.list, one), append(a.files[file], one)
		}
	}
}

// embedded is the type of another package whose pointer a struct embeds; nil if there is none.
func embedded(b *ast.StructType) *ast.SelectorExpr {
	for _, f := range b.Fields.List {
		if star, ok := f.Type.(*ast.StarExpr); ok && len(f.Names) == 0 {
			if sel, ok := star.X.(*ast.SelectorExpr); ok {
				return sel
			}
		}
	}
	return nil
}

// rewritten is the text of a file with comments that end with what their types have.
func (a *aliases) rewritten(file string, text []byte) []byte {
	list := a.files[file]
	for i := len(list) - 1; i >= 0; i-- { // from the end, so that offsets stay
		one := list[i]
		var b strings.Builder
		for line := range strings.Lines(string(text[one.begin:one.end])) {
			line = strings.TrimSpace(line)
			if line == "// "+aliased {
				break
			}
			b.WriteString(line + "\n")
		}
		comment := strings.TrimRight(b.String(), "/\n")
		if detail := a.detail(one); detail != "" {
			comment += "\n//\n// " + aliased + "\n//\n"
			for line := range strings.Lines(detail) {
				if line = strings.TrimRight(line, " \n"); line == "" {
					comment += "//\n"
				} else {
					comment += "//\t" + line + "\n"
				}
			}
		}
		comment = strings.TrimRight(comment, "/\n")
		text = slices.Concat(text[:one.begin], []byte(comment), text[one.end:])
	}
	out, err := format.Source(text)
	if err != nil {
		a.t.Fatal(file, err)
	}
	return out
}

// typeOf finds the declaration of an internal type.
func (a *aliases) typeOf(path, name string) (*token.FileSet, *doc.Type) {
	fset := token.NewFileSet()
	dir := filepath.Join(root, strings.TrimPrefix(path, module))
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		a.t.Fatal(err)
	}
	var files []*ast.File
	for _, n := range names {
		if strings.HasSuffix(n, "_test.go") || regexp.MustCompile(`_(windows|darwin|other|unix|linux)\.go$`).MatchString(n) {
			continue
		}
		f, err := parser.ParseFile(fset, n, nil, parser.ParseComments)
		if err != nil {
			a.t.Fatal(err)
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		a.t.Fatal(err)
	}
	for _, typ := range d.Types {
		if typ.Name == name {
			return fset, typ
		}
	}
	return fset, nil
}

// detail spells the exported fields and methods of a type, as go doc does.
func (a *aliases) detail(one *alias) string {
	fset, typ := a.typeOf(one.path, one.of)
	if typ == nil {
		return ""
	}
	var b bytes.Buffer
	spec := typ.Decl.Specs[0].(*ast.TypeSpec)
	a.public(one, spec)
	switch body := spec.Type.(type) {
	case *ast.StructType:
		if hide(body.Fields); one.embeds {
			break
		}
		if len(body.Fields.List) > 0 {
			a.print(&b, fset, "type "+one.name+" ", body)
		}
	case *ast.InterfaceType:
		a.print(&b, fset, "type "+one.name+" ", body)
	default:
		a.print(&b, fset, "type "+one.name+" ", body)
	}
	for _, m := range typ.Methods {
		m.Decl.Body, m.Decl.Doc = nil, nil
		a.public(one, m.Decl)
		b.WriteString("\n")
		for line := range strings.Lines(m.Doc) {
			b.WriteString(strings.TrimRight("// "+strings.TrimSpace(line), " ") + "\n")
		}
		a.print(&b, fset, "", m.Decl)
	}
	text := strings.ReplaceAll(b.String(), "    // contains filtered or unexported fields\n", "")
	return a.linked(one, strings.Trim(text, "\n")) + "\n"
}

func (a *aliases) print(b *bytes.Buffer, fset *token.FileSet, before string, node any) {
	b.WriteString(before)
	if err := (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(b, fset, node); err != nil {
		a.t.Fatal(err)
	}
	b.WriteString("\n")
}

// hide takes the unexported fields out.
func hide(fields *ast.FieldList) {
	var shown []*ast.Field
	for _, f := range fields.List {
		var names []*ast.Ident
		for _, n := range f.Names {
			if n.IsExported() {
				names = append(names, n)
			}
		}
		if len(f.Names) == 0 || len(names) > 0 {
			f.Names = names
			shown = append(shown, f)
		}
	}
	fields.List = shown
}

// public puts public names in the places of internal ones, where a declaration names a type.
func (a *aliases) public(one *alias, node ast.Node) {
	astutil.Apply(node, func(c *astutil.Cursor) bool {
		switch n := c.Node().(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				for _, other := range a.list {
					if other.short() == x.Name+"."+n.Sel.Name {
						c.Replace(ast.NewIdent(other.seen(one)))
						break
					}
				}
			}
			return false
		case *ast.Ident:
			if c.Name() == "Names" || c.Name() == "Name" {
				break
			}
			for _, other := range a.list {
				if other.path == one.path && other.of == n.Name && other.pkg.ImportPath == one.pkg.ImportPath {
					n.Name = other.name
					return true
				}
			}
			if n.IsExported() && !strings.Contains(one.path, "/internal/") { // it is public where it is
				n.Name = one.path[strings.LastIndex(one.path, "/")+1:] + "." + n.Name
			}
		}
		return true
	}, nil)
}

// short is the name of the internal type in other packages.
func (a *alias) short() string { return a.path[strings.LastIndex(a.path, "/")+1:] + "." + a.of }

// seen is the public name, in the package of another one.
func (a *alias) seen(from *alias) string {
	if a.pkg.ImportPath == from.pkg.ImportPath {
		return a.name
	}
	return a.pkg.Name + "." + a.name
}

// linked puts public names in the places of internal ones in the links of comments.
func (a *aliases) linked(one *alias, text string) string {
	for _, other := range a.list {
		text = strings.ReplaceAll(text, "["+other.short()+"]", "["+other.seen(one)+"]")
		if other.path == one.path && other.pkg.ImportPath == one.pkg.ImportPath && other.of != other.name {
			text = regexp.MustCompile(`(\[\*?)`+other.of+`\b`).ReplaceAllString(text, "${1}"+other.name)
		}
	}
	return text
}
