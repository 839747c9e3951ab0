package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
)

const (
	summary  = "RDF graphs as immutable segments under a small manifest, with SPARQL"
	homepage = "https://github.com/rete-go/rete"
	packager = "rete-go <rete-go@users.noreply.github.com>"
)

// deb makes a package of Debian: an ar archive with the version of the format, the control files
// and the files (deb(5)).
func (r *release) deb(processor string, program []byte) ([]byte, error) {
	files, err := r.installed("usr/share/zsh/vendor-completions", program)
	if err != nil {
		return nil, err
	}
	size := 0
	var sums bytes.Buffer
	for i := range files {
		size += len(files[i].text)
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(files[i].text), files[i].name)
	}
	control := fmt.Sprintf(`Package: rete
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Section: database
Priority: optional
Homepage: %s
Description: %s
`, r.packageVersion(), processor, packager, size/1024+1, homepage, summary)
	data, err := tarred("./", files, r.time)
	if err != nil {
		return nil, err
	}
	meta, err := tarred("./", []file{{"control", 0o644, []byte(control)}, {"md5sums", 0o644, sums.Bytes()}}, r.time)
	if err != nil {
		return nil, err
	}
	out := []byte("!<arch>\n")
	for _, f := range []file{{"debian-binary", 0o644, []byte("2.0\n")}, {"control.tar.gz", 0o644, meta}, {"data.tar.gz", 0o644, data}} {
		out = fmt.Appendf(out, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.name, r.time.Unix(), 0, 0, 0o100000|f.mode, len(f.text))
		out = append(out, f.text...)
		if len(f.text)%2 == 1 {
			out = append(out, '\n')
		}
	}
	return out, nil
}
