package main

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/formats"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/operate"
	"github.com/satchel-memory/satchel/internal/vault"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell."`
}

// The scripts ask satchel itself for the next words, so a new release needs no new script.
func completionScripts() map[string]string {
	return map[string]string{
		"bash": `_satchel() {
    local i
    mapfile -t COMPREPLY < <(satchel __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)
    for i in "${!COMPREPLY[@]}"; do
        printf -v "COMPREPLY[$i]" %q "${COMPREPLY[i]}"
    done
    [ "${#COMPREPLY[@]}" -gt 0 ] || compopt -o default
}
complete -F _satchel satchel
`,
		"zsh": `#compdef satchel
_satchel() {
    local -a found
    local name note
    while IFS=$'\t' read -r name note; do
        found+=("${name//:/\\:}:$note")
    done < <(satchel __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then _describe satchel found; else _files; fi
}
if [ "$funcstack[1]" = _satchel ]; then _satchel "$@"; else compdef _satchel satchel; fi
`,
		"fish": `function __satchel_complete
    set -l typed (commandline -opc)
    set -l found (satchel __complete -- $typed[2..] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c satchel -f -a '(__satchel_complete)'
`,
		"powershell": `Register-ArgumentCompleter -Native -CommandName satchel -ScriptBlock {
    param($word, $ast, $position)
    $typed = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
    if ($word -eq '') { $typed += '' }
    satchel __complete -- @typed 2>$null | ForEach-Object {
        $name, $note = $_ -split "` + "`t" + `", 2
        if (-not $note) { $note = $name }
        $text = $name
        if ($name -cnotmatch '^[A-Za-z0-9._~/:+=-]+$') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($name) + "'"
        }
        [System.Management.Automation.CompletionResult]::new($text, $name, 'ParameterValue', $note)
    }
}
`,
	}
}

// Run prints the script.
func (c *completionCmd) Run(a *cli.App) error {
	script := completionScripts()[c.Shell]
	if a.JSON {
		return a.Emit(map[string]string{"shell": c.Shell, "script": script})
	}
	a.Print("%s", strings.TrimSuffix(script, "\n"))
	return nil
}

// completeCmd answers the scripts: one line for each possible next word, with its meaning
// after a tab.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints the words that may replace the last word.
func (c *completeCmd) Run(a *cli.App, k *kong.Context) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for _, next := range nextWords(a, k.Model.Node, words[:len(words)-1], last) {
		if strings.HasPrefix(next.word, last) {
			a.Print("%s\t%s", next.word, cli.OneLine(next.note, 60))
		}
	}
	return nil
}

// nextWord is a possible next word and its meaning.
type nextWord struct{ word, note string }

// nextWords returns the words that may follow those before and begin with last.
func nextWords(a *cli.App, node *kong.Node, before []string, last string) []nextWord {
	flags := slices.Clone(node.Flags)
	var waiting *kong.Flag
	taken := 0
	for _, word := range before {
		switch {
		case waiting != nil:
			useStoreFlag(a, waiting.Name, word)
			waiting = nil
		case strings.HasPrefix(word, "-"):
			name, value, joined := strings.Cut(word, "=")
			if waiting = flagNamed(flags, name); waiting == nil || waiting.IsBool() || joined {
				if waiting != nil && joined {
					useStoreFlag(a, waiting.Name, value)
				}
				waiting = nil
			}
		default:
			child := childNamed(node, word)
			if child == nil {
				taken++
				continue
			}
			node, taken = child, 0
			flags = append(flags, node.Flags...)
		}
	}
	if waiting != nil {
		return valuesOf(a, waiting.Value)
	}
	if name, _, joined := strings.Cut(last, "="); joined && strings.HasPrefix(last, "--") {
		return joinedValues(a, flags, name)
	}
	return candidates(a, node, flags, taken, last)
}

// joinedValues returns the values of a flag, each after its name and a =.
func joinedValues(a *cli.App, flags []*kong.Flag, name string) (out []nextWord) {
	flag := flagNamed(flags, name)
	if flag == nil {
		return nil
	}
	for _, v := range valuesOf(a, flag.Value) {
		out = append(out, nextWord{name + "=" + v.word, v.note})
	}
	return out
}

