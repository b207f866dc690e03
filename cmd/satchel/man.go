package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/satchel-memory/satchel/internal/cli"
)

//go:generate go run . man --format markdown -o ../../docs/cli

type manCmd struct {
	Output string `short:"o" required:"" help:"The folder for the pages." placeholder:"DIR"`
	Format string `default:"man" enum:"man,markdown" help:"man: pages for man 1. markdown: the pages of docs/cli." placeholder:"F"`
}

// Run writes the pages that differ from the files.
func (c *manCmd) Run(a *cli.App, k *kong.Context) error {
	if err := os.MkdirAll(c.Output, 0o755); err != nil {
		return err
	}
	pages := manual(k.Model.Node, c.Format)
	var names []string
	for name, text := range pages {
		names = append(names, name)
		path := filepath.Join(c.Output, name)
		if old, err := os.ReadFile(path); err == nil && string(old) == text {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	slices.Sort(names)
	if a.JSON {
		return a.Emit(map[string]any{"folder": c.Output, "pages": names})
	}
	a.Say("wrote %s to %s", cli.Plural(len(names), "page", "pages"), cli.Clean(c.Output))
	if c.Format == "man" {
		a.Say("read one with: man %s", filepath.Join(cli.Clean(c.Output), "satchel.1"))
	}
	return nil
}

// manual returns the manual's pages by file name: one for the program and one for each of
// its commands, with the commands below it.
func manual(root *kong.Node, format string) map[string]string {
	pages := map[string]string{}
	for _, node := range append([]*kong.Node{root}, shownChildren(root)...) {
		if format == "markdown" {
			pages[markdownName(node)] = markdownPage(node)
		} else {
			name := "satchel"
			if node != root {
				name += "-" + pageName(node)
			}
			pages[name+".1"] = roffPage(node)
		}
	}
	return pages
}

// markdownName is the file name of a command's page; the program's page is the folder's
// index.
func markdownName(node *kong.Node) string {
	if node.Type == kong.ApplicationNode {
		return "README.md"
	}
	return pageName(node) + ".md"
}

// shownChildren returns the commands below a node that help shows.
func shownChildren(node *kong.Node) (out []*kong.Node) {
	for _, child := range node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			out = append(out, child)
		}
	}
	return out
}

// ownFlags returns a command's flags, without those of all commands and of help.
func ownFlags(node *kong.Node) (out []*kong.Flag) {
	for _, flag := range node.Flags {
		if !flag.Hidden && (node.Type == kong.ApplicationNode || flag.Name != "help") {
			out = append(out, flag)
		}
	}
	return out
}

// synopsis is the syntax of a command.
func synopsis(node *kong.Node) string {
	words := []string{strings.TrimSpace("satchel " + pathOf(node))}
	if len(shownChildren(node)) > 0 && node.DefaultCmd != nil {
		return words[0] + " [COMMAND]"
	}
	if len(shownChildren(node)) > 0 {
		return words[0] + " COMMAND"
	}
	for _, arg := range node.Positional {
		words = append(words, strings.ToUpper(strings.NewReplacer("<", "", ">", "", " ...", "...").Replace(arg.Summary())))
	}
	if len(ownFlags(node)) > 0 {
		words = append(words, "[flags]")
	}
	return strings.Join(words, " ")
}

// flagSyntax is the syntax of a flag, with the name of its value.
func flagSyntax(flag *kong.Flag) string {
	text := "--" + flag.Name
	if flag.Tag.Negatable != "" {
		text = "--[no-]" + flag.Name
	}
	if !flag.IsBool() {
		value := flag.PlaceHolder
		if value == "" {
			value = strings.ToUpper(flag.Name)
		}
		text += "=" + value
	}
	if flag.Short != 0 {
		text = "-" + string(flag.Short) + ", " + text
	}
	return text
}

// paragraph is a part of a detailed help text: prose, or literal lines.
type paragraph struct {
	text     string
	verbatim bool
}

// paragraphs splits a text at empty lines.
func paragraphs(text string) (out []paragraph) {
	for part := range strings.SplitSeq(text, "\n\n") {
		if part = strings.Trim(part, "\n"); part != "" {
			out = append(out, paragraph{part, strings.HasPrefix(part, " ")})
		}
	}
	return out
}
