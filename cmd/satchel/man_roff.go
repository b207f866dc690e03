package main

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"
)

// roffPage is a command's page for man 1.
func roffPage(node *kong.Node) string {
	var b strings.Builder
	name := "satchel"
	if node.Type != kong.ApplicationNode {
		name += "-" + pageName(node)
	}
	help := node.Help
	if help == "" {
		help = "agent memory that its owner carries"
	}
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"satchel\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)), roff(name), roff(strings.TrimSuffix(help, ".")))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(synopsis(node)))
	roffText(&b, node.Detail, ".SH DESCRIPTION\n")
	roffArguments(&b, node, ".SH")
	children := shownChildren(node)
	if len(children) > 0 {
		b.WriteString(".SH COMMANDS\n")
	}
	for _, child := range children {
		if node.Type == kong.ApplicationNode {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(child.Name), roff(child.Help))
		} else {
			roffChild(&b, child)
		}
	}
	if node.Type == kong.ApplicationNode {
		b.WriteString(".SH SEE ALSO\nman satchel\\-COMMAND, satchel COMMAND \\-\\-help\n")
	} else {
		b.WriteString(".SH SEE ALSO\n.BR satchel (1)\n")
	}
	return b.String()
}

// roffChild writes about a command below the page's command.
func roffChild(b *strings.Builder, node *kong.Node) {
	fmt.Fprintf(b, ".SS %s\n%s\n", roff(synopsis(node)), roff(node.Help))
	roffText(b, node.Detail, ".PP\n")
	roffArguments(b, node, ".PP\n.B")
	for _, child := range shownChildren(node) {
		roffChild(b, child)
	}
}

// roffArguments writes the arguments and flags of a command, under titles in the given
// form.
func roffArguments(b *strings.Builder, node *kong.Node, title string) {
	if len(node.Positional) > 0 {
		b.WriteString(title + " ARGUMENTS\n")
	}
	for _, arg := range node.Positional {
		fmt.Fprintf(b, ".TP\n.I %s\n%s\n", roff(strings.ToUpper(arg.Name)), roff(arg.Help))
	}
	if flags := ownFlags(node); len(flags) > 0 {
		b.WriteString(title + " OPTIONS\n")
		for _, flag := range flags {
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(flagSyntax(flag)), roff(flag.Help))
		}
	}
}

// roffText writes a detailed help text under a title.
func roffText(b *strings.Builder, text, title string) {
	for i, p := range paragraphs(text) {
		if i == 0 {
			b.WriteString(title)
		} else {
			b.WriteString(".PP\n")
		}
		if p.verbatim {
			fmt.Fprintf(b, ".nf\n%s\n.fi\n", roff(p.text))
		} else {
			b.WriteString(roff(p.text) + "\n")
		}
	}
}

// roff escapes text for roff: backslashes and hyphens, and a point or an apostrophe at the
// start of a line, which would be a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	var b strings.Builder
	for _, r := range strings.Join(lines, "\n") {
		if r > unicode.MaxASCII { // readers of man pages expect different encodings
			fmt.Fprintf(&b, `\[u%04X]`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
