package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/text/pattern"
)

// synonyms are words of other programs that people type for commands. Of several commands
// the first existing one counts: list in satchel token ls, list in satchel ls.
func synonyms() map[string][]string {
	list, remove, add := []string{"list"}, []string{"remove", "delete", "revoke", "forget"}, []string{"add", "mint", "new", "remember"}
	show, change := []string{"get", "show", "inspect"}, []string{"revise", "correct", "update"}
	find, server, decide := []string{"recall", "search"}, []string{"serve"}, []string{"corrections"}
	return map[string][]string{
		"search": find, "find": find, "query": find, "ask": find, "grep": find, "lookup": find,
		"add": add, "create": add, "new": add, "note": add, "save": add, "write": add, "put": add, "issue": add, "learn": add,
		"delete": remove, "del": remove, "rm": remove, "remove": remove, "drop": remove,
		"ls": list, "all": list, "dir": list, "memories": list,
		"show": show, "cat": show, "view": show, "read": show, "print": show, "open": show,
		"edit": change, "update": change, "change": change, "set": change, "replace": change,
		"ui": server, "gui": server, "web": server, "dashboard": server, "server": server, "start": server, "restart": server, "run": server, "daemon": server, "http": server,
		"login": {"connect"}, "auth": {"token mint"}, "signin": {"connect"}, "install": {"connect"}, "setup": {"init"}, "disconnect": {"connect --remove"}, "uninstall": {"connect --remove"},
		"status": {"doctor", "status"}, "info": {"doctor"}, "health": {"doctor"}, "check": {"doctor"}, "stats": {"doctor"}, "fix": {"doctor --mend"}, "repair": {"doctor --mend"},
		"load": {"import"}, "ingest": {"import"}, "restore-backup": {"restore"}, "dump": {"export"}, "sync": {"backup"}, "log": {"audit show"}, "logs": {"audit show"},
		"reject": decide, "confirm": decide, "accept": decide, "approve": decide, "pending": decide, "proposals": decide,
		"undo": {"import --undo"}, "wipe": {"erase"}, "clear": {"erase"}, "reset": {"erase"}, "purge": {"erase"}, "destroy": {"erase"},
		"whoami": {"passport"}, "profile": {"passport"}, "user": {"owner"}, "users": {"owner"}, "migrate": {"store migrate"}, "move": {"store move"},
		"undelete": {"history"}, "versions": {"history"}, "summary": {"brief"}, "summarize": {"brief"}, "completions": {"completion"}, "manual": {"man"},
	}
}

// notCommand matches kong's message for a word that is no command or argument.
var notCommand = pattern.New(`^unexpected argument ([^,\s]+)`)

// badKind matches kong's message for a wrong value of --kind.
var badKind = pattern.New(`^--kind must be one of .* but got "(.*)"$|^--kind: expected string value`)

// hint returns an error with the most likely correction of a wrong command line; else err
// itself.
func hint(err *kong.ParseError) error {
	said := err.Error()
	if m := badKind.FindStringSubmatch(said); m != nil {
		return hintError{cli.Usagef("%s\n%s", kindProblem(m[1]), kinds())}
	}
	m := notCommand.FindStringSubmatch(said)
	if m == nil || err.Context == nil {
		return plainUsage(err)
	}
	node := err.Context.Model.Node
	if selected := err.Context.Selected(); selected != nil {
		node = selected
	}
	if len(node.Children) == 0 {
		return cli.Usagef("satchel %s takes no further argument, and %q is one; a text of several words needs quotes", pathOf(node), cli.Clean(m[1]))
	}
	meant := commandsFor(m[1], node)
	switch {
	case len(meant) == 0:
		return cli.Usagef("there is no command %q", cli.Clean(m[1]))
	case len(meant) > 1:
		return hintError{cli.Usagef("there is no command %q; did you mean one of: %s", cli.Clean(m[1]), strings.Join(meant, ", "))}
	}
	return hintError{cli.Usagef("there is no command %q; did you mean: %s", cli.Clean(m[1]), meant[0])}
}

// hintError is an error whose message says what to type.
type hintError struct{ error }

// Unwrap returns the failure.
func (h hintError) Unwrap() error { return h.error }

// kindProblem says which kind was given.
func kindProblem(given string) string {
	if given == "" {
		return "--kind needs one of these words:"
	}
	return fmt.Sprintf("%q is not a kind; --kind takes one of these words:", cli.Clean(given))
}

// kinds explains the kinds of memories, one on each line.
func kinds() string {
	return "  semantic    a fact or a preference: \"I am allergic to shellfish\"\n" +
		"  episodic    an event: \"We moved to Lisbon in May\"\n" +
		"  procedural  a rule or the way to do something: \"Run the tests before a commit\"\n" +
		"  working     a note for the task at hand\n" +
		"  identity    who somebody is: \"Mira is my sister\""
}

// commandsFor returns the commands below a node that a word most likely means.
func commandsFor(word string, node *kong.Node) []string {
	names := childNames(node)
	path := strings.TrimSpace("satchel " + pathOf(node))
	synonym := synonyms()[strings.ToLower(word)]
	for _, name := range synonym {
		if first, _, _ := strings.Cut(name, " "); slices.Contains(names, first) {
			return []string{path + " " + name}
		}
	}
	var meant []string
	for _, name := range similarNames(word, names) {
		meant = append(meant, path+" "+name)
	}
	if like := similarNames(word, slices.Sorted(maps.Keys(synonyms()))); synonym == nil && len(meant) == 0 && len(like) > 0 && cli.SpellingSlips(word) > 0 {
		return commandsFor(like[0], node)
	}
	return meant
}

// childNames returns the names of the commands below a node that help lists.
func childNames(node *kong.Node) (names []string) {
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			names = append(names, child.Name)
		}
	}
	return names
}

// pathOf returns the words of a command, without the program's name.
func pathOf(node *kong.Node) string {
	var names []string
	for ; node != nil && node.Type == kong.CommandNode; node = node.Parent {
		names = append([]string{node.Name}, names...)
	}
	return strings.Join(names, " ")
}

// similarNames returns the names that differ least from a word, by no more letters than a
// typing mistake changes, or that begin with the word.
func similarNames(word string, names []string) (like []string) {
	word = strings.ToLower(word)
	least := cli.SpellingSlips(word)
	for _, name := range names {
		d := codec.Distance(word, name)
		if d > least && len(word) >= 3 && strings.HasPrefix(name, word) {
			d = least
		}
		switch {
		case d > least:
		case d < least:
			least, like = d, []string{name}
		default:
			like = append(like, name)
		}
	}
	return like
}
