package operate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonNode is a value in a JSON document with comments and trailing commas, the form of
// editors' settings. It holds byte offsets, so that an edit changes only its own place.
type jsonNode struct {
	start, end int // end is just after the value
	object     bool
	array      bool
	members    []jsonMember // of an object; those of an array have no name
	content    int          // of an object or array: end of its last value, comma or comment
	comma      bool         // a comma follows the last member
}

// jsonMember is a member of an object, or an item of an array.
type jsonMember struct {
	name  string // of a member
	start int    // of the name, or of the item
	value *jsonNode
	comma int // offset of the comma after it, or -1
}

// member returns the member with a name. Of doubled names the last counts, as for most
// readers.
func (n *jsonNode) member(name string) (jsonMember, bool) {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].name == name {
			return n.members[i], true
		}
	}
	return jsonMember{}, false
}

// jsonDepth limits nesting, which hujson does not; settings are shallow.
const jsonDepth = 200

// parseJSONC reads a whole document.
func parseJSONC(text string) (*jsonNode, error) {
	if nesting(text) > jsonDepth {
		return nil, fmt.Errorf("more than %d objects and arrays within each other", jsonDepth)
	}
	// hujson accepts no byte order mark, and needs a line end after a last // comment.
	skipped := len(text) - len(strings.TrimPrefix(text, "\ufeff"))
	root, err := hujson.Parse([]byte(text[skipped:] + "\n"))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return jsonNodeOf(text, skipped, root), nil
}

// nesting returns the greatest number of objects and arrays that are open at once.
func nesting(text string) (most int) {
	for open, i := 0, 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case rest[0] == '{' || rest[0] == '[':
			open++
			most = max(most, open)
		case rest[0] == '}' || rest[0] == ']':
			open--
		case rest[0] == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case strings.HasPrefix(rest, "//"):
			i += len(untilAfter(rest, "\n")) - 1
		case strings.HasPrefix(rest, "/*"):
			i += 1 + len(untilAfter(rest[2:], "*/"))
		}
	}
	return most
}

// untilAfter returns text up to and including end, or all of it.
func untilAfter(text, end string) string {
	if i := strings.Index(text, end); i >= 0 {
		return text[:i+len(end)]
	}
	return text
}

// jsonNodeOf returns a value with its offsets in text, of which hujson did not see the
// first skipped bytes.
func jsonNodeOf(text string, skipped int, v hujson.Value) *jsonNode {
	n := &jsonNode{start: skipped + v.StartOffset, end: skipped + v.EndOffset}
	n.content = n.start + 1
	add := func(name string, start int, value hujson.Value) {
		m := jsonMember{name: name, start: skipped + start, value: jsonNodeOf(text, skipped, value)}
		m.comma = m.value.end + len(value.AfterExtra)
		n.members = append(n.members, m)
		n.content = m.comma + 1
	}
	var after hujson.Extra
	switch v := v.Value.(type) {
	case *hujson.Object:
		n.object, after = true, v.AfterExtra
		for _, m := range v.Members {
			add(m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, m.Value)
		}
	case *hujson.Array:
		n.array, after = true, v.AfterExtra
		for _, item := range v.Elements {
			add("", item.StartOffset, item)
		}
	default:
		return n
	}
	if last := len(n.members) - 1; last >= 0 {
		// The comments after a last member without a comma belong to the container.
		if n.comma = text[n.members[last].comma] == ','; !n.comma {
			n.members[last].comma, n.content = -1, n.members[last].value.end
		}
	}
	if comments := strings.TrimRight(string(after), " \t\r\n"); comments != "" {
		n.content += len(comments)
		if blanks, _, ok := strings.Cut(string(after[len(comments):]), "\n"); ok {
			n.content += len(strings.TrimRight(blanks, "\r"))
		}
	}
	return n
}
