package ownership

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rete-go/rete/internal/vfs"
)

// Note is what an owner leaves for others.
type Note struct {
	PID  int    `json:"pid"`
	Host string `json:"host,omitempty"` // where the process id means something
	// Address is where the owner can be asked to write, "" if it does not listen.
	Address string `json:"address,omitempty"`
	// Token is a secret that is valid at that address only, as long as the owner
	// lives. "" if this user may not know it.
	Token string `json:"token,omitempty"`
	// Certificate is the SHA-256 of the certificate that the owner shows at an https
	// address, in hexadecimal digits: it may be one that nobody has signed.
	Certificate string `json:"certificate,omitempty"`
}

// public is the note of an owner that cannot be asked.
func (n *Note) public() *Note {
	if n == nil {
		return nil
	}
	return &Note{PID: n.PID, Host: n.Host}
}

// record is what stands in a lock file, and with the secrets in the note.
type record struct {
	Note
	// Owner is drawn for each ownership, after a part that each process draws for
	// itself. A note of another one than the lock file's is of an owner that died.
	Owner string `json:"owner,omitempty"`
}

var (
	process = rand.Text()
	count   atomic.Uint64
)

func newRecord() record {
	return record{Note{PID: os.Getpid(), Host: hostname()}, process + "." + strconv.FormatUint(count.Add(1), 10)}
}

const maxNote = 1 << 16

// read returns what is known of the process that holds the lock of a name.
func read(fsys vfs.FS, name string) *OwnedError {
	owned := &OwnedError{}
	open, err := readRecord(fsys, name+lockSuffix)
	if err != nil || open.PID == 0 {
		return owned
	}
	owned.Note, owned.Self = &open.Note, strings.HasPrefix(open.Owner, process+".")
	if open.Owner == "" {
		return owned // an older version keeps its note in the lock file
	}
	switch note, err := readRecord(fsys, name+noteSuffix); {
	case err == nil && note.Owner == open.Owner:
		owned.Note = &note.Note
	case errors.Is(err, fs.ErrPermission):
		owned.Unread = err
	}
	return owned
}

func readRecord(fsys vfs.FS, name string) (record, error) {
	var r record
	text, err := vfs.ReadFile(fsys, name, maxNote)
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}
