package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tablePage is the page whose table says which package may import which.
const tablePage = "docs/architecture.md"

// room is a line of the table: a package with all below it that have no line of their own.
type room struct {
	floor   int
	imports []string // rooms that it may import, none above its floor
}

// kits are the packages for tests and tools. All others below internal that the table does not
// name are base packages, which every package may import, and which import only each other.
var kits = []string{
	"bench", "blob/blobtest", "dataset/datasettest", "engine/enginetest", "internal/manifesttest",
	"engine/internal/view/viewtest", "internal/alloctest", "internal/canceltest", "internal/conformance", "internal/house",
	"internal/interop", "internal/longtest", "internal/made06", "internal/model", "internal/mortal", "internal/quadtest", "internal/rdfgen", "internal/resultset", "internal/reteshared", "internal/retetest", "internal/segtest",
	"internal/soak", "internal/sparqlsuite", "internal/storetest", "internal/updatemodel", "rdf/isomorphic",
	"sparql/internal/algebratext", "sparql/internal/fuzzquery", "sparql/internal/growtext", "sparql/internal/naive",
}

// isKit reports whether a package is a kit, or below one.
func isKit(pkg string) bool {
	return slices.ContainsFunc(kits, func(k string) bool { return pkg == k || strings.HasPrefix(pkg, k+"/") })
}

// goPackage is what go list says of a package.
type goPackage struct {
	ImportPath, Dir string
	Name            string
	GoFiles         []string
	Imports         []string
	Module          struct{ Path string }
}

// list returns the packages of the module at root, their paths relative to the module's,
// which itself is called by the name of its package.
func list(root string) ([]goPackage, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Name,GoFiles,Imports,Module", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var pkgs []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
	for i := range pkgs {
		p := &pkgs[i]
		var own []string
		for _, s := range p.Imports {
			if s == p.Module.Path || strings.HasPrefix(s, p.Module.Path+"/") {
				own = append(own, relative(p.Module.Path, s))
			}
		}
		p.ImportPath, p.Imports = relative(p.Module.Path, p.ImportPath), own
	}
	return pkgs, nil
}

func relative(module, path string) string {
	if path == module {
		return filepath.Base(module)
	}
	return strings.TrimPrefix(path, module+"/")
}

// imports compares the imports of all packages with the table.
func imports(root string) ([]string, error) {
	page, err := os.ReadFile(filepath.Join(root, tablePage))
	if err != nil {
		return nil, err
	}
	rooms, out := readTable(string(page))
	pkgs, err := list(root)
	if err != nil {
		return nil, err
	}
	return append(out, climbs(rooms, pkgs)...), nil
}

var quoted = regexp.MustCompile("`([^`]+)`")

// readTable reads the lines "| floor | packages | duty | imports |" of a page.
func readTable(page string) (rooms map[string]room, wrong []string) {
	rooms = make(map[string]room)
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			continue
		}
		floor, err := strconv.Atoi(strings.TrimSpace(cells[0]))
		if err != nil {
			continue
		}
		r := room{floor: floor}
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			r.imports = append(r.imports, m[1])
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			rooms[m[1]] = r
		}
	}
	if len(rooms) == 0 {
		return nil, []string{tablePage + ": no table of packages with floors"}
	}
	for name, r := range rooms {
		for _, to := range r.imports {
			if t, ok := rooms[to]; !ok || t.floor >= r.floor {
				wrong = append(wrong, fmt.Sprintf("%s: %s on floor %d may not import %s: it is not below", tablePage, name, r.floor, to))
			}
		}
	}
	slices.Sort(wrong)
	return rooms, wrong
}

// roomOf returns the room that a package is in: that with the longest name it begins with.
func roomOf(rooms map[string]room, pkg string) string {
	for p := pkg; ; {
		if _, ok := rooms[p]; ok {
			return p
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return ""
		}
		p = p[:i]
	}
}

// climbs returns the imports that the table does not allow.
func climbs(rooms map[string]room, pkgs []goPackage) (out []string) {
	for _, p := range pkgs {
		if isKit(p.ImportPath) {
			continue
		}
		from := roomOf(rooms, p.ImportPath)
		if from == "" && !strings.HasPrefix(p.ImportPath, "internal/") {
			out = append(out, fmt.Sprintf("%s: %s is in no room of the table", tablePage, p.ImportPath))
			continue
		}
		for _, to := range p.Imports {
			at := roomOf(rooms, to)
			switch {
			case isKit(to):
				out = append(out, fmt.Sprintf("%s imports %s, which is for tests and tools", p.ImportPath, to))
			case at == "" && strings.HasPrefix(to, "internal/"), at == from:
			case at == "" || !slices.Contains(rooms[from].imports, at):
				out = append(out, fmt.Sprintf("%s imports %s, which the table of %s does not allow", p.ImportPath, to, tablePage))
			}
		}
	}
	slices.Sort(out)
	return out
}
