package main

import (
	"embed"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

// The detailed help of each command: help/token-mint.txt is the help of satchel
// token mint, help/satchel.txt that of the program. A paragraph holds prose; a line
// that begins with a blank stays as it is, and the commands among those lines are
// examples. Help, man pages and docs/cli all come from these texts.
//
//go:embed help/*.txt
var helpTexts embed.FS

// withHelp completes the help of all commands and flags.
func withHelp(k *kong.Kong) error {
	lists := strings.NewReplacer("${writes}", strings.Join(documents.WritableNames(), " or "), "${reads}", strings.Join(documents.FormatNames(), ", "),
		"${levels}", agentdoc.LevelNames())
	addHelp(k.Model.Node)
	return eachValue(k, func(v *kong.Value) { v.Help = lists.Replace(v.Help) })
}

// withoutHelp removes the help of all flags and arguments. Kong interpolates every help,
// which takes longer than the rest of parsing.
func withoutHelp(k *kong.Kong) error {
	return eachValue(k, func(v *kong.Value) {
		if v.Help = ""; v.Flag != nil {
			v.Flag.PlaceHolder = ""
		}
	})
}

// eachValue calls do for each flag and argument.
func eachValue(k *kong.Kong, do func(*kong.Value)) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if v, ok := node.(*kong.Value); ok {
			do(v)
		}
		return next(nil)
	})
}

// addHelp gives every command its detailed help.
func addHelp(node *kong.Node) {
	if text, err := helpTexts.ReadFile("help/" + pageName(node) + ".txt"); err == nil {
		node.Detail = strings.Trim(string(text), "\n")
	}
	for _, flag := range node.Flags {
		if flag.Name == "help" {
			flag.Help = "Show this help; after a command, the help for that command."
		}
	}
	for _, child := range node.Children {
		addHelp(child)
	}
}

// pageName is the name of a command's page: satchel, or token-mint.
func pageName(node *kong.Node) string {
	if path := pathOf(node); path != "" {
		return strings.ReplaceAll(path, " ", "-")
	}
	return "satchel"
}
