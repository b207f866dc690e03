package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/text/pattern"
)

// markdownPage is a command's page in docs/cli.
func markdownPage(node *kong.Node) string {
	var b strings.Builder
	b.WriteString("<!-- Made from the program's own help by make docs. Change cmd/satchel/help and the commands instead. -->\n\n")
	if node.Type == kong.ApplicationNode {
		b.WriteString("# The command line\n\n")
		markdownText(&b, node.Detail)
		markdownCommands(&b, node)
		b.WriteString("## Flags of all commands\n\n")
		markdownFlags(&b, node)
		return strings.TrimRight(b.String(), "\n") + "\n"
	}
	markdownCommand(&b, node, 1)
	b.WriteString("[All commands](README.md)\n")
	return b.String()
}

// markdownCommand writes about a command and the commands below it.
func markdownCommand(b *strings.Builder, node *kong.Node, level int) {
	fmt.Fprintf(b, "%s satchel %s\n\n%s\n\n    %s\n\n", strings.Repeat("#", level), pathOf(node), markCode(node.Help), synopsis(node))
	markdownText(b, node.Detail)
	for _, arg := range node.Positional {
		fmt.Fprintf(b, "- `%s`: %s\n", strings.ToUpper(arg.Name), markCode(arg.Help))
	}
	if len(node.Positional) > 0 {
		b.WriteString("\n")
	}
	markdownFlags(b, node)
	for _, child := range shownChildren(node) {
		markdownCommand(b, child, min(level+1, 4))
	}
}

// markdownFlags writes the flags of a command.
func markdownFlags(b *strings.Builder, node *kong.Node) {
	flags := ownFlags(node)
	if len(flags) == 0 {
		return
	}
	b.WriteString("| flag | meaning |\n|---|---|\n")
	for _, flag := range flags {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.ReplaceAll(flagSyntax(flag), "|", `\|`), strings.ReplaceAll(markCode(flag.Help), "|", `\|`))
	}
	b.WriteString("\n")
}

// markdownCommands writes the index: every command under its heading.
func markdownCommands(b *strings.Builder, root *kong.Node) {
	for _, group := range groups() {
		fmt.Fprintf(b, "## %s\n\n| command | does |\n|---|---|\n", strings.TrimSuffix(group.Title, ":"))
		for _, node := range shownChildren(root) {
			if node.Group != nil && node.Group.Key == group.Key {
				fmt.Fprintf(b, "| [`%s`](%s) | %s |\n", node.Name, markdownName(node), markCode(node.Help))
			}
		}
		b.WriteString("\n")
	}
}

// markdownText writes a detailed help text.
func markdownText(b *strings.Builder, text string) {
	for _, p := range paragraphs(text) {
		if p.verbatim {
			for line := range strings.SplitSeq(p.text, "\n") {
				b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
			}
			b.WriteString("\n")
			continue
		}
		b.WriteString(markCode(p.text) + "\n\n")
	}
}

// code matches code in prose: flags, variables and file names.
var code = pattern.New(`(^|[\s(])(--?[a-z][a-z-]*|\$?[A-Z]+_[A-Z_]+|[a-z]+\.(?:json|head|db))([\s.,;:)]|$)`)

// markCode is prose for Markdown: code is marked, and brackets do not read as tags.
func markCode(text string) string {
	text = strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`).Replace(text)
	for range 2 { // neighbours share the blank between them
		text = code.ReplaceAllString(text, "$1`$2`$3")
	}
	return strings.ReplaceAll(text, `\_`, "_")
}
