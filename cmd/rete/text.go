package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
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

// queryText is the argument, the file, or standard input when that is no terminal. A text of
// more bytes than limit is refused.
func (a *app) queryText(args []string, file string, limit int64) (string, error) {
	switch {
	case len(args) > 0 && file != "":
		return "", usagef("give the query as an argument or with -f, not both")
	case len(args) > 0:
		return args[0], nil
	case file != "" && file != "-":
		return readText(file, limit)
	case isDevice(a.in):
		return "", usagef("no query: give it as an argument, with -f FILE, or on standard input")
	}
	return textOf("standard input", a.in, 0, limit)
}

// readText reads a text from a file.
func readText(name string, limit int64) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	return textOf(name, f, st.Size(), limit)
}

// textOf reads a text of about size bytes.
func textOf(name string, r io.Reader, size, limit int64) (string, error) {
	var b strings.Builder
	if size <= limit {
		b.Grow(int(size))
		n, err := io.Copy(&b, io.LimitReader(r, limit+1))
		if err != nil {
			return "", err
		}
		if n <= limit {
			return b.String(), nil
		}
	}
	return "", fmt.Errorf("%s: the text has more than %d bytes, which one query may hold; --query-memory and --memory raise that", name, limit)
}
