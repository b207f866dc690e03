package operate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlServers says where a YAML document lists servers: in an object that names each, or in
// a list of objects with a name.
type yamlServers struct {
	section  string
	listed   bool
	preamble string // beginning of a new document
}

// parseYAML reads the single object of a document, or nil if the document holds nothing.
func parseYAML(text string) (*yaml.Node, error) {
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, yamlError(err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file holds more than one document")
	}
	root := doc.Content[0]
	switch {
	case root.Tag == "!!null":
		return nil, nil
	case root.Kind != yaml.MappingNode:
		return nil, errors.New("the file holds no object")
	}
	return root, nil
}

// yamlError words the library's errors as the other parsers do.
func yamlError(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
}

// yamlMember returns the name and the value of a member.
func yamlMember(n *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; n != nil && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i], n.Content[i+1]
		}
	}
	return nil, nil
}

// find returns the servers, and the number of satchel's entry among their nodes, or -1.
// Of an object each second node is a value.
func (y yamlServers) find(root *yaml.Node) (servers *yaml.Node, at int) {
	_, servers = yamlMember(root, y.section)
	if servers == nil {
		return nil, -1
	}
	return servers, slices.IndexFunc(servers.Content, func(n *yaml.Node) bool {
		if !y.listed {
			return n.Kind == yaml.ScalarNode && n.Value == serverName && slices.Index(servers.Content, n)%2 == 0
		}
		_, name := yamlMember(n, "name")
		return name != nil && name.Value == serverName
	})
}

// value is the object of an entry that find found.
func (y yamlServers) value(servers *yaml.Node, at int) *yaml.Node {
	if y.listed {
		return servers.Content[at]
	}
	return servers.Content[at+1]
}

// read finds satchel's entry.
func (y yamlServers) read(text string) (map[string]any, bool, error) {
	root, err := parseYAML(text)
	if err != nil {
		return nil, false, err
	}
	servers, at := y.find(root)
	if at < 0 {
		return nil, false, nil
	}
	entry := map[string]any{}
	if err := y.value(servers, at).Decode(&entry); err != nil {
		return nil, true, yamlError(err)
	}
	return entry, true, nil
}

// unchanged checks that only satchel's entry differs, and the preamble of a new document.
func (y yamlServers) unchanged(before, after string) error {
	old, err := y.without(before)
	if err != nil {
		return err
	}
	now, err := y.without(after)
	if err != nil {
		return fmt.Errorf("the edited settings would not be valid: %w", err)
	}
	if len(old) == 0 || len(now) == 0 {
		y.dropPreamble(old)
		y.dropPreamble(now)
	}
	if !reflect.DeepEqual(old, now) {
		return errors.New("editing would change other settings")
	}
	return nil
}

// dropPreamble removes the preamble's members.
func (y yamlServers) dropPreamble(doc map[string]any) {
	var first map[string]any
	if yaml.Unmarshal([]byte(y.preamble), &first) != nil {
		return
	}
	for name, value := range first {
		if reflect.DeepEqual(doc[name], value) {
			delete(doc, name)
		}
	}
}

// without returns a document without satchel's entry, and without empty lists of servers.
func (y yamlServers) without(text string) (map[string]any, error) {
	doc := map[string]any{}
	root, err := parseYAML(text)
	if err != nil || root == nil {
		return doc, err
	}
	if err := root.Decode(&doc); err != nil {
		return nil, yamlError(err)
	}
	switch servers := doc[y.section].(type) {
	case map[string]any:
		if delete(servers, serverName); len(servers) == 0 {
			delete(doc, y.section)
		}
	case []any:
		kept := slices.DeleteFunc(servers, func(s any) bool {
			member, ok := s.(map[string]any)
			return y.listed && ok && member["name"] == serverName
		})
		if doc[y.section] = kept; len(kept) == 0 {
			delete(doc, y.section)
		}
	case nil:
		delete(doc, y.section)
	}
	return doc, nil
}

// yamlText is a document during an edit, line by line.
type yamlText struct {
	text    string
	newline string
}

func newYAMLText(text string) yamlText {
	t := yamlText{text, "\n"}
	if strings.Contains(text, "\r\n") {
		t.newline = "\r\n"
	}
	return t
}

// line returns the start of a line, counted from 1.
func (t yamlText) line(number int) int {
	at := 0
	for ; number > 1; number-- {
		next := strings.IndexByte(t.text[at:], '\n')
		if next < 0 {
			return len(t.text)
		}
		at += next + 1
	}
	return at
}

// offset returns the start of a node.
func (t yamlText) offset(n *yaml.Node) int {
	at := t.line(n.Line)
	for i := 1; i < n.Column && at < len(t.text); i++ {
		_, size := utf8.DecodeRuneInString(t.text[at:])
		at += size
	}
	return at
}

// extent returns the end, without its line break, of the last line of the member or item
// that begins in a line. All following lines with a deeper indent than column, counted from
// 1, belong to it. A list's items may stand below the member's name.
func (t yamlText) extent(line, column int, item bool) int {
	start := t.line(line)
	end := lineEnd(t.text, start)
	for next := t.line(line + 1); next < len(t.text); {
		rest := t.text[next:lineEnd(t.text, next)]
		inner := strings.TrimLeft(rest, " ")
		indent := len(rest) - len(inner)
		below := indent == column-1 && !item && (inner == "-" || strings.HasPrefix(inner, "- "))
		if blankLine := strings.TrimSpace(rest) == ""; !blankLine && indent < column && !below {
			break
		} else if !blankLine {
			end = next + len(rest)
		}
		skip := strings.IndexByte(t.text[next:], '\n')
		if skip < 0 {
			break
		}
		next += skip + 1
	}
	return end
}

// flow writes members as one line of YAML, which is JSON.
func flow(members []setting) string {
	var b bytes.Buffer
	for i, m := range members {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(m.Name) + ": ")
		b.Write(m.Value)
	}
	return "{" + b.String() + "}"
}
