package flags

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Annotations of flags: a number below zero has a meaning; zero has none; so has the empty text;
// others have no effect with it.
const (
	belowZero = "below-zero"
	aboveZero = "above-zero"
	emptyText = "empty-text"
	overrides = "overrides"
)

// MayBeBelowZero is for flags that take numbers below zero.
func MayBeBelowZero(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		annotate(cmd, name, belowZero, "true")
	}
}

// NotZero is for numbers and sizes of which zero would be taken for the default.
func NotZero(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		annotate(cmd, name, aboveZero, "true")
	}
}

// MayBeEmpty is for flags whose text nothing is looked up by.
func MayBeEmpty(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		annotate(cmd, name, emptyText, "true")
	}
}

// Overriding declares that with a flag others of the command have no effect, so that
// giving both is an error.
func Overriding(cmd *cobra.Command, flag string, others ...string) {
	annotate(cmd, flag, overrides, others...)
}

func annotate(cmd *cobra.Command, flag, key string, values ...string) {
	fl := cmd.Flags().Lookup(flag)
	if fl == nil {
		panic("a flag that the command does not have: " + flag)
	}
	if fl.Annotations == nil {
		fl.Annotations = map[string][]string{}
	}
	fl.Annotations[key] = append(fl.Annotations[key], values...)
}

// emptyArguments are the commands whose arguments after the first may be empty: a text, the name
// of a prefix.
var emptyArguments = []string{"query", "update", "prefix"}

// CheckArguments refuses an empty argument, mostly a variable of a script that is not set: as a
// folder it would be another one than was meant. Those of completions, which are hidden, may be.
func CheckArguments(cmd *cobra.Command, args []string) error {
	i := slices.Index(args, "")
	if i < 0 || cmd.Hidden || i > 0 && slices.Contains(emptyArguments, cmd.Name()) {
		return nil
	}
	return Usagef("an argument is empty; see '%s --help'", cmd.CommandPath())
}

// Check refuses what would have no effect, or not the one that was meant.
func Check(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil {
			return
		}
		value := cmp.Or(f.Value.String(), "0") // that of a size without bytes is empty
		if f.Annotations[aboveZero] != nil && slices.Contains([]string{"0", "0s"}, value) {
			err = Usagef("--%s %s leaves nothing; see '%s --help' for the default", f.Name, value, cmd.CommandPath())
		}
		switch f.Value.Type() {
		case "int", "int64", "duration", "generation":
			// Some flags have such a value for "not given", and a script that gives it
			// has gone wrong.
			if f.Annotations[belowZero] == nil && strings.HasPrefix(f.Value.String(), "-") {
				err = Usagef("--%s %s is below zero; see '%s --help'", f.Name, f.Value, cmd.CommandPath())
			}
		case "string":
			// Mostly a variable of a script that is not set.
			if f.Annotations[emptyText] == nil && f.Value.String() == "" {
				err = Usagef("--%s is empty; see '%s --help'", f.Name, cmd.CommandPath())
			}
		case "stringArray":
			if values, ok := f.Value.(pflag.SliceValue); ok && slices.Contains(values.GetSlice(), "") {
				err = Usagef("--%s is empty; see '%s --help'", f.Name, cmd.CommandPath())
			}
		case "bool":
			if f.Value.String() != "true" {
				return // --flag=false overrides nothing
			}
		}
		for _, other := range f.Annotations[overrides] {
			if cmd.Flags().Changed(other) && err == nil {
				err = noEffect(cmd, other, "with --"+f.Name)
			}
		}
	})
	return err
}

// noEffect is the error of a flag that would be ignored.
func noEffect(cmd *cobra.Command, flag, because string) error {
	return Usagef("--%s has no effect %s; leave it out, see '%s --help'", flag, because, cmd.CommandPath())
}

// WithoutEffect refuses those of the flags that were given.
func WithoutEffect(cmd *cobra.Command, because string, flags ...string) error {
	for _, flag := range flags {
		if cmd.Flags().Changed(flag) {
			return noEffect(cmd, flag, because)
		}
	}
	return nil
}
