package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Annotations of flags: a number below zero has a meaning; so has the empty text;
// others have no effect with it.
const (
	belowZero = "below-zero"
	emptyText = "empty-text"
	overrides = "overrides"
)

func mayBeBelowZero(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		annotate(cmd, name, belowZero, "true")
	}
}

// mayBeEmpty is for flags whose text nothing is looked up by.
func mayBeEmpty(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		annotate(cmd, name, emptyText, "true")
	}
}

// overriding declares that with a flag others of the command have no effect, so that
// giving both is an error.
func overriding(cmd *cobra.Command, flag string, others ...string) {
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

// checkArguments refuses an empty argument, mostly a variable of a script that is not set: as a
// folder it would be another one than was meant. Those of completions, which are hidden, may be.
func checkArguments(cmd *cobra.Command, args []string) error {
	i := slices.Index(args, "")
	if i < 0 || cmd.Hidden || i > 0 && slices.Contains(emptyArguments, cmd.Name()) {
		return nil
	}
	return usagef("an argument is empty; see '%s --help'", cmd.CommandPath())
}

// checkFlags refuses what would have no effect, or not the one that was meant.
func checkFlags(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err != nil {
			return
		}
		switch f.Value.Type() {
		case "int", "int64", "duration", "generation":
			// Some flags have such a value for "not given", and a script that gives it
			// has gone wrong.
			if f.Annotations[belowZero] == nil && strings.HasPrefix(f.Value.String(), "-") {
				err = usagef("--%s %s is below zero; see '%s --help'", f.Name, f.Value, cmd.CommandPath())
			}
		case "string":
			// Mostly a variable of a script that is not set.
			if f.Annotations[emptyText] == nil && f.Value.String() == "" {
				err = usagef("--%s is empty; see '%s --help'", f.Name, cmd.CommandPath())
			}
		case "stringArray":
			if values, ok := f.Value.(pflag.SliceValue); ok && slices.Contains(values.GetSlice(), "") {
				err = usagef("--%s is empty; see '%s --help'", f.Name, cmd.CommandPath())
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
	return usagef("--%s has no effect %s; leave it out, see '%s --help'", flag, because, cmd.CommandPath())
}

// withoutEffect refuses those of the flags that were given.
func withoutEffect(cmd *cobra.Command, because string, flags ...string) error {
	for _, flag := range flags {
		if cmd.Flags().Changed(flag) {
			return noEffect(cmd, flag, because)
		}
	}
	return nil
}

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

// onlyOnce makes repeating a flag an error for a command and all below it, except for
// flags that collect their values.
func onlyOnce(cmd *cobra.Command) {
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
		onlyOnce(sub)
	}
}

// wanted says what a flag takes that was given another value; empty if its own error does.
func wanted(e *pflag.InvalidValueError) string {
	var repeated *repeatedError
	if errors.As(e, &repeated) {
		return ""
	}
	large := errors.Is(e, strconv.ErrRange)
	switch kind := e.GetFlag().Value.Type(); {
	case kind == "generation":
		return "the number of a generation, such as 12 (`rete log` lists them), ~1, or a time such as 2026-11-30T12:00"
	case e.GetFlag().Name == "if-generation":
		return "the number of a generation, such as 12 (`rete log` lists them)"
	case strings.HasPrefix(kind, "int") && large, strings.HasPrefix(kind, "uint") && large:
		return "a number that is not so large"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"), strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "duration":
		return "a time with its unit, such as 30s or 1h30m"
	case kind == "bool":
		return "true or false"
	}
	return ""
}

// flagError is the error of a flag that cannot be set, as the command line shows it.
func flagError(cmd *cobra.Command, err error) error {
	var repeated *repeatedError
	var invalid *pflag.InvalidValueError
	if errors.As(err, &repeated) && errors.As(err, &invalid) {
		err = fmt.Errorf("--%s: %w", invalid.GetFlag().Name, repeated)
	}
	if errors.As(err, &invalid) {
		if what := wanted(invalid); what != "" {
			err = fmt.Errorf("--%s takes %s, not %q", invalid.GetFlag().Name, what, invalid.GetValue())
		}
	}
	return usagef("%w; see '%s --help'", err, cmd.CommandPath())
}
