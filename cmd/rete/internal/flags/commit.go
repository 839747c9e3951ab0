package flags

import (
	"github.com/spf13/cobra"

	"github.com/rete-go/rete/engine/manifest"
)

// Commit are the flags of every command that commits.
type Commit struct {
	Note         string
	ifGeneration int64
	JSON         bool
}

// Register adds the flags.
func (f *Commit) Register(cmd *cobra.Command) {
	f.RegisterFirst(cmd)
	cmd.Flags().Int64Var(&f.ifGeneration, "if-generation", -1, "commit only if the manifest has this generation")
}

// RegisterFirst is Register for the first commit, which has none before it.
func (f *Commit) RegisterFirst(cmd *cobra.Command) {
	f.ifGeneration = -1
	cmd.Flags().StringVar(&f.Note, "note", "", "reason, kept in the manifest")
	cmd.Flags().BoolVar(&f.JSON, "json", false, "print the result as JSON")
	MayBeEmpty(cmd, "note")
}

// Options are those of the commit.
func (f *Commit) Options() manifest.CommitOptions {
	return manifest.CommitOptions{Note: f.Note, IfGeneration: f.Condition()}
}

// Condition is the generation that the manifest must have; nil: any.
func (f *Commit) Condition() *int64 {
	if f.ifGeneration < 0 {
		return nil
	}
	return &f.ifGeneration
}
