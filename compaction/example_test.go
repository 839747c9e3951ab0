package compaction_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/segment"
)

// Two entries, the second of which takes a quad away, become one segment.
func Example() {
	ctx := context.Background()
	source := func(name string, objects ...string) *segment.Segment {
		b := segment.NewBuilder(nil)
		for _, o := range objects {
			b.AddQuad(&rdf.RawQuad{S: []byte("<http://ex/s>"), P: []byte("<http://ex/p>"), O: []byte(o)})
		}
		var file bytes.Buffer
		built, err := b.WriteTo(ctx, &file)
		if err != nil {
			panic(err)
		}
		s, err := segment.Open(ctx, blob.Bytes(name, file.Bytes()), &segment.Options{Pin: built.Pin()})
		if err != nil {
			panic(err)
		}
		return s
	}
	log := []compaction.Entry{
		{Adds: source("base", `"one"`, `"two"`)},
		{Adds: source("more", `"three"`), Dels: source("less", `"one"`)},
	}
	var out bytes.Buffer
	built, err := compaction.Adds(ctx, log, &out, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(built.Quads, "quads,", built.Terms, "terms")
	// Output: 2 quads, 4 terms
}
