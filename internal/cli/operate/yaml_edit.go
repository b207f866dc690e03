package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// set sets the members of satchel's entry and leaves the rest of text as it is.
func (y yamlServers) set(text string, members []setting) (string, error) {
	bom := text[:len(text)-len(strings.TrimPrefix(text, "\ufeff"))]
	root, err := parseYAML(text[len(bom):])
	if err != nil {
		return "", err
	}
	t := newYAMLText(text[len(bom):])
	key, servers := yamlMember(root, y.section)
	_, at := y.find(root)
	switch {
	case at >= 0:
		err = y.renew(&t, members)
	case key == nil:
		t.text = y.appended(t, root == nil, members)
	default:
		err = y.insert(&t, key, servers, members)
	}
	if err != nil {
		return "", err
	}
	return bom + t.text, y.unchanged(text[len(bom):], t.text)
}

// named is an entry with its name, for a list.
func (y yamlServers) named(members []setting) []setting {
	if !y.listed {
		return members
	}
	return append([]setting{{"name", json.RawMessage(quoted(serverName))}}, members...)
}

// block writes the entry on lines of its own, indented by margin.
func (y yamlServers) block(margin, newline string, members []setting) string {
	var b strings.Builder
	first := margin + "- "
	if !y.listed {
		b.WriteString(margin + serverName + ":" + newline)
		first = margin + "  "
	}
	for i, m := range y.named(members) {
		if i > 0 {
			first = margin + "  "
		}
		b.WriteString(first + m.Name + ": " + string(m.Value) + newline)
	}
	return b.String()
}

// appended is a document with servers at its end. A new document gets the preamble.
func (y yamlServers) appended(t yamlText, fresh bool, members []setting) string {
	text := t.text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += t.newline
	}
	if fresh {
		text += strings.ReplaceAll(y.preamble, "\n", t.newline)
	}
	return text + y.section + ":" + t.newline + y.block("  ", t.newline, members)
}

// insert puts the entry before the first server, so that the end of the last one does not
// matter.
func (y yamlServers) insert(t *yamlText, key, servers *yaml.Node, members []setting) error {
	kind := yaml.MappingNode
	if y.listed {
		kind = yaml.SequenceNode
	}
	switch {
	case servers.Tag == "!!null" && servers.Value == "":
		at := lineEnd(t.text, t.offset(key))
		t.text = t.text[:at] + t.newline + strings.TrimSuffix(y.block("  ", t.newline, members), t.newline) + t.text[at:]
	case servers.Kind != kind:
		return fmt.Errorf("line %d: %s is not written as Satchel expects it", key.Line, y.section)
	case servers.Style&yaml.FlowStyle != 0:
		at := t.offset(servers) + 1
		text := flow(y.named(members))
		if !y.listed {
			text = quoted(serverName) + ": " + text
		}
		if len(servers.Content) > 0 {
			text += ", "
		}
		t.text = t.text[:at] + text + t.text[at:]
	default:
		at := t.line(servers.Line)
		t.text = t.text[:at] + y.block(strings.Repeat(" ", servers.Column-1), t.newline, members) + t.text[at:]
	}
	return nil
}

// renew writes the members of an entry that differ, and leaves the others.
func (y yamlServers) renew(t *yamlText, members []setting) error {
	for _, m := range members {
		root, err := parseYAML(t.text)
		if err != nil {
			return err
		}
		servers, at := y.find(root)
		entry := y.value(servers, at)
		key, value := yamlMember(entry, m.Name)
		var want, got any
		if err := yaml.Unmarshal(m.Value, &want); err != nil {
			return err
		}
		if value != nil && value.Decode(&got) == nil && reflect.DeepEqual(want, got) {
			continue
		}
		if entry.Kind != yaml.MappingNode || entry.Style&yaml.FlowStyle != 0 || len(entry.Content) == 0 {
			return fmt.Errorf("line %d: the entry %q is written on one line; write its members on lines of their own", entry.Line, serverName)
		}
		text := m.Name + ": " + string(m.Value)
		if key != nil {
			t.text = t.text[:t.offset(key)] + text + t.text[t.extent(key.Line, key.Column, false):]
			continue
		}
		last := entry.Content[len(entry.Content)-2]
		end := t.extent(last.Line, last.Column, false)
		t.text = t.text[:end] + t.newline + strings.Repeat(" ", last.Column-1) + text + t.text[end:]
	}
	return nil
}

// remove removes satchel's entry, with a section that holds nothing else, and leaves the
// rest as it is. Without such an entry it returns text itself.
func (y yamlServers) remove(text string) (string, error) {
	bom := text[:len(text)-len(strings.TrimPrefix(text, "\ufeff"))]
	text = text[len(bom):]
	root, err := parseYAML(text)
	if err != nil {
		return "", err
	}
	servers, at := y.find(root)
	if at < 0 {
		return bom + text, nil
	}
	t := newYAMLText(text)
	step := 2
	if y.listed {
		step = 1
	}
	if servers.Style&yaml.FlowStyle != 0 {
		text, err = y.removeFlow(t, servers, at, step)
		return bom + text, err
	}
	first, column, item := servers.Content[at], servers.Column, y.listed
	line := first.Line
	if y.listed {
		for line > servers.Line && !strings.HasPrefix(strings.TrimLeft(text[t.line(line):], " "), "-") {
			line--
		}
	}
	if len(servers.Content) == step {
		key, _ := yamlMember(root, y.section)
		line, column, item = key.Line, key.Column, false
	}
	start, end := t.line(line), t.extent(line, column, item)
	if next := strings.IndexByte(text[end:], '\n'); next >= 0 {
		end += next + 1
	}
	text = text[:start] + text[end:]
	return bom + text, y.unchanged(t.text, text)
}

// removeFlow removes the entry from servers in brackets.
func (y yamlServers) removeFlow(t yamlText, servers *yaml.Node, at, step int) (string, error) {
	start := t.offset(servers.Content[at])
	if at+step < len(servers.Content) {
		out := t.text[:start] + t.text[t.offset(servers.Content[at+step]):]
		return out, y.unchanged(t.text, out)
	}
	from := start
	if at > 0 {
		from = strings.LastIndexByte(t.text[:start], ',')
	}
	closing := "}"
	if y.listed {
		closing = "]"
	}
	for end := start; from >= 0; end++ {
		next := strings.Index(t.text[end:], closing)
		if next < 0 {
			break
		}
		end += next
		if out := t.text[:from] + t.text[end:]; y.unchanged(t.text, out) == nil {
			if root, err := parseYAML(out); err == nil {
				if _, left := y.find(root); left < 0 {
					return out, nil
				}
			}
		}
	}
	return "", errors.New("the entry cannot be taken out of servers in brackets")
}
