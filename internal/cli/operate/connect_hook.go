package operate

import (
	"encoding/json"
	"runtime"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/text/pattern"
)

// hookBudget is how many tokens of memories a new session gets.
const hookBudget = 600

// hookEntry is the entry that a host runs at the start of a session.
func hookEntry(h host, s serverCommand) []setting {
	return []setting{
		{"type", json.RawMessage(`"command"`)},
		{"command", json.RawMessage(quoted(hookCommand(s)))},
		{"timeout", json.RawMessage(strconv.Itoa(h.timeout))},
	}
}

// hookCommand is the line that a host hands to its shell. It uses the same store as the
// server.
func hookCommand(s serverCommand) string {
	return shellQuote(s.program) + hookTail(s)
}

// hookTail is the part after the program.
func hookTail(s serverCommand) string {
	var b strings.Builder
	b.WriteString(hookMark + " --budget " + strconv.Itoa(hookBudget))
	for _, arg := range s.args[1:] {
		b.WriteString(" " + shellQuote(arg))
	}
	return b.String()
}

// noHook reports whether no session should wait for the store: a database may be far away.
func noHook(a *cli.App) bool {
	at, err := a.Home()
	return err == nil && at.InDatabase()
}

// shellQuote writes an argument as one word for a shell. Windows has several shells:
// they agree on double quotes and on slashes in paths.
func shellQuote(arg string) string {
	if runtime.GOOS == "windows" {
		if arg = strings.ReplaceAll(arg, `\`, "/"); strings.ContainsAny(arg, " &()'") {
			return `"` + arg + `"`
		}
		return arg
	}
	if shellWord.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// shellWord matches an argument that no shell interprets.
var shellWord = pattern.New(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellUnquote is the inverse of shellQuote.
func shellUnquote(word string) string {
	switch {
	case strings.HasPrefix(word, `"`):
		return strings.Trim(word, `"`)
	case strings.HasPrefix(word, "'"):
		return strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(word, "'"), "'"), `'\''`, "'")
	}
	return word
}

// readHook finds the command of satchel's hook in a host's list of hooks.
func readHook(text string) (string, bool, error) {
	if blank(text) {
		return "", false, nil
	}
	root, err := parseJSONC(text)
	if err != nil {
		return "", false, err
	}
	_, _, hooks, i, err := jsonHooks(text, root)
	if err != nil || hooks == nil {
		return "", false, err
	}
	m, _ := jsonHook(text, hooks.members[i].value)
	var command string
	err = json.Unmarshal([]byte(text[m.value.start:m.value.end]), &command)
	return command, true, err
}
