package segment

import (
	"context"
	"errors"
	"strings"

	"github.com/rete-go/rete/blob"
)

// treeSuffix ends the name of a hash tree, which is that of its segment and this. Readers that
// have a segment without a pinned map far away prove what they read by it (docs/remote.md).
const treeSuffix = ".obao"

// TreeName returns the name of the tree of a segment, a path or a URL.
func TreeName(name string) string {
	at := len(name)
	if blob.IsRemote(name) {
		if i := strings.IndexAny(name, "?#"); i >= 0 {
			at = i
		}
	}
	return name[:at] + treeSuffix + name[at:]
}

// NextTo finds the tree of a segment under its name in a store.
func NextTo(store blob.Store, name string) Trees { return nextTo{store, name} }

type nextTo struct {
	store blob.Store
	name  string
}

func (t nextTo) Open(ctx context.Context, _ int64) (blob.Object, error) {
	obj, err := t.store.Open(ctx, TreeName(t.name))
	if errors.Is(err, blob.ErrNotFound) || errors.Is(err, blob.ErrDenied) {
		return nil, nil
	}
	return obj, err
}

func (t nextTo) Keep([]byte) {}
