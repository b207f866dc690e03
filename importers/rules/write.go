package rules

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

// compose makes a file of each record.
func (t *tool) compose(records []memory.Record) ([]notebook.Draft, error) {
	return notebook.Compose(records, t.place, t.front)
}

// place names the file of a record among the tool's rules.
func (t *tool) place(r memory.Record) string {
	folder := t.folder
	if t.ruled != "" && isRule(r.Kind) {
		folder = t.ruled
	}
	return folder + "/" + markdown.Title(r.Body.Text) + t.ending
}

// front spells the properties of a record, with those that the tool needs.
func (t *tool) front(r memory.Record, v canon.Value) (string, error) {
	v = renamed(v, globs, t.globs)
	for _, m := range t.added(r.Kind, markdown.Title(r.Body.Text)) {
		if !v.Has(m.Name) {
			v = v.With(m.Name, m.Value)
		}
	}
	bare := v.Get(globs).Text()
	if !t.bare || !isBare(bare) {
		return markdown.Render(v)
	}
	text, err := markdown.Render(v.Without(globs))
	return strings.TrimSuffix(text, "---\n") + globs + ": " + bare + "\n---\n", err
}

// isBare reports whether a text is patterns of files that tools spell without quotes, and
// that YAML does not take so.
func isBare(text string) bool {
	return strings.ContainsAny(text, "*?{,") && !strings.ContainsAny(text[:1], "\"'[|>") && !strings.ContainsAny(text, "\r\n") && strings.TrimSpace(text) == text
}

// quoteGlobs puts patterns of files in quotes, where tools have them bare.
func quoteGlobs(front string) string {
	var out strings.Builder
	for line := range strings.Lines(front) {
		value, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), globs+":")
		if value = strings.TrimSpace(value); ok && isBare(value) {
			line = globs + ": " + string(canon.String(value).Append(nil)) + "\n"
		}
		out.WriteString(line)
	}
	return out.String()
}
