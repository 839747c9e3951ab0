package main

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// unused reports exported names that are used in their own package alone. An external test of
// the package, or an example, is a use of what programs may import. Below internal it is one
// only if the package uses the name too: else it would be there for its test.
func unused(root string) ([]string, error) {
	fset := token.NewFileSet()
	pkgs, err := packages.Load(&packages.Config{
		Dir: root, Fset: fset, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedForTest | packages.NeedModule | packages.NeedExportFile,
	}, "./...")
	if err != nil {
		return nil, err
	}
	u := usage{fset: fset, root: root, names: make(map[string]*name), methods: make(map[string]bool)}
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		u.interfaces(p)
	}
	for _, p := range pkgs {
		u.defined(p)
	}
	for _, p := range pkgs {
		u.used(p)
	}
	for u.mentioned() {
	}
	return u.findings(), nil
}

// name is an exported name of the module.
type name struct {
	text, pkg string
	of        string // the type of a constant; empty if it has none of the module
	object    types.Object
	used      bool
	own, test bool // used by the package, by its external test
	seen      bool // what its type mentions is marked
}

// usage gathers names by the place of their definition, since each variant of a package (for
// its tests, for those of others) has objects of its own.
type usage struct {
	fset    *token.FileSet
	root    string
	names   map[string]*name
	methods map[string]bool // of interfaces: a method of that name may be called through one
}

// path returns the import path of a package, the same for a package and its variants; the
// external tests of a package are a package of their own.
func path(p *types.Package) string {
	base, _, _ := strings.Cut(p.Path(), " ")
	return base
}

// place returns where an object is defined, which with its name is the key of it.
func (u *usage) place(o types.Object) string {
	p := u.fset.Position(o.Pos())
	return fmt.Sprintf("%s:%d %s", p.Filename, p.Line, o.Name())
}

// interfaces collects the methods of the interfaces of a package and of all that it imports.
func (u *usage) interfaces(p *packages.Package) {
	for _, t := range p.TypesInfo.Types {
		u.interfaceOf(t.Type)
	}
	for _, imported := range p.Types.Imports() {
		scope := imported.Scope()
		for _, n := range scope.Names() {
			if t, ok := scope.Lookup(n).(*types.TypeName); ok {
				u.interfaceOf(t.Type())
			}
		}
	}
	// Those of package errors and of encodings, which are called by their names.
	for _, m := range []string{"Unwrap", "Is", "As", "MarshalText", "UnmarshalText", "MarshalJSON", "UnmarshalJSON"} {
		u.methods[m] = true
	}
}

func (u *usage) interfaceOf(t types.Type) {
	if i, ok := t.Underlying().(*types.Interface); ok {
		for m := range i.Methods() {
			u.methods[m.Name()] = true
		}
	}
}

// defined collects the exported names of a package: those of its scope, and the methods of
// its exported types that no interface has.
func (u *usage) defined(p *packages.Package) {
	if p.Name == "main" || strings.HasSuffix(p.Name, "_test") {
		return
	}
	scope := p.Types.Scope()
	for _, text := range scope.Names() {
		o := scope.Lookup(text)
		if !o.Exported() || strings.HasSuffix(u.fset.Position(o.Pos()).Filename, "_test.go") {
			continue
		}
		n := u.define(text, o)
		switch o := o.(type) {
		case *types.Const:
			if t, ok := o.Type().(*types.Named); ok {
				n.of = u.place(t.Obj())
			}
		case *types.TypeName:
			if o.IsAlias() {
				continue
			}
			for m := range o.Type().(*types.Named).Methods() {
				if m.Exported() && !u.methods[m.Name()] {
					u.define(text+"."+m.Name(), m)
				}
			}
		}
	}
}

func (u *usage) define(text string, o types.Object) *name {
	n := &name{text: text, pkg: path(o.Pkg()), object: o}
	if before := u.names[u.place(o)]; before != nil {
		return before // by another variant of the package
	}
	u.names[u.place(o)] = n
	return n
}

// used marks the names of other packages that a package uses.
func (u *usage) used(p *packages.Package) {
	self := path(p.Types)
	for id, o := range p.TypesInfo.Uses {
		if f, ok := o.(*types.Func); ok {
			o = f.Origin()
		}
		if o.Pkg() == nil {
			continue
		}
		n := u.names[u.place(o)]
		switch {
		case n == nil:
		case n.pkg == self:
			n.own = n.own || !strings.HasSuffix(u.fset.Position(id.Pos()).Filename, "_test.go")
		case self == n.pkg+"_test" && strings.Contains(n.pkg+"/", "/internal/"):
			n.test = true
		default:
			n.used = true
		}
	}
}

// mentioned marks the types that the types of used names mention, which programs may want to
// name, and reports whether there were more.
func (u *usage) mentioned() (more bool) {
	for _, n := range u.names {
		// An interface that a package asks values for is how others learn of it.
		_, asked := n.object.Type().Underlying().(*types.Interface)
		n.used = n.used || n.own && (n.test || asked)
		if !n.used || n.seen {
			continue
		}
		n.seen, more = true, true
		u.mention(n.object.Type(), true)
	}
	for _, n := range u.names { // an alias is as good as what it stands for
		if t, ok := n.object.(*types.TypeName); ok && t.IsAlias() && !n.used {
			if named, ok := types.Unalias(t.Type()).(*types.Named); ok && u.names[u.place(named.Obj())] != nil {
				n.used = u.names[u.place(named.Obj())].used
			}
		}
	}
	return more
}

func (u *usage) mention(t types.Type, top bool) {
	switch t := t.(type) {
	case *types.Alias:
		u.mark(t.Obj())
		u.mention(types.Unalias(t), false)
	case *types.Named:
		u.mark(t.Obj())
		if top {
			u.mention(t.Underlying(), false)
			for m := range t.Methods() {
				if m.Exported() {
					u.mention(m.Signature(), false)
				}
			}
		}
		for i := range t.TypeArgs().Len() {
			u.mention(t.TypeArgs().At(i), false)
		}
	case *types.Pointer:
		u.mention(t.Elem(), false)
	case *types.Slice:
		u.mention(t.Elem(), false)
	case *types.Array:
		u.mention(t.Elem(), false)
	case *types.Chan:
		u.mention(t.Elem(), false)
	case *types.Map:
		u.mention(t.Key(), false)
		u.mention(t.Elem(), false)
	case *types.Signature:
		u.mention(t.Params(), false)
		u.mention(t.Results(), false)
	case *types.Tuple:
		for i := range t.Len() {
			u.mention(t.At(i).Type(), false)
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				u.mention(f.Type(), false)
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			u.mention(m.Type(), false)
		}
	}
}

func (u *usage) mark(o types.Object) {
	if n := u.names[u.place(o)]; n != nil {
		n.used = true
	}
}

func (u *usage) findings() []string {
	enums := make(map[string]bool) // types whose constants are used
	for at, n := range u.names {
		if n.used {
			enums[at] = true
		}
	}
	var out []string
	for at, n := range u.names {
		if n.used || n.of != "" && enums[n.of] {
			continue
		}
		place, _, _ := strings.Cut(at, " ")
		if rel, err := filepath.Rel(u.root, place); err == nil {
			place = rel
		}
		out = append(out, fmt.Sprintf("%s: %s is exported, but no other package uses it", place, n.text))
	}
	slices.Sort(out)
	return out
}
