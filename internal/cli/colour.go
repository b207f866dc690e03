package cli

import (
	"io"
	"strings"
)

// Style is the look of a part of a result on a terminal, as an SGR sequence of ECMA-48.
type Style string

// The styles. Each has one meaning everywhere.
const (
	StyleNormal  Style = "\x1b[0m"
	StyleHeading Style = "\x1b[1m"  // the title of a section
	StyleAside   Style = "\x1b[2m"  // details beside the text: ids, kinds, times
	StyleID      Style = "\x1b[36m" // an id to copy
	StyleFailing Style = "\x1b[31m" // something is wrong
)

// The values of --color.
const (
	ColourAuto   = "auto"
	colourAlways = "always"
	colourNever  = "never"
)

// coloured reports whether text on a stream may have styles: on a terminal, unless the user
// wants plain text, or everywhere with --color always. JSON has no styles.
func (a *App) coloured(stream io.Writer) bool {
	switch {
	case a.JSON || a.Colour == colourNever:
		return false
	case a.Colour == colourAlways:
		return true
	}
	return IsTerminal(stream) && a.Env("NO_COLOR") == "" && a.Env("TERM") != "dumb" && paints(stream)
}

// Paint writes a part of a result in a style. The text passes through the screen, as every
// result does; the style does not.
func (a *App) Paint(s Style, text string) {
	if text == "" || !a.coloured(a.Out) {
		io.WriteString(a.Out, text) //nolint:errcheck // as every print
		return
	}
	raw := a.Out
	if guarded, ok := raw.(*screen); ok {
		raw = guarded.under
	}
	io.WriteString(raw, string(s))           //nolint:errcheck // as every print
	io.WriteString(a.Out, text)              //nolint:errcheck // as every print
	io.WriteString(raw, string(StyleNormal)) //nolint:errcheck // as every print
}

// Columns writes lines whose first word has a style.
func (a *App) Columns(s Style, lines string) {
	for line := range strings.Lines(lines) {
		end := max(strings.Index(line, "  "), 0)
		a.Paint(s, line[:end])
		io.WriteString(a.Out, line[end:]) //nolint:errcheck // as every print
	}
}

// Fail writes the message that ends a command.
func (a *App) Fail(message string) {
	name := "satchel:"
	if a.coloured(a.Err) {
		name = string(StyleFailing) + name + string(StyleNormal)
	}
	a.Warn("%s %s", name, message)
}

// Page writes help, with section titles in the style of headings.
func (a *App) Page(text string) {
	for line := range strings.Lines(text) {
		title := strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(title, ":") && !strings.HasPrefix(title, " ") {
			a.Paint(StyleHeading, title)
			line = line[len(title):]
		}
		io.WriteString(a.Out, line) //nolint:errcheck // as every print
	}
}
