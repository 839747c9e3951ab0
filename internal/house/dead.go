package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// deadPackage is what deadcode says of a package.
type deadPackage struct {
	Funcs []struct {
		Name     string
		Position struct {
			File string
			Line int
		}
	}
}

// dead reports functions that neither a program nor a test reaches. Methods without a body
// only mark types as those of an interface.
func dead(root string) ([]string, error) {
	cmd := exec.Command("go", "tool", "deadcode", "-test", "-json", "./...")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	raw, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	return unreached(root, raw)
}

// unreached returns the findings in what deadcode prints.
func unreached(root string, raw []byte) ([]string, error) {
	var pkgs []deadPackage
	if err := json.Unmarshal(raw, &pkgs); err != nil {
		return nil, err
	}
	var out []string
	for _, p := range pkgs {
		for _, f := range p.Funcs {
			file := f.Position.File
			if !filepath.IsAbs(file) {
				file = filepath.Join(root, file)
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			lines := strings.Split(string(src), "\n")
			if n := f.Position.Line; n <= len(lines) && strings.HasSuffix(lines[n-1], "{}") {
				continue
			}
			out = append(out, fmt.Sprintf("%s:%d: nothing reaches %s", f.Position.File, f.Position.Line, f.Name))
		}
	}
	slices.Sort(out)
	return out, nil
}
