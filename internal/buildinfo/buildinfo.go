// Package buildinfo reads which build of rete a program has.
package buildinfo

import (
	"regexp"
	"runtime"
	"runtime/debug"
)

const module = "github.com/rete-go/rete"

// Info is what is known of a build.
type Info struct {
	Version  string // of the module; "(devel)" of a source tree
	Commit   string // empty: the build does not say
	Modified bool   // the source was not that of the commit
	Time     string // of the commit
	Go       string // its version
}

// pseudoVersion is the end of a version of no release: the time and the commit.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(?:\+incompatible)?(?:\+dirty)?$`)

// Read reads what the build of this program recorded, also where rete is a library of it.
func Read() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return of(info)
}

func of(info *debug.BuildInfo) Info {
	v := Info{Version: "(devel)", Go: runtime.Version()}
	ours := info.Main.Path == module
	version := info.Main.Version
	if !ours {
		version = ""
		for _, d := range info.Deps {
			if d.Path != module {
				continue
			}
			if version = d.Version; d.Replace != nil {
				version = d.Replace.Version // empty of a folder
			}
		}
	}
	if version != "" {
		v.Version = version
	}
	if rev := pseudoVersion.FindStringSubmatch(v.Version); rev != nil {
		v.Commit = rev[1] // all that a build from the module cache knows
	}
	if !ours {
		return v // the settings are about the program
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		case "vcs.time":
			v.Time = s.Value
		}
	}
	return v
}