// candidates returns the commands below a node, its flags if one was begun, and the values
// of the next argument.
func candidates(a *cli.App, node *kong.Node, flags []*kong.Flag, taken int, last string) (out []nextWord) {
	if strings.HasPrefix(last, "-") {
		for _, flag := range flags {
			if !flag.Hidden {
				out = append(out, nextWord{"--" + flag.Name, flag.Help})
			}
		}
		return out
	}
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			out = append(out, nextWord{child.Name, child.Help})
		}
	}
	if n := len(node.Positional); n > 0 {
		at := min(taken, n-1)
		if taken < n || node.Positional[at].IsCumulative() {
			if v := node.Positional[at]; v.Name != "id" || pathOf(node) == node.Name { // other commands take ids of other things
				out = append(out, valuesOf(a, v)...)
			}
		}
	}
	return out
}

// useStoreFlag applies a flag that selects the store.
func useStoreFlag(a *cli.App, flag, value string) {
	switch flag {
	case "store":
		a.Store = value
	case "home":
		a.HomeDir = value
	case "owner":
		a.Owner = value
	}
}

func flagNamed(flags []*kong.Flag, word string) *kong.Flag {
	i := slices.IndexFunc(flags, func(f *kong.Flag) bool {
		return word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short)
	})
	if i < 0 {
		return nil
	}
	return flags[i]
}

func childNamed(node *kong.Node, word string) *kong.Node {
	i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Type == kong.CommandNode && n.Name == word })
	if i < 0 {
		return nil
	}
	return node.Children[i]
}

// mostCompleted is how many memories completion lists for an id.
const mostCompleted = 50

// valuesOf returns the known values of a flag or an argument: a choice of words, the hosts,
// the formats, the store's projects and imports, its newest memories.
func valuesOf(a *cli.App, v *kong.Value) (out []nextWord) {
	if v.Name == "host" {
		for _, h := range operate.Hosts() {
			out = append(out, nextWord{h.Name, h.Title})
		}
		return out
	}
	for _, word := range v.EnumSlice() {
		if word != "" {
			out = append(out, nextWord{word, ""})
		}
	}
	if len(out) == 0 {
		out = formatWords(v)
	}
	if len(out) > 0 {
		return out
	}
	var read func(o *cli.Session) ([]nextWord, error)
	switch v.Name {
	case "id":
		read = func(o *cli.Session) ([]nextWord, error) { return idWords(a, o) }
	case "project":
		read = func(o *cli.Session) ([]nextWord, error) { return projectWords(a, o) }
	case "import", "undo":
		read = func(o *cli.Session) ([]nextWord, error) { return importWords(a, o) }
	default:
		return nil
	}
	a.Err = io.Discard // a message would disturb the typing
	_ = a.With(cli.Looking, func(o *cli.Session) (err error) {
		out, err = read(o)
		return err
	})
	return out
}

// idWords returns the newest memories.
func idWords(a *cli.App, o *cli.Session) (out []nextWord, err error) {
	page, err := o.List(a.Ctx, o.Caller(), vault.ListQuery{Newest: true, Limit: mostCompleted})
	short := a.Shortener(o, page.Records)
	for _, rec := range page.Records {
		if id := short(rec.ID); isShellSafe(id) {
			out = append(out, nextWord{id, rec.Body.Text})
		}
	}
	return out, err
}

// projectWords returns the projects.
func projectWords(a *cli.App, o *cli.Session) (out []nextWord, err error) {
	projects, err := o.Projects(a.Ctx, o.Caller(), a.Now())
	for _, p := range projects {
		if isShellSafe(p.Name) {
			out = append(out, nextWord{p.Name, cli.Plural(p.Records, "memory", "memories")})
		}
	}
	return out, err
}

// importWords returns the numbers of the imports.
func importWords(a *cli.App, o *cli.Session) (out []nextWord, err error) {
	imports, err := o.Imports(a.Ctx, o.Caller())
	for _, imp := range imports {
		out = append(out, nextWord{strconv.FormatInt(imp.Number, 10), imp.Name})
	}
	return out, err
}

// formatWords returns the formats that a flag takes: writable ones for --to, readable ones
// for all others.
func formatWords(v *kong.Value) (out []nextWord) {
	if v.Tag == nil || v.Tag.PlaceHolder != "FORMAT" {
		return nil
	}
	for _, f := range formats.All() {
		if v.Name != "to" || f.Create != nil || f.CreateIn != nil {
			out = append(out, nextWord{f.Name, f.Title})
		}
	}
	return out
}

// isShellSafe reports whether a word from the store may stand on a command line: no shell
// interprets any part of it, and it is no flag. Strangers choose such words.
func isShellSafe(word string) bool {
	return word != "" && word[0] != '-' && !strings.ContainsFunc(word, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._~/:@+-", r)
	})
}
