package claudecode

import (
	"errors"
	"path"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// readNote parses a note and collects violations of CLAUDE-2 and CLAUDE-3.
func readNote(f file, limits codec.Limits, strict bool) (noteFile, []*codec.ParseError) {
	front, body, found, closed := markdown.Split(f.text)
	note := noteFile{Body: body}
	if !found {
		return note, nil
	}
	y := yamlReader{file: f.path, limits: limits}
	if !closed {
		y.add(ruleFront, 1, errors.New("front matter that nothing ends; write --- on a line of its own after it"))
		return note, y.found
	}
	note.Front = y.frontMatter(front)
	c := noteChecker{yamlReader: &y, front: note.Front}
	note.Name = c.word("name")
	note.Description = c.word("description")
	note.Type = c.word("type")
	if meta := note.Front.Get("metadata"); note.Type == "" && meta.Type() == canon.TypeObject {
		c.front = meta
		note.Type = c.word("type")
	}
	if strict {
		c.unknown(note.Front)
	}
	return note, y.found
}

// noteChecker reads the known keys.
type noteChecker struct {
	*yamlReader
	front canon.Value
}

// word reads a key whose value is one word or line (CLAUDE-3).
func (c *noteChecker) word(key string) string {
	v := c.front.Get(key)
	switch v.Type() {
	case canon.TypeUndefined, canon.TypeNull:
		return ""
	case canon.TypeString:
		if len(v.Text()) > c.limits.Name {
			c.add(ruleLimit, 2, errors.New("a "+key+" longer than the limit on names; shorten it"))
			return ""
		}
		return strings.TrimSpace(v.Text())
	case canon.TypeNumber:
		return v.Spelling()
	case canon.TypeBool:
		return string(v.Append(nil))
	}
	c.add(ruleNote, 2, errors.New("a "+key+" that is a list or a mapping; write one line"))
	return ""
}

func (c *noteChecker) unknown(front canon.Value) {
	for _, m := range front.Members() {
		switch m.Name {
		case "name", "description", "type", "metadata":
		default:
			c.add(ruleNote, 2, errors.New("an unknown key; it is kept as residue"))
		}
	}
}

// kind returns the kind of a note by its type.
func (n *noteFile) kind() memory.Kind {
	switch n.Type {
	case "user":
		return memory.Identity
	case "feedback":
		return memory.Procedural
	}
	return memory.Semantic
}

// aboutLine stands between a note's body and its description.
const aboutLine = "\n\nAbout: "

// text returns the body with the description if necessary, so that the text stands alone:
// the description often holds the words that people search for.
func (n *noteFile) text() string {
	body, about := strings.TrimSpace(n.Body), n.Description
	switch {
	case body == "" && about == "":
		return ""
	case body == "":
		return about
	case about == "" || strings.Contains(strings.ToLower(body), strings.ToLower(about)):
		return body
	}
	return body + aboutLine + about
}

// relations returns the note's subject and its links as relations.
func (n *noteFile) relations(name string, limits codec.Limits) []memory.Relation {
	own := slug(stem(name))
	seen := map[string]bool{own: true}
	var out []memory.Relation
	if own != "" {
		out = append(out, memory.Relation{Type: memory.About, Target: "entity:" + own})
	}
	for _, link := range markdown.Links(n.Body) {
		if name := slug(link.Target); name != "" && !seen[name] && len(name) <= limits.Name && len(out) < limits.Items {
			seen[name] = true
			out = append(out, memory.Relation{Type: linksTo, Target: "entity:" + name})
		}
	}
	return out
}

// linksTo is the relation from a note to the target of its link.
const linksTo = "links_to"

// slug spells a name as Claude Code names its files.
func slug(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), "-")) }

// stem returns a file's name without its folder and extension.
func stem(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }
