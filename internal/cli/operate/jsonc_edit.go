package operate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// setting is a member for a settings file. Value is JSON.
type setting struct {
	Name  string
	Value json.RawMessage
}

// jsonEdit is a document during an edit.
type jsonEdit struct {
	text    string
	unit    string // one step of indentation
	newline string
	flat    bool // the whole document is one line
}

// jsonSet sets members of the object at path and leaves the rest of text as it is: order,
// comments, spelling, other members of that object. It makes missing objects on the way. An
// empty text is an empty object.
func jsonSet(text string, path []string, members []setting) (string, error) {
	before := text
	if blank(text) {
		text += "{}\n"
	}
	root, err := parseJSONC(text)
	if err != nil {
		return "", err
	}
	_, deep, err := descend(root, path)
	if err != nil {
		return "", err
	}
	e := newEdit(text, root)
	if deep < len(path) {
		for i := len(path) - 1; i >= deep; i-- {
			members = []setting{{path[i], object(members)}}
		}
	}
	for _, m := range members {
		if err := e.put(path[:deep], m); err != nil {
			return "", err
		}
	}
	return e.text, unchanged(before, e.text, path)
}

// newEdit detects the document's layout.
func newEdit(text string, root *jsonNode) *jsonEdit {
	e := &jsonEdit{text: text, unit: "  ", newline: "\n"}
	if strings.Contains(text, "\r\n") {
		e.newline = "\r\n"
	}
	if len(root.members) > 0 {
		first := root.members[0].start
		e.flat = !strings.Contains(text[root.start:root.end], "\n")
		if unit := e.margin(first); unit != "" && strings.Contains(text[root.start:first], "\n") {
			e.unit = unit
		}
	}
	return e
}

// blank reports whether a settings file holds nothing yet.
func blank(text string) bool {
	return strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) == ""
}

// descend follows path as far as it exists.
func descend(n *jsonNode, path []string) (*jsonNode, int, error) {
	for i := 0; ; i++ {
		if !n.object && i == 0 {
			return nil, i, errors.New("the file does not hold a JSON object")
		}
		if !n.object {
			return nil, i, fmt.Errorf("%q is not an object", strings.Join(path[:i], "."))
		}
		if i == len(path) {
			return n, i, nil
		}
		m, ok := n.member(path[i])
		if !ok {
			return n, i, nil
		}
		n = m.value
	}
}

func object(members []setting) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(m.Name) + ":")
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// quoted writes a JSON string without the escapes meant for HTML.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// put sets one member of the object at path.
func (e *jsonEdit) put(path []string, m setting) error {
	root, err := parseJSONC(e.text)
	if err != nil {
		return err
	}
	n, deep, err := descend(root, path)
	if err != nil || deep < len(path) {
		return errors.Join(err, errors.New("the settings changed while being edited"))
	}
	old, ok := n.member(m.Name)
	if !ok {
		e.insert(n, quoted(m.Name)+": ", m.Value)
		return nil
	}
	value := string(m.Value)
	v, err := parseJSONC(value)
	if err != nil || plain(e.text, old.value, nil) == plain(value, v, nil) {
		return err
	}
	e.splice(old.value.start, old.value.end, e.render(m.Value, e.margin(old.start)))
	return nil
}

func (e *jsonEdit) splice(start, end int, with string) {
	e.text = e.text[:start] + with + e.text[end:]
}

// insert adds a value after the last one of an object or array. Name is its name with the
// colon; an item has none.
func (e *jsonEdit) insert(n *jsonNode, name string, value json.RawMessage) {
	last := len(n.members) - 1
	margin := e.margin(n.start) + e.unit
	if last >= 0 {
		margin = e.margin(n.members[last].start)
	}
	text := name + e.render(value, margin)
	if last >= 0 && n.comma {
		text += ","
	}
	switch end := n.end - 1; {
	case e.flat || last >= 0 && !strings.Contains(e.text[n.start:n.end], "\n"):
		if last >= 0 {
			text = " " + text
		}
		e.splice(n.content, n.content, text)
	case strings.Contains(e.text[n.content:end], "\n"):
		e.splice(n.content, n.content, e.newline+margin+text)
	default:
		e.splice(n.content, end, e.newline+margin+text+e.newline+e.margin(end))
	}
	if last >= 0 && !n.comma {
		end := n.members[last].value.end
		e.splice(end, end, ",")
	}
}

