package flags

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// once is the value of a flag that may be given once: setting it again is an error,
// since what was given first would be lost. Defaults and the environment do not go
// through it.
type once struct {
	pflag.Value
	given *string // as it was written; nil: not yet
}

// repeatedError is a flag that was given again.
type repeatedError struct{ first, again string }

func (e *repeatedError) Error() string {
	return fmt.Sprintf("it is given more than once, %q and then %q, and takes one value", e.first, e.again)
}

// Set implements [pflag.Value].
func (o *once) Set(text string) error {
	if o.given != nil {
		return &repeatedError{*o.given, text}
	}
	o.given = &text
	return o.Value.Set(text)
}

// OnlyOnce makes repeating a flag an error for a command and all below it, except for
// flags that collect their values.
func OnlyOnce(cmd *cobra.Command) {
	cmd.InitDefaultHelpFlag()
	for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			switch f.Value.(type) {
			case pflag.SliceValue, *once:
				return
			}
			f.Value = &once{Value: f.Value}
			if f.DefValue == "0s" {
				f.DefValue = "0" // of a wrapped value help knows this zero only, and leaves it out
			}
		})
	}
	for _, sub := range cmd.Commands() {
		OnlyOnce(sub)
	}
}
