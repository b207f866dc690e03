package main

import (
	"io"
	"strings"
)

// A style is how a part of a result looks on a terminal, as an SGR sequence of ECMA-48.
type style string

// The styles. Each means one thing everywhere.
const (
	normal  style = "\x1b[0m"
	heading style = "\x1b[1m"  // the title of a section
	aside   style = "\x1b[2m"  // what stands beside the text: ids, kinds, times
	ident   style = "\x1b[36m" // an id to copy
	failing style = "\x1b[31m" // something is wrong
)

// The values of --color.
const (
	colourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

// coloured reports whether text on a stream may be styled: on a terminal that
// nobody asked to stay plain, or wherever --color always says so. JSON has no styles.
func (a *app) coloured(stream io.Writer) bool {
	switch {
	case a.json || a.colour == colourNever:
		return false
	case a.colour == colourAlways:
		return true
	}
	return isTerminal(stream) && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}

// paint writes a part of a result in a style. The text goes through the screen, as
// every result does; the style goes past it.
func (a *app) paint(s style, text string) {
	if text == "" || !a.coloured(a.out) {
		io.WriteString(a.out, text) //nolint:errcheck // as every print
		return
	}
	raw := a.out
	if guarded, ok := raw.(*screen); ok {
		raw = guarded.under
	}
	io.WriteString(raw, string(s))      //nolint:errcheck // as every print
	io.WriteString(a.out, text)         //nolint:errcheck // as every print
	io.WriteString(raw, string(normal)) //nolint:errcheck // as every print
}

// columns writes lines whose first word has a style.
func (a *app) columns(s style, lines string) {
	for line := range strings.Lines(lines) {
		end := max(strings.Index(line, "  "), 0)
		a.paint(s, line[:end])
		io.WriteString(a.out, line[end:]) //nolint:errcheck // as every print
	}
}

// fail writes the message that ends a command.
func (a *app) fail(message string) {
	name := "satchel:"
	if a.coloured(a.err) {
		name = string(failing) + name + string(normal)
	}
	a.warn("%s %s", name, message)
}

// page writes help, with the titles of its sections in the style of headings.
func (a *app) page(text string) {
	for line := range strings.Lines(text) {
		title := strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(title, ":") && !strings.HasPrefix(title, " ") {
			a.paint(heading, title)
			line = line[len(title):]
		}
		io.WriteString(a.out, line) //nolint:errcheck // as every print
	}
}