// render lays out a value whose first line follows margin.
func (e *jsonEdit) render(value json.RawMessage, margin string) string {
	var b bytes.Buffer
	if e.flat || json.Indent(&b, value, margin, e.unit) != nil {
		return string(value)
	}
	return strings.ReplaceAll(b.String(), "\n", e.newline)
}

// margin returns the white space that begins the line of an offset.
func (e *jsonEdit) margin(at int) string {
	line := e.text[strings.LastIndexByte(e.text[:at], '\n')+1 : at]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// jsonRemove removes the member at path, and leaves the rest as it is. Without such a
// member it returns text itself.
func jsonRemove(text string, path []string) (string, error) {
	if blank(text) {
		return text, nil
	}
	out := text
	for {
		root, err := parseJSONC(out)
		if err != nil {
			return "", err
		}
		n, deep, err := descend(root, path[:len(path)-1])
		if err != nil || deep < len(path)-1 {
			return out, unchanged(text, out, path) // the name occurs no more
		}
		i := slices.IndexFunc(n.members, func(m jsonMember) bool { return m.name == path[len(path)-1] })
		if i < 0 {
			return out, unchanged(text, out, path)
		}
		if out = cut(out, n, i); len(n.members) == 1 {
			if out, err = cutEmpty(out, path[:len(path)-1]); err != nil {
				return "", err
			}
		}
	}
}

// cutEmpty removes an object or array that holds nothing, not even a comment. jsonSet may
// have made it; a host treats it like a missing one.
func cutEmpty(text string, path []string) (string, error) {
	root, err := parseJSONC(text)
	if err != nil {
		return "", err
	}
	n, deep, err := descend(root, path[:len(path)-1])
	if err != nil || deep < len(path)-1 {
		return text, err
	}
	for i, m := range n.members {
		value := text[m.value.start:m.value.end]
		if m.name == path[len(path)-1] && (isHollow(value) || m.value.array && strings.TrimSpace(value[1:len(value)-1]) == "") {
			return cut(text, n, i), nil
		}
	}
	return text, nil
}

// cut removes the i-th member with its comma and its line.
func cut(text string, n *jsonNode, i int) string {
	m := n.members[i]
	start, end := m.start, m.value.end
	if m.comma >= 0 {
		text = text[:m.comma] + text[m.comma+1:]
	}
	line, _, _ := strings.Cut(text[end:], "\n")
	before := strings.TrimRight(text[:start], " \t\r\n")
	if strings.TrimSpace(line) == "" || !strings.Contains(text[len(before):start], "\n") {
		start = len(before)
	}
	text = text[:start] + text[end:]
	if m.comma < 0 && i > 0 { // the one before is the last now
		comma := n.members[i-1].comma
		text = text[:comma] + text[comma+1:]
	}
	return text
}

// plain writes a value without comments, white space and the member at skip, and without
// objects on the way to it that hold nothing else.
func plain(text string, n *jsonNode, skip []string) string {
	if !n.object && !n.array {
		return text[n.start:n.end]
	}
	var parts []string
	for _, m := range n.members {
		if n.array {
			parts = append(parts, plain(text, m.value, nil))
			continue
		}
		var below []string
		if len(skip) > 0 && skip[0] == m.name {
			if below = skip[1:]; len(below) == 0 {
				continue
			}
		}
		value := plain(text, m.value, below)
		if below != nil && value == "{}" {
			continue
		}
		parts = append(parts, quoted(m.name)+":"+value)
	}
	if n.object {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// unchanged checks that only the member at path differs.
func unchanged(before, after string, path []string) error {
	old, err := otherMembers(before, path)
	if err != nil {
		return err
	}
	now, err := otherMembers(after, path)
	if err != nil {
		return fmt.Errorf("the edited settings would not be valid: %w", err)
	}
	if old != now {
		return errors.New("editing would change other settings")
	}
	return nil
}

// otherMembers writes a document without the member at path.
func otherMembers(text string, path []string) (string, error) {
	if blank(text) {
		return "{}", nil
	}
	root, err := parseJSONC(text)
	if err != nil {
		return "", err
	}
	return plain(text, root, path), nil
}
