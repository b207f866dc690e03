package main

import (
	"embed"
	"strings"

	"github.com/alecthomas/kong"
)

// The detailed help of each command: help/token-mint.txt is the help of satchel
// token mint, help/satchel.txt that of the program. A paragraph holds prose; a line
// that begins with a blank stays as it is, and the commands among those lines are
// examples. Help, man pages and docs/cli all come from these texts.
//
//go:embed help/*.txt
var helpTexts embed.FS

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
