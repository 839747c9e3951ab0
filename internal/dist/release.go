package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// release is what the packages of all targets have.
type release struct {
	version     string
	time        time.Time // of all files
	completions []completion
	pages       []file // manual pages
	texts       []file // README and the like
}

// completion is the script that completes in a shell.
type completion struct {
	shell string
	text  []byte
}

// file is a file of a package; its name has / between folders.
type file struct {
	name string
	mode int64
	text []byte
}

// packages writes the packages of a target into a folder and returns their names.
func (r *release) packages(dir, system, processor string, program []byte) (names []string, err error) {
	write := func(name string, pack func() ([]byte, error)) {
		if err != nil {
			return
		}
		var text []byte
		if text, err = pack(); err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
		}
		names = append(names, name)
	}
	base := fmt.Sprintf("rete_%s_%s_%s", r.version, system, processor)
	files := r.archived(base, system, program)
	if system == "windows" {
		write(base+".zip", func() ([]byte, error) { return zipped(files, r.time) })
		return names, err
	}
	write(base+".tar.gz", func() ([]byte, error) { return tarred("", files, r.time) })
	if system == "linux" {
		write(fmt.Sprintf("rete_%s_%s.deb", r.packageVersion(), processor), func() ([]byte, error) { return r.deb(processor, program) })
		write(fmt.Sprintf("rete-%s-1.%s.rpm", r.packageVersion(), rpmProcessor(processor)), func() ([]byte, error) { return r.rpm(processor, program) })
	}
	return names, err
}

// packageVersion is the version as deb and rpm have it: - would begin their own number of the
// package, and what ~ begins sorts before the version without it.
func (r *release) packageVersion() string { return strings.ReplaceAll(r.version, "-", "~") }

// archived are the files of an archive, in one folder.
func (r *release) archived(folder, system string, program []byte) []file {
	name := "rete"
	if system == "windows" {
		name = "rete.exe"
	}
	files := []file{{name, 0o755, program}}
	files = append(files, r.texts...)
	for _, c := range r.completions {
		files = append(files, file{"completions/" + map[string]string{"bash": "rete.bash", "zsh": "_rete", "fish": "rete.fish", "powershell": "rete.ps1"}[c.shell], 0o644, c.text})
	}
	for _, p := range r.pages {
		files = append(files, file{"man/man1/" + p.name, p.mode, p.text})
	}
	for i := range files {
		files[i].name = folder + "/" + files[i].name
	}
	return files
}

// installed are the files of a package of Linux, by their paths from the root, sorted.
func (r *release) installed(zsh string, program []byte) ([]file, error) {
	files := []file{{"usr/bin/rete", 0o755, program}}
	for _, c := range r.completions {
		path := map[string]string{
			"bash": "usr/share/bash-completion/completions/rete", "zsh": zsh + "/_rete", "fish": "usr/share/fish/vendor_completions.d/rete.fish",
		}[c.shell]
		if path != "" {
			files = append(files, file{path, 0o644, c.text})
		}
	}
	for _, p := range r.pages {
		packed, err := gzipped(p.text)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"usr/share/man/man1/" + p.name + ".gz", 0o644, packed})
	}
	for _, t := range r.texts {
		name := t.name
		if name == "LICENSE" {
			name = "copyright"
		}
		files = append(files, file{"usr/share/doc/rete/" + name, 0o644, t.text})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// gzipped packs a text, the same way each time.
func gzipped(text []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// checksums are lines as sha256sum prints and checks them.
func checksums(dir string, names []string) ([]byte, error) {
	var out bytes.Buffer
	slices.Sort(names)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(text), name)
	}
	return out.Bytes(), nil
}
