package dataset

import (
	"errors"
)

// ErrNoTrie says that a dataset has no trie for a pattern: plan without.
var ErrNoTrie = errors.New("dataset: no trie for this pattern")
