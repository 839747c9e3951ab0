package main

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// maxNames bounds the exported names of all packages that programs may import: those of
// the top level, and methods, also of types of internal packages that a name stands for.
const maxNames = 999

// surface bounds the exported names, and reports types in what public packages export that a
// program outside the module cannot name.
func surface(root string) ([]string, error) {
	counts, out, err := exported(root)
	if err != nil {
		return nil, err
	}
	total, list := 0, ""
	for _, c := range counts {
		total += c.names
		list += fmt.Sprintf(" %s %d,", c.path, c.names)
	}
	if total > maxNames {
		out = append(out, fmt.Sprintf("%d exported names, at most %d are allowed:%s", total, maxNames, strings.TrimSuffix(list, ",")))
	}
	return out, nil
}

// packageNames is how many names a public package exports.
type packageNames struct {
	path  string
	names int
}

// exported goes through what public packages export.
func exported(root string) (counts []packageNames, wrong []string, err error) {
	pkgs, err := packages.Load(&packages.Config{
		Dir: root, Fset: token.NewFileSet(),
		Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule,
	}, "./...")
	if err != nil {
		return nil, nil, err
	}
	s := exports{module: modulePath(pkgs), named: make(map[*types.TypeName]bool), seen: make(map[*types.TypeName]bool)}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, nil, p.Errors[0]
		}
		if s.public(p) {
			s.names(p.Types)
		}
	}
	for _, p := range pkgs {
		if s.public(p) {
			counts = append(counts, packageNames{relative(s.module, p.PkgPath), s.visitPackage(p.Types)})
		}
	}
	slices.Sort(s.out)
	return counts, slices.Compact(s.out), nil
}

func modulePath(pkgs []*packages.Package) string {
	for _, p := range pkgs {
		if p.Module != nil {
			return p.Module.Path
		}
	}
	return ""
}

// exports is what the public packages of a module export.
type exports struct {
	module string
	named  map[*types.TypeName]bool // types that a program can name
	seen   map[*types.TypeName]bool // whose members were visited
	at     string                   // the name that is visited
	count  int
	out    []string
}

// public reports whether programs may import a package for what it is: kits are for tests.
func (s *exports) public(p *packages.Package) bool {
	path := relative(s.module, p.PkgPath)
	return p.Name != "main" && !internal(p.Types) && !isKit(path)
}

// names notes the types that the exported names of a package stand for.
func (s *exports) names(p *types.Package) {
	for _, name := range p.Scope().Names() {
		if obj, ok := p.Scope().Lookup(name).(*types.TypeName); ok && obj.Exported() {
			if n, ok := types.Unalias(obj.Type()).(*types.Named); ok {
				s.named[n.Origin().Obj()] = true
			}
		}
	}
}

// visitPackage visits the exported names of a package and returns how many there are.
func (s *exports) visitPackage(p *types.Package) int {
	s.count = 0
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		s.count++
		s.at = relative(s.module, p.Path()) + "." + name
		if tn, ok := obj.(*types.TypeName); ok {
			if n, ok := types.Unalias(tn.Type()).(*types.Named); ok {
				s.members(n.Origin())
				continue
			}
		}
		s.visit(obj.Type())
	}
	return s.count
}

// members visits the methods and fields of a type of the module, once.
func (s *exports) members(n *types.Named) {
	if s.seen[n.Obj()] || !s.ours(n.Obj()) {
		return
	}
	s.seen[n.Obj()] = true
	at := s.at
	for m := range n.Methods() {
		if m.Exported() {
			s.count++
			s.at = at + "." + m.Name()
			s.visit(m.Type())
		}
	}
	s.at = at
	s.visit(n.Underlying())
}

// embeds returns the type that an embedded field has, or points to.
func embeds(f *types.Var) (*types.Named, bool) {
	t := types.Unalias(f.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	return n, ok && f.Embedded()
}

// promoted visits the methods of an embedded type that has no name outside: its methods
// are those of the type that embeds it.
func (s *exports) promoted(n *types.Named) {
	at := s.at
	for m := range n.Methods() {
		if m.Exported() {
			s.at = at + "." + m.Name()
			s.visit(m.Type())
		}
	}
	s.at = at
}

func internal(p *types.Package) bool { return strings.Contains(p.Path()+"/", "/internal/") }

func (s *exports) ours(obj *types.TypeName) bool {
	return obj.Pkg() != nil && (obj.Pkg().Path() == s.module || strings.HasPrefix(obj.Pkg().Path(), s.module+"/"))
}

// visit goes through the parts of a type, and reports those that have no name outside.
func (s *exports) visit(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		if o := t.Obj(); !o.Exported() || internal(o.Pkg()) {
			s.visit(t.Rhs())
		}
	case *types.Named:
		if o := t.Origin().Obj(); s.ours(o) && internal(o.Pkg()) && !s.named[o] {
			s.out = append(s.out, fmt.Sprintf("%s: nobody outside can name %s.%s", s.at, relative(s.module, o.Pkg().Path()), o.Name()))
		}
		for a := range t.TypeArgs().Types() {
			s.visit(a)
		}
	case *types.Pointer:
		s.visit(t.Elem())
	case *types.Slice:
		s.visit(t.Elem())
	case *types.Array:
		s.visit(t.Elem())
	case *types.Chan:
		s.visit(t.Elem())
	case *types.Map:
		s.visit(t.Key())
		s.visit(t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			s.visit(v.Type())
		}
		for v := range t.Results().Variables() {
			s.visit(v.Type())
		}
	case *types.Struct:
		at := s.at
		for f := range t.Fields() {
			s.at = at + "." + f.Name()
			switch n, embedded := embeds(f); {
			case embedded && s.ours(n.Obj()) && internal(n.Obj().Pkg()):
				s.promoted(n)
			case f.Exported():
				s.visit(f.Type())
			}
		}
		s.at = at
	case *types.Interface:
		at := s.at
		for m := range t.Methods() {
			if m.Exported() {
				s.at = at + "." + m.Name()
				s.visit(m.Type())
			}
		}
		s.at = at
	}
}
