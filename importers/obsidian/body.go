package obsidian

import (
	"path"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/pattern"
)

// The relation types of links without a type of their own.
const (
	linksTo = "links_to"
	embeds  = "embeds"
)

// masked returns a text with spaces in place of code and of comments, %% … %%: nothing in
// them is a tag, a field or a link.
func masked(text string) string {
	text = markdown.MaskCode(text)
	if !strings.Contains(text, "%%") {
		return text
	}
	var b strings.Builder
	for i, piece := range strings.Split(text, "%%") {
		if i > 0 {
			b.WriteString("  ")
		}
		if i%2 == 0 {
			b.WriteString(piece)
			continue
		}
		for _, c := range []byte(piece) {
			if c != '\n' {
				c = ' '
			}
			b.WriteByte(c)
		}
	}
	return b.String()
}

// A field on a line of its own, and the key of one between brackets.
var (
	lineField = pattern.New(`^\s*(?:[-*+] (?:\[.\] )?|> ?)*([\pL\pN][\pL\pN _-]*?)\s*::\s+(.+)$`)
	fieldKey  = pattern.New(`^\s*([\pL\pN][\pL\pN _-]*?)\s*::\s*`)
)

// field is one of Dataview: "key:: value" on a line, or "[key:: value]" inside one.
type field struct{ key, value string }

// fields returns the fields of a masked text, in order.
func fields(masked string) []field {
	if !strings.Contains(masked, "::") {
		return nil
	}
	var out []field
	for text := range strings.Lines(masked) {
		text = strings.TrimRight(text, "\r\n")
		if !strings.Contains(text, "::") {
			continue
		}
		if m := lineField.FindStringSubmatch(text); m != nil {
			out = append(out, field{strings.TrimSpace(m[1]), strings.TrimSpace(m[2])})
			continue
		}
		out = append(out, inline(text)...)
	}
	return out
}

// inline returns the fields between brackets in a line.
func inline(line string) []field {
	ends := brackets(line)
	var out []field
	for at := 0; at < len(line); at++ {
		end := ends[at]
		if end == 0 {
			continue
		}
		if m := fieldKey.FindStringSubmatch(line[at+1 : end]); m != nil {
			out = append(out, field{m[1], strings.TrimSpace(line[at+1+len(m[0]) : end])})
			at = end
		}
	}
	return out
}

// brackets returns the ends of the brackets of a line, by their starts.
func brackets(line string) map[int]int {
	ends := map[int]int{}
	var square, round []int
	for i := range len(line) {
		switch line[i] {
		case '[':
			square = append(square, i)
		case '(':
			round = append(round, i)
		case ']':
			square = closes(square, ends, i)
		case ')':
			round = closes(round, ends, i)
		}
	}
	return ends
}

func closes(open []int, ends map[int]int, at int) []int {
	if len(open) == 0 {
		return open
	}
	ends[open[len(open)-1]] = at
	return open[:len(open)-1]
}

// fieldsOf makes an object of fields: a text for each key, or a list if it has several.
func fieldsOf(list []field) canon.Value {
	var keys []string
	values := map[string][]string{}
	for _, f := range list {
		if values[f.key] == nil {
			keys = append(keys, f.key)
		}
		values[f.key] = append(values[f.key], f.value)
	}
	members := make([]canon.Member, len(keys))
	for i, key := range keys {
		members[i] = canon.Member{Name: key, Value: markdown.Strings(values[key])}
		if len(values[key]) == 1 {
			members[i].Value = canon.String(values[key][0])
		}
	}
	return canon.Object(members...)
}

// relationSet collects relations, each once.
type relationSet struct {
	own  string // the note's own name
	list []memory.Relation
	seen map[memory.Relation]bool
	to   map[string]bool // targets with a type from a property or a field
}

// links adds a relation for each link in a text.
func (r *relationSet) links(kind, text string) {
	for _, link := range markdown.Links(text) {
		name := strings.TrimSuffix(path.Base(link.Target), ".md")
		if link.Target == "" || name == "." || name == "/" || isAttachment(name) || name == r.own {
			continue
		}
		rel := memory.Relation{Type: kind, Target: "entity:" + name}
		switch {
		case kind != linksTo:
			r.to[name] = true
		case r.to[name]:
			continue
		case link.Embed:
			rel.Type = embeds
		}
		if !r.seen[rel] {
			r.seen[rel] = true
			r.list = append(r.list, rel)
		}
	}
}

// isAttachment reports whether a link leads to a file that is not a note.
func isAttachment(name string) bool {
	return slices.Contains([]string{
		".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".avif", ".mp3", ".wav", ".m4a", ".ogg", ".3gp", ".flac",
		".webm", ".mp4", ".ogv", ".mov", ".mkv", ".pdf", ".canvas", ".base",
	}, strings.ToLower(path.Ext(name)))
}
