package flags

import (
	"os"

	"github.com/rete-go/rete"
	"github.com/spf13/cobra"
)

// Database are the flags of every command that reads a graph.
type Database struct {
	Cache      Size   // of decoded chunks and tiles; 0: the default
	dir        string // of what is read of remote files
	dirSize    Size   // how much that keeps; 0: the default
	trust      bool   // remote segments of other programs, without hashing them whole first
	SealedOnly bool   // leave out the journal; no command has it by Register
}

// Register adds the flags of the caches.
func (f *Database) Register(cmd *cobra.Command) {
	cmd.Flags().Var(&f.Cache, "cache", "memory for decoded chunks and tiles, such as 64MiB (default: a quarter of --memory, or 128MiB)")
	cmd.Flags().StringVar(&f.dir, "cache-dir", "", "directory that keeps what is read of remote files (default: RETE_CACHE_DIR, or nothing is kept)")
	cmd.Flags().Var(&f.dirSize, "cache-dir-size", "how much it keeps (default 1GiB)")
	cmd.Flags().BoolVar(&f.trust, "trust-unverified", false, "do not hash remote segments of other programs whole before their first use")
	_ = cmd.MarkFlagDirname("cache-dir") // the flag is there
}

// cacheDir is the directory that keeps what is read of remote files, empty for none.
func (f *Database) cacheDir() string {
	if f.dir != "" {
		return f.dir
	}
	return os.Getenv("RETE_CACHE_DIR")
}

// Options are those that the flags say of how a database is opened.
func (f *Database) Options() *rete.Options {
	return &rete.Options{CacheBytes: int64(f.Cache), CacheDir: f.cacheDir(), CacheDirBytes: int64(f.dirSize), TrustUnverified: f.trust, SealedOnly: f.SealedOnly}
}
