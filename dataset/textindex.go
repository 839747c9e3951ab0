package dataset

import "context"

// TextWord is a word that literals are searched for: a token, or with Prefix the beginning of tokens, with
// Suffix their end, with both a part of them.
type TextWord struct {
	Text           string
	Prefix, Suffix bool
}

// TextToken is a token of literals of the default graph, with the subjects that have it,
// ascending and distinct.
type TextToken struct {
	Token    string
	Subjects []ID
}

// TextIndex is a Dataset that finds the subjects of words without reading their literals.
type TextIndex interface {
	// TextTokens returns, for each word, the tokens that it stands for, with all their
	// subjects; nil without an index. In the ranges sorted, which ascend, ids of subjects ascend
	// as their terms do.
	TextTokens(ctx context.Context, words []TextWord) (found [][]TextToken, sorted []IDRange, err error)
}
