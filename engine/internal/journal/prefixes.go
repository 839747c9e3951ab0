package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/internal/vfs"
)

// PrefixesName is the name of the file next to a journal that has the prefixes of transactions
// until the next seal takes them into the manifest. It is written whole when a transaction brings a
// new one.
func PrefixesName(journal string) string { return journal + ".prefixes" }

// maxPrefixes bounds that file, in bytes.
const maxPrefixes = 4 << 20

// ReadPrefixes reads the prefixes that wait next to a journal; none where there is no file. The error
// does not name that.
func ReadPrefixes(fsys vfs.FS, journal string) (set prefixes.Set, err error) {
	data, err := vfs.ReadFile(fsys, PrefixesName(journal), maxPrefixes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		set, err = prefixes.Decode(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; without that file the prefixes of the manifest are left", err)
	}
	return set, nil
}
