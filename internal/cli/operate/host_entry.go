package operate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// yaml says where the host's YAML lists its servers.
func (h host) yaml() yamlServers {
	return yamlServers{section: h.section, listed: h.syntax == syntaxList, preamble: h.preamble}
}

// show renders the entry as it stands in the host's settings.
func (h host) show(s serverCommand) string {
	switch h.syntax {
	case syntaxTOML:
		return strings.TrimSuffix(tomlAppend("", "\n", h.path(), h.entry(s)), "\n")
	case syntaxYAML, syntaxList:
		y := h.yaml()
		y.preamble = ""
		return strings.TrimSuffix(y.appended(newYAMLText(""), true, h.entry(s)), "\n")
	}
	return indented(object([]setting{{h.section, object([]setting{{serverName, object(h.entry(s))}})}}))
}

// indented lays JSON out over lines.
func indented(value json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, value, "", "  "); err != nil {
		return string(value)
	}
	return b.String()
}

// set returns the settings with the entry.
func (h host) set(text string, s serverCommand) (string, error) {
	switch h.syntax {
	case syntaxTOML:
		return tomlSet(text, h.path(), h.entry(s))
	case syntaxYAML, syntaxList:
		return h.yaml().set(text, h.entry(s))
	}
	return jsonSet(text, h.path(), h.entry(s))
}

// remove returns the settings without the entry.
func (h host) remove(text string) (string, error) {
	switch h.syntax {
	case syntaxTOML:
		return tomlRemove(text, h.path())
	case syntaxYAML, syntaxList:
		return h.yaml().remove(text)
	}
	return jsonRemove(text, h.path())
}

// unchanged checks that only the entry differs.
func (h host) unchanged(before, after string) error {
	switch h.syntax {
	case syntaxTOML:
		return tomlUnchanged(before, after, h.path())
	case syntaxYAML, syntaxList:
		return h.yaml().unchanged(before, after)
	}
	return unchanged(before, after, h.path())
}

// hostEntry is the command of an entry in a host's settings.
type hostEntry struct {
	Command string
	Args    []string
}

// read finds satchel's entry in the text of a host's settings.
func (h host) read(text string) (hostEntry, bool, error) {
	var members map[string]any
	var ok bool
	var err error
	switch {
	case h.syntax == syntaxTOML:
		members, ok, err = readTOML(text, h.path())
	case h.syntax != syntaxJSON:
		members, ok, err = h.yaml().read(text)
	case !blank(text):
		members, ok, err = readJSONC(text, h.path())
	}
	if !ok || err != nil {
		return hostEntry{}, ok, err
	}
	return commandOfEntry(members), true, nil
}

// commandOfEntry finds the program and its arguments, which hosts name differently:
// OpenCode has both in one list.
func commandOfEntry(members map[string]any) hostEntry {
	var s hostEntry
	for _, name := range []string{"command", "cmd"} {
		switch value := members[name].(type) {
		case string:
			s.Command = value
		case []any:
			s.Args = stringsOf(value)
		}
	}
	if s.Command == "" && len(s.Args) > 0 {
		s.Command, s.Args = s.Args[0], s.Args[1:]
	}
	if args, ok := members["args"].([]any); ok {
		s.Args = append(s.Args, stringsOf(args)...)
	}
	return s
}

// stringsOf returns the strings of a list.
func stringsOf(items []any) []string {
	var texts []string
	for _, item := range items {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// readJSONC finds the object at path.
func readJSONC(text string, path []string) (map[string]any, bool, error) {
	n, err := parseJSONC(text)
	if err != nil {
		return nil, false, err
	}
	for _, name := range path {
		m, ok := n.member(name)
		if !ok {
			return nil, false, nil
		}
		n = m.value
	}
	members := map[string]any{}
	err = json.Unmarshal([]byte(plain(text, n, nil)), &members)
	return members, true, err
}

// readTOML finds the command of the table at path.
func readTOML(text string, path []string) (map[string]any, bool, error) {
	lines, err := parseTOML(text)
	members, found := map[string]any{}, false
	for _, l := range lines {
		if !within(l.path, path) {
			continue
		}
		found = true
		if l.head || len(l.path) != len(path)+1 {
			continue
		}
		name := l.path[len(path)]
		if !slices.Contains([]string{"command", "args"}, name) {
			continue
		}
		value := text[l.value:l.end]
		if !strings.ContainsAny(value, `"\`) { // TOML's other quotes
			value = strings.ReplaceAll(value, "'", `"`)
		}
		var decoded any
		if err := json.Unmarshal([]byte(value), &decoded); err != nil {
			return nil, true, fmt.Errorf("%s is not written as satchel writes it", name)
		}
		members[name] = decoded
	}
	return members, found, err
}

// list is a JSON array of strings.
func list(items []string) json.RawMessage {
	parts := make([]string, len(items))
	for i, s := range items {
		parts[i] = quoted(s)
	}
	return json.RawMessage("[" + strings.Join(parts, ", ") + "]")
}
