package markdown

import "strings"

// Heading reads a heading such as "## Testing"; level 0: the line is not a heading.
func Heading(line string) (level int, words string) {
	if len(line)-len(strings.TrimLeft(line, " \t")) > 3 {
		return 0, ""
	}
	line = strings.TrimSpace(line)
	words = strings.TrimLeft(line, "#")
	level = len(line) - len(words)
	if level < 1 || level > 6 || words != "" && words[0] != ' ' && words[0] != '\t' {
		return 0, ""
	}
	words = strings.TrimSpace(words)
	if bare := strings.TrimRight(words, "#"); bare == "" || strings.HasSuffix(bare, " ") {
		words = strings.TrimSpace(bare) // the closing run of marks that some people write
	}
	return level, words
}

// Link is a link from a note to another: [[target#place|alias]], or an embedded one
// with an exclamation mark before it.
type Link struct {
	Target string // as written; empty: a place in the same note
	Place  string // a heading, or a block with ^ before it
	Embed  bool
}

// Links returns the links in a text, except those in code.
func Links(text string) []Link {
	if !strings.Contains(text, "[[") {
		return nil
	}
	var out []Link
	for line := range strings.Lines(MaskCode(text)) {
		for {
			before, after, _ := strings.Cut(line, "[[")
			target, rest, ok := strings.Cut(after, "]]")
			if !ok {
				break
			}
			line = rest
			if inner := strings.LastIndex(target, "[["); inner >= 0 {
				before, target = target[:inner], target[inner+len("[["):]
			}
			out = append(out, linkOf(target, strings.HasSuffix(before, "!")))
		}
	}
	return out
}

func linkOf(inside string, embed bool) Link {
	target, _, _ := strings.Cut(inside, "|")
	target, place, _ := strings.Cut(strings.TrimSuffix(target, `\`), "#") // in tables the bar is escaped
	return Link{Target: strings.TrimSpace(target), Place: strings.TrimSpace(place), Embed: embed}
}
