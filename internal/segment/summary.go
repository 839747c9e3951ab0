package segment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/pyramid"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/internal/summary"
)

type (
	// Summary is what a file says of its default graph, with names instead of ids.
	Summary = summary.Summary
	// SummaryPredicate is a predicate with its triples. What is not known is 0.
	SummaryPredicate = summary.Predicate
	// SummaryClass is a class of the hierarchy.
	SummaryClass = summary.Class
	// SummaryLevel is one level of the schema pyramid.
	SummaryLevel = summary.Level
	// SummaryLink counts the triples that lead from subjects of one class to objects of another.
	SummaryLink = summary.Link
	// ClassCount counts the triples that give a class to a subject.
	ClassCount = summary.ClassCount
	// Community is one community, or several that are counted as one.
	Community = summary.Community
	// CommunityLink counts the triples of a predicate from one community to another.
	CommunityLink = summary.Between
)

// ErrNoSummary is the error of a file without a schema pyramid.
var ErrNoSummary = errors.New("it has no schema pyramid")

// Summary reads the schema pyramid: the header, the end of the file, and the section. Terms,
// triples and their directories are not read; of a file without a pinned map all is hashed. Without a pyramid the
// error is [ErrNoSummary]; that of a file without a default graph is empty.
func (s *Segment) Summary(ctx context.Context) (*Summary, error) {
	in := read.Inspect(s.Segment)
	head := s.Header()
	if head.Section(format.KindPyramid).Length == 0 && head.Section(format.KindSchema).Length == 0 {
		if n, err := s.Count(ctx, 0, 0); err != nil {
			return nil, err
		} else if n == 0 {
			return described(ctx, in, &Summary{})
		}
		return nil, fmt.Errorf("%s: %w; rete compact and rete build make one", s.Name(), ErrNoSummary)
	}
	b, schema, err := in.Summary(ctx)
	if err != nil {
		return nil, err
	}
	p, err := pyramid.Join(b, schema, s.Counts().Predicates)
	if err != nil {
		return nil, in.NameIn(err)
	}
	names, err := in.PredicateNames(ctx)
	if err != nil {
		return nil, err
	}
	return described(ctx, in, p.Summary(s.Header().Levels, names))
}

// described adds the metadata of the file.
func described(ctx context.Context, in read.Inspector, s *Summary) (*Summary, error) {
	metadata, err := in.SmallSection(ctx, format.KindMetadata)
	if err != nil {
		return nil, err
	}
	if json.Valid(metadata) {
		s.Metadata = metadata
	}
	return s, nil
}
