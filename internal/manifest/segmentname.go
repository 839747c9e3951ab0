package manifest

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// SegmentSuffix ends the file name of a segment.
const SegmentSuffix = ".rete"

// mintLetters are those of the random part of a segment's name.
const mintLetters = "abcdefghijklmnopqrstuvwxyz234567"

// SegmentName makes a name that no segment had before: NAME-gG-HASH8-RRRRRR.rete,
// or .tomb.rete for dels. G is the generation that is to be made; the last part
// comes from r, nil for the system's randomness.
func SegmentName(name string, generation int64, hash [16]byte, dels bool, r io.Reader) (string, error) {
	o := (&CommitOptions{Rand: r}).withDefaults()
	var b [6]byte
	if _, err := io.ReadFull(o.Rand, b[:]); err != nil {
		return "", fmt.Errorf("drawing a segment name: %w", err)
	}
	for i := range b {
		b[i] = mintLetters[b[i]%32]
	}
	suffix := SegmentSuffix
	if dels {
		suffix = ".tomb" + SegmentSuffix
	}
	return fmt.Sprintf("%s-g%d-%x-%s%s", name, generation, hash[:4], b[:], suffix), nil
}

// GraphOf returns the name of the graph in a file name that [SegmentName] made; ok is
// false of other files.
func GraphOf(file string) (name string, ok bool) {
	rest, ok := strings.CutSuffix(file, SegmentSuffix)
	if !ok {
		return "", false
	}
	rest = strings.TrimSuffix(rest, ".tomb")
	part := strings.Split(rest, "-")
	if len(part) < 4 {
		return "", false
	}
	g, hash, random := part[len(part)-3], part[len(part)-2], part[len(part)-1]
	if len(hash) != 8 || len(random) != 6 || !strings.HasPrefix(g, "g") {
		return "", false
	}
	_, err1 := strconv.ParseUint(g[1:], 10, 63)
	_, err2 := strconv.ParseUint(hash, 16, 32)
	if err1 != nil || err2 != nil || strings.Trim(random, mintLetters) != "" {
		return "", false
	}
	name = strings.Join(part[:len(part)-3], "-")
	return name, CheckName(name) == nil
}
