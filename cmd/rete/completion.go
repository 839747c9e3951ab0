package main

import (
	"bytes"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
)

// bashWords takes the place of what the script would have from the package
// bash-completion, which need not be there: the words of the line, joined again where bash
// has split them at = and :, and names of files.
const bashWords = `__rete_init_completion()
{
    COMPREPLY=()
    words=() cword=0
    local rest=$COMP_LINE i word joined
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        word=${COMP_WORDS[i]} joined=
        [[ $i -gt 0 && $rest != [[:blank:]]* ]] && joined=1
        rest=${rest#"${rest%%[![:blank:]]*}"}
        rest=${rest#"$word"}
        if [[ $joined ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        [[ $i -eq $COMP_CWORD ]] && cword=$((${#words[@]} - 1))
    done
    cur=${words[cword]} prev=${words[cword-1]-}
}

__rete_filedir()
{
    local name exts=${1%|}
    compopt -o filenames 2>/dev/null
    if [[ $exts == -d ]]; then
        while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -d -- "$cur")
        return
    fi
    while IFS= read -r name; do
        if [[ -z $exts || -d $name || $name == *.@($exts) ]]; then
            COMPREPLY+=("$name")
        fi
    done < <(compgen -f -- "$cur")
}
`

// completion makes the commands below `rete completion` fit the others: an unknown shell is
// an error, and the script of bash works by itself.
func (a *app) completion(root *cobra.Command) {
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil {
		panic(err) // it was made
	}
	var shells []string
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return flags.Usagef("unknown shell %q for '%s': it takes %s", args[0], cmd.CommandPath(), strings.Join(shells, ", "))
		}
		return cmd.Help()
	}
	for _, sub := range cmd.Commands() {
		shells = append(shells, sub.Name())
		if sub.Name() == "bash" {
			sub.Long = `Write what completes rete in bash, to be read by the shell: nothing else needs to be
installed. For this shell, and for all that come:

  source <(rete completion bash)
  rete completion bash > ~/.local/share/bash-completion/completions/rete`
			sub.RunE = func(cmd *cobra.Command, _ []string) error {
				plain, _ := cmd.Flags().GetBool("no-descriptions")
				var script bytes.Buffer
				if err := root.GenBashCompletionV2(&script, !plain); err != nil {
					return err
				}
				_, err := a.out.Write([]byte(ownBash(script.String())))
				return err
			}
		}
	}
}

// ownBash makes a script for bash use nothing of the package bash-completion.
func ownBash(script string) string {
	from := strings.Index(script, "__rete_init_completion()\n")
	to := from + strings.Index(script[from:], "\n}\n") + len("\n}\n")
	script = script[:from] + bashWords + script[to:]
	script = strings.Replace(script, `    if declare -F _init_completion >/dev/null 2>&1; then
        _init_completion -n =: || return
    else
        __rete_init_completion -n =: || return
    fi
`, "    __rete_init_completion\n", 1)
	for _, blank := range []string{" ", `"`} {
		script = strings.ReplaceAll(script, blank+"_filedir", blank+"__rete_filedir")
	}
	return script
}

// unknownCommand is the error of a word that is no command of cmd, with those that were
// perhaps meant: of any place whose name is like it.
func unknownCommand(cmd *cobra.Command, word string) error {
	if _, err := os.Stat(word); err == nil && cmd == cmd.Root() && isSource(word) {
		return flags.Usagef("%s is no command, and the command comes first: 'rete query %s' and 'rete shell %s' ask it; see 'rete --help'", word, word, word)
	}
	var near []string
	for _, sub := range cmd.Root().Commands() {
		if slices.Contains(otherWords[sub.Name()], strings.ToLower(word)) {
			near = append(near, "'"+sub.CommandPath()+"'")
		}
	}
	if len(near) > 0 {
		return unknown(cmd, word, near)
	}
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
	return unknown(cmd, word, slices.Compact(near))
}

// otherWords are what commands are called elsewhere.
var otherWords = map[string][]string{
	"init":    {"create", "new", "load", "import"},
	"add":     {"load", "import", "append", "put"},
	"query":   {"select", "ask", "construct", "describe", "sparql", "explain", "analyze", "run", "search"},
	"update":  {"insert", "delete", "write", "edit"},
	"stats":   {"schema", "summary", "summarize", "count", "show", "inspect"},
	"shell":   {"repl", "console", "open", "cli", "prompt"},
	"log":     {"history", "generations", "versions", "list"},
	"diff":    {"changes", "compare"},
	"revert":  {"undo", "rollback", "reset", "back"},
	"backup":  {"save", "copy", "snapshot"},
	"serve":   {"server", "start", "http", "daemon"},
	"dump":    {"export", "cat"},
	"compact": {"optimize", "vacuum", "merge"},
	"seal":    {"commit", "flush", "checkpoint"},
	"fsck":    {"repair", "doctor"},
	"status":  {"check"},
	"prefix":  {"prefixes", "namespace", "namespaces"},
}

// unknown is the error of an unknown command that may be one of others.
func unknown(cmd *cobra.Command, word string, near []string) error {
	text := ""
	if len(near) > 0 {
		text = ", perhaps " + strings.Join(near, " or ")
	}
	return flags.Usagef("unknown command %q for '%s'%s; see '%s --help'", word, cmd.CommandPath(), text, cmd.CommandPath())
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
