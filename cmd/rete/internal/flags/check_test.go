package flags

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestCheck: what would have no effect, or not the one that was meant, is wrong usage and is named.
func TestCheck(t *testing.T) {
	for line, want := range map[string]string{
		"":                      "",
		"--json":                "",
		"--json --wide":         "--wide has no effect with --json",
		"--json=false --wide":   "",
		"--limit=-1":            "--limit -1 is below zero",
		"--age=-1s":             "",
		"--name=":               "--name is empty",
		"--note=":               "",
		"--add a --add=":        "--add is empty",
		"--limit 1 --limit 1":   "more than once",
		"--add a --add b":       "",
		"--size 12MB":           "",
		"--size 12XB":           "is no size",
		"--size 0":              "--size 0 leaves nothing",
		"--count 0":             "--count 0 leaves nothing",
		"--count 1":             "",
		"--wait 0s":             "--wait 0s leaves nothing",
		"--limit 0":             "",
		"--limit x":             "--limit takes a number",
		"--at yesterday":        "--at takes the number of a generation",
		"--at ~1 --at 1":        "more than once",
		"--limit 9999999999999": "",
	} {
		var (
			json, wide bool
			limit      int
			name, note string
			adds       []string
			size       Size
			at         Moment
		)
		cmd := &cobra.Command{Use: "c", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, _ []string) error { return Check(cmd) }}
		fl := cmd.Flags()
		fl.BoolVar(&json, "json", false, "")
		fl.BoolVar(&wide, "wide", false, "")
		fl.IntVar(&limit, "limit", 0, "")
		fl.Duration("age", 0, "")
		fl.Int("count", 0, "")
		fl.Duration("wait", 0, "")
		fl.StringVar(&name, "name", "", "")
		fl.StringVar(&note, "note", "", "")
		fl.StringArrayVar(&adds, "add", nil, "")
		fl.Var(&size, "size", "")
		fl.Var(&at, "at", "")
		Overriding(cmd, "json", "wide")
		MayBeBelowZero(cmd, "age")
		NotZero(cmd, "count", "wait", "size")
		MayBeEmpty(cmd, "note")
		OnlyOnce(cmd)
		cmd.SetFlagErrorFunc(Invalid)
		cmd.SetArgs(strings.Fields(line))
		cmd.SetOut(io.Discard)
		err := cmd.Execute()
		var usage UsageError
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", line, err)
		case want != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %s", line, err, want)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "512MiB": 512 << 20, "2GB": 2e9, "64k": 64 << 10, "7 KiB": 7 << 10, "0": 0, "8388607TiB": 8388607 << 40,
		"": -1, "MiB": -1, "-1": -1, "1.5GiB": -1, "8388608TiB": -1, "1MiBs": -1,
	} {
		var s Size
		if err := s.Set(text); (err != nil) != (want < 0) || err == nil && int64(s) != want {
			t.Errorf("%q is %d, %v; want %d", text, s, err, want)
		}
	}
}
