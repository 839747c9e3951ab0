package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// unknownCommand is the error of a word that is no command of cmd, with those that were
// perhaps meant: of any place whose name is like it.
func unknownCommand(cmd *cobra.Command, word string) error {
	var near []string
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub)
			}
		}
		c.SuggestionsMinimumDistance = 2 // letters that may be wrong
		for _, name := range c.SuggestionsFor(word) {
			near = append(near, "'"+c.CommandPath()+" "+name+"'")
		}
	}
	walk(cmd.Root())
	slices.Sort(near)
	near = slices.Compact(near)
	text := ""
	if len(near) > 0 {
		text = ", perhaps " + strings.Join(near, " or ")
	}
	return usagef("unknown command %q for '%s'%s; see '%s --help'", word, cmd.CommandPath(), text, cmd.CommandPath())
}

// helpCommand is `rete help`, for which an unknown command is an error.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		Long:  "Help about any command: its flags, with an example.",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if found == nil {
				found = cmd.Root()
			}
			if err != nil || len(rest) > 0 {
				word := strings.Join(args, " ")
				if len(rest) > 0 {
					word = rest[0]
				}
				return unknownCommand(found, word)
			}
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if found, _, err := cmd.Root().Find(args); err == nil {
				for _, sub := range found.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, sub.Name())
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
