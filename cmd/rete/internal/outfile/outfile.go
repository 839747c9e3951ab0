// Package outfile writes what -o names: files that appear only when they are whole, packed if
// their names say so, and streams, which tell no format by their names.
package outfile

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
)

// packers compress what is written to a file whose name has their ending.
var packers = map[string]func(io.Writer) (io.WriteCloser, error){
	".gz":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	".zst": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
}

// unwrittenPacking are the endings of compressions and archives that rete does not
// write: a file that has one and is not packed would mislead the next reader.
var unwrittenPacking = []string{".7z", ".br", ".bz2", ".gzip", ".lz", ".lz4", ".lzma", ".lzo", ".rar", ".sz", ".tar", ".tgz", ".xz", ".z", ".zip", ".zstd"}

// Packed returns a file name without the ending that tells of a compression, and that
// ending in lower case, "" if it has none.
func Packed(file string) (name, ending string) {
	ext := filepath.Ext(file)
	ending = strings.ToLower(ext)
	if packers[ending] == nil && !slices.Contains(unwrittenPacking, ending) {
		return file, ""
	}
	return strings.TrimSuffix(file, ext), ending
}

// IsStream reports whether -o names no file to be made: standard output, a device, a
// pipe, or what is open already. Such a name tells no format.
func IsStream(file string) bool {
	if file == "" || file == "-" {
		return true
	}
	info, err := os.Stat(file)
	if err == nil && (isStandardOutput(info) || !info.Mode().IsRegular() && !info.IsDir()) {
		return true
	}
	_, open, err := behindLinks(file)
	return err == nil && open
}

// UnknownEnding is the error of a name that tells no format; endings are those that do, flag is
// the other way to say it.
func UnknownEnding(file, flag string, endings []string) error {
	name, _ := Packed(file)
	what := "has no ending that tells the format"
	if ext := filepath.Ext(name); ext == ".rete" {
		what = "is a segment, which `rete build` and `rete manifest compact` write"
	} else if ext != "" {
		what = "ends with " + ext + ", which is no format that is written here"
	}
	return flags.Usagef("-o %s %s; use %s, also with .gz or .zst after it, or say %s", file, what, strings.Join(endings, ", "), flag)
}

// Check refuses a file that could not be written as its name says.
func Check(file string) error {
	if _, ending := Packed(file); ending != "" && packers[ending] == nil && !IsStream(file) {
		return flags.Usagef("-o %s: %s cannot be written; use .gz or .zst", file, ending)
	}
	return nil
}

// Write writes to standard output, also for "-", or to a file that appears only
// when whole, packed if its name ends with .gz or .zst. After an error the compressed
// text has no end.
func Write(stdout io.Writer, file string, write func(io.Writer) error) error {
	if file == "" || file == "-" {
		return show.Buffered(stdout, write)
	}
	if err := Check(file); err != nil {
		return err
	}
	_, ending := Packed(file)
	open := packers[ending]
	return Whole(file, func(w io.Writer) error {
		return show.Buffered(w, func(w io.Writer) error {
			if open == nil {
				return write(w)
			}
			z, err := open(w)
			if err != nil {
				return err
			}
			if err := write(z); err != nil {
				return err
			}
			return z.Close()
		})
	})
}
