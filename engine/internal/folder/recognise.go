package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"syscall"

	"github.com/rete-go/rete/internal/vfs"
)

// headBytes is how much of a file tells whether it can be a manifest.
const headBytes = 4 << 10

// candidate returns the bytes of a file that can be a manifest, nil of any other; with
// must, of any file.
func candidate(fsys vfs.FS, full string, most int64, must bool) ([]byte, error) {
	f, err := fsys.Open(full)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	head := make([]byte, min(st.Size(), headBytes))
	if n, err := f.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", full, err)
	} else if head = head[:n]; !must && !begins(head, st.Size() > int64(n)) {
		return nil, nil
	}
	if st.Size() > most {
		if must {
			return nil, &vfs.TooLongError{Name: full, Size: st.Size(), Limit: most}
		}
		return nil, nil
	}
	raw := make([]byte, st.Size())
	n, err := f.ReadAt(raw, 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", full, err)
	}
	if raw = raw[:n]; !must && !maybe(raw) {
		return nil, nil
	}
	return raw, nil
}

var versionKey = []byte(`"rete_manifest"`)

// begins reports whether a file whose first bytes are head can be a manifest: it begins
// with {, after a byte order mark and blanks. One that has the key of the version first
// and does not has a damaged beginning.
func begins(head []byte, more bool) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(text) == 0:
		return more
	case text[0] == '{':
		return true
	}
	return bytes.Contains(head[:min(len(head), 64)], versionKey)
}

// maybe reports whether it is worth to parse a text that begins with {: large JSON of
// other kinds is passed over.
func maybe(raw []byte) bool {
	return bytes.Contains(raw, []byte("rete_manifest")) || bytes.Contains(raw, []byte(`\u`)) || // in a key, perhaps
		bytes.Contains(raw, []byte(`"generation"`)) && bytes.Contains(raw, []byte(`"log"`))
}

// Keys in a text that is no JSON: the version's, or else two others, so that no single
// byte hides what a text is.
var (
	hasVersion    = regexp.MustCompile(`"rete_manifest"\s*:`)
	hasGeneration = regexp.MustCompile(`"generation"\s*:`)
	hasLog        = regexp.MustCompile(`"log"\s*:\s*\[`)
)

// namesItself reports whether a text that does not parse as a manifest says that it is
// one: its root has the key of the version, or all others that must be there.
func namesItself(raw []byte) bool {
	keys, ok := rootKeys(raw)
	if !ok {
		return hasVersion.Match(raw) || hasGeneration.Match(raw) && hasLog.Match(raw)
	}
	return keys["rete_manifest"] || keys["name"] && keys["generation"] && keys["log"]
}

// rootKeys returns the keys of a JSON object; ok is false if the text is none.
func rootKeys(raw []byte) (keys map[string]bool, ok bool) {
	var root map[string]json.RawMessage
	if json.Unmarshal(raw, &root) != nil {
		return nil, false
	}
	keys = make(map[string]bool, len(root))
	for k := range root {
		keys[k] = true
	}
	return keys, true
}

// Nothing reports whether an error says that a name leads to no file.
func Nothing(err error) bool {
	for _, none := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, fs.ErrInvalid, syscall.EINVAL, vfs.ErrNotRegular} {
		if errors.Is(err, none) {
			return true
		}
	}
	return false
}
