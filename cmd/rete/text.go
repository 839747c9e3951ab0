package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// grouped returns n with thin groups of three digits: 1,234,567.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// printJSON prints v on standard output, indented, with a newline at the end.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// fileIRI returns the file: IRI of a path: the base that a document on disk has.
func fileIRI(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	path := filepath.ToSlash(abs)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// complete offers words for the value of a flag.
func complete(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // a flag that the command does not have
	}
}

// byteSize is a flag value such as 512MiB, 2GB or 1048576.
type byteSize int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"k", 1 << 10}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"B", 1},
}

// Set implements pflag.Value.
func (b *byteSize) Set(text string) error {
	number, unit := text, int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(text, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v < 0 || v > (1<<63-1)/unit {
		return fmt.Errorf("%q is no size; write 512MiB, 2GB or a number of bytes", text)
	}
	*b = byteSize(v * unit)
	return nil
}

// String implements pflag.Value.
func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type implements pflag.Value.
func (b *byteSize) Type() string { return "size" }
