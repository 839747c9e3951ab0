package flags

import "github.com/spf13/cobra"

// Complete offers words for the value of a flag.
func Complete(cmd *cobra.Command, flag string, words ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // a flag that the command does not have
	}
}
