package exchange

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// longestName is the most bytes of a tool's name (section 4.4).
const longestName = 64

// ToolName takes the name of a tool, and returns a valid name that no other tool of the
// draft has. A changed name counts as lost.
func (d *Draft) ToolName(p Place) string {
	was := p.Peek()
	name := strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '_'
	}, was)
	if name == "" || strings.ContainsRune("0123456789-", rune(name[0])) {
		name = "_" + name
	}
	name = name[:min(len(name), longestName)]
	stem := name
	for d.names[name] > 0 {
		d.names[stem]++
		end := "_" + strconv.Itoa(d.names[stem])
		name = stem[:min(len(stem), longestName-len(end))] + end
	}
	d.names[name]++
	if name != was {
		p.Lose("the tool is called " + name + ", as its name is none that a definition takes, or another has it [AAIF-4.4-2]")
	}
	p.Skip()
	return name
}

// Function takes a tool in OpenAI's form of functions: name, description and parameters.
// It ignores values that are not objects with a name. It returns the tool's name.
func (d *Draft) Function(p Place, more ...canon.Member) (name string, ok bool) {
	if p.Get("name").Peek() == "" {
		return "", false
	}
	name = d.ToolName(p.Get("name"))
	tool := canon.Object(append([]canon.Member{
		{Name: "name", Value: canon.String(name)},
		{Name: "description", Value: canon.String(p.Get("description").Text())},
		{Name: "parameters_schema", Value: p.Get("parameters").Of(canon.TypeObject)},
	}, more...)...)
	d.AddTool(tool)
	return name, true
}

// Segment writes a name as a path segment of an address.
func Segment(name string) string { return url.PathEscape(name) }

// Texts adds new strings to the list at a path. Other values count as lost.
func (d *Draft) Texts(list []Place, names ...string) {
	texts := slices.Clone(d.Get(names...).Items())
	had := map[string]bool{}
	for _, v := range texts {
		had[v.Text()] = true
	}
	for _, i := range list {
		text := i.Peek()
		if text == "" {
			continue
		}
		i.Skip()
		if !had[text] {
			texts = append(texts, i.Value)
		}
		had[text] = true
	}
	if len(texts) > 0 {
		d.Set(canon.Array(texts...), names...)
	}
}

// allText reports whether all items of a list are strings.
func allText(v canon.Value) bool {
	for _, i := range v.Items() {
		if i.Type() != canon.TypeString {
			return false
		}
	}
	return true
}

// ResponseFormat takes an OpenAI response_format, and reports a malformed one as lost.
func (d *Draft) ResponseFormat(p Place) {
	kind := p.Get("type")
	if p.Value.Type() == canon.TypeString {
		kind = p
	}
	var word canon.Value
	switch kind.Peek() {
	case "auto":
		kind.Skip()
		return
	case "text":
		word = canon.String("text")
	case "json_object":
		word = canon.String("json")
	case "json_schema":
		word = canon.String("json_schema")
		inner := p.Get("json_schema")
		d.Set(inner.Get("schema").Of(canon.TypeObject), "agent", "io", "output_schema")
	default:
		return
	}
	kind.Skip()
	d.Set(word, "agent", "model", "response_format")
}
