package buildinfo

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	const pseudo = "v0.0.0-20261201120000-0123456789ab"
	for name, c := range map[string]struct {
		info debug.BuildInfo
		want Info
	}{
		"nothing is recorded": {debug.BuildInfo{}, Info{Version: "(devel)"}},
		"source tree": {debug.BuildInfo{
			Main:     debug.Module{Path: module, Version: "(devel)"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}, {Key: "vcs.time", Value: "noon"}},
		}, Info{Version: "(devel)", Commit: "abc", Modified: true, Time: "noon"}},
		"module cache": {debug.BuildInfo{Main: debug.Module{Path: module, Version: pseudo + "+dirty"}}, Info{Version: pseudo + "+dirty", Commit: "0123456789ab"}},
		"library": {debug.BuildInfo{
			Main: debug.Module{Path: "example.org/app", Version: "v9.9.9"}, Deps: []*debug.Module{{Path: "example.org/x", Version: "v3.0.0"}, {Path: module, Version: "v1.2.3"}},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "of the program"}},
		}, Info{Version: "v1.2.3"}},
		"replaced by a folder": {debug.BuildInfo{
			Main: debug.Module{Path: "example.org/app"}, Deps: []*debug.Module{{Path: module, Version: "v1.2.3", Replace: &debug.Module{Path: "../rete"}}},
		}, Info{Version: "(devel)"}},
		"replaced": {debug.BuildInfo{
			Main: debug.Module{Path: "example.org/app"}, Deps: []*debug.Module{{Path: module, Version: "v1.2.3", Replace: &debug.Module{Path: "example.org/fork", Version: pseudo}}},
		}, Info{Version: pseudo, Commit: "0123456789ab"}},
	} {
		c.want.Go = runtime.Version()
		if got := of(&c.info); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
