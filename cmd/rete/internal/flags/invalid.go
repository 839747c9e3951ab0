package flags

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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

// Invalid is the error of a flag that cannot be set, as the command line shows it.
func Invalid(cmd *cobra.Command, err error) error {
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
	return Usagef("%w; see '%s --help'", err, cmd.CommandPath())
}
