package engine

import (
	"context"

	"github.com/rete-go/rete/engine/internal/folder"
)

// Unused returns nil if nothing that a manifest needs is lost when a file is replaced:
// if it is not there, is no regular file, or no manifest in its directory, whatever its
// name is, names it or has it as its own, as an archive, a journal, or what else lies
// beside a manifest. Otherwise the error matches [ErrInUse] and names the manifest. A
// symbolic link stands for the file that it leads to, and manifests beside either count.
// Where a manifest cannot be read, a segment counts as in use.
func Unused(ctx context.Context, name string) error { return folder.Unused(ctx, name) }
