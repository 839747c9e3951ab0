package main

import (
	"bytes"

	"github.com/google/rpmpack"
)

// rpmProcessor is what rpm calls a processor.
func rpmProcessor(processor string) string {
	switch processor {
	case "amd64":
		return "x86_64"
	case "arm64":
		return "aarch64"
	}
	return processor
}

// rpm makes a package of Fedora and its kin.
func (r *release) rpm(processor string, program []byte) ([]byte, error) {
	files, err := r.installed("usr/share/zsh/site-functions", program)
	if err != nil {
		return nil, err
	}
	p, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: "rete", Summary: summary, Description: summary, Version: r.packageVersion(), Release: "1", Arch: rpmProcessor(processor),
		URL: homepage, Packager: packager, Licence: "Apache-2.0", BuildHost: "localhost", Compressor: "gzip", Epoch: rpmpack.NoEpoch, BuildTime: r.time,
	})
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		p.AddFile(rpmpack.RPMFile{Name: "/" + f.name, Body: f.text, Mode: 0o100000 | uint(f.mode), Owner: "root", Group: "root", MTime: uint32(r.time.Unix())})
	}
	var out bytes.Buffer
	err = p.Write(&out)
	return out.Bytes(), err
}
