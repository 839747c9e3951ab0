package main

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"
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
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(cmd, args[0])
		}
		return cmd.Help()
	}
	for _, sub := range cmd.Commands() {
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
