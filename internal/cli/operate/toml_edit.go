package operate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// tomlSet sets members of the table at path, each with a value that TOML and JSON write
// alike, and leaves the rest of text as it is. It adds a missing table at the end.
func tomlSet(text string, path []string, members []setting) (string, error) {
	lines, err := parseTOML(text)
	if err != nil {
		return "", err
	}
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	if err := tomlRoom(lines, path); err != nil {
		return "", err
	}
	out := text
	if !slices.ContainsFunc(lines, func(l tomlLine) bool { return within(l.path, path) }) {
		out = tomlAppend(text, newline, path, members)
		return out, tomlUnchanged(text, out, path)
	}
	after := path // a missing member goes after this statement
	for _, m := range members {
		if out, err = tomlPut(out, newline, path, after, m); err != nil {
			return "", err
		}
		after = append(slices.Clone(path), m.Name)
	}
	return out, tomlUnchanged(text, out, path)
}

// tomlPut sets one member of the table at path.
func tomlPut(text, newline string, path, after []string, m setting) (string, error) {
	lines, err := parseTOML(text)
	if err != nil {
		return "", err
	}
	full := append(slices.Clone(path), m.Name)
	for _, l := range lines {
		if !l.head && slices.Equal(l.path, full) {
			return text[:l.value] + string(m.Value) + text[l.end:], nil
		}
	}
	at := slices.IndexFunc(lines, func(l tomlLine) bool { return slices.Equal(l.path, after) })
	head := slices.ContainsFunc(lines, func(l tomlLine) bool { return l.head && slices.Equal(l.path, path) })
	if at < 0 || !head {
		return "", fmt.Errorf("%[1]s is written with dotted keys; write it as a table of its own, [%[1]s]", strings.Join(path, "."))
	}
	end := lineEnd(text, lines[at].end)
	return text[:end] + newline + tomlMember(m) + text[end:], nil
}

// tomlRoom refuses documents in which the table at path cannot be edited or added: it, or
// one above it, is a plain value or a list of tables.
func tomlRoom(lines []tomlLine, path []string) error {
	for _, l := range lines {
		if within(path, l.path) && (!l.head || l.many) {
			return fmt.Errorf("%s is written inline or as a list; write it as a table of its own, [%s]",
				strings.Join(l.path, "."), strings.Join(path, "."))
		}
	}
	return nil
}

// within reports whether a path equals another one or lies below it.
func within(path, above []string) bool {
	return len(path) >= len(above) && slices.Equal(path[:len(above)], above)
}

func tomlAppend(text, newline string, path []string, members []setting) string {
	var b strings.Builder
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteString(newline)
	}
	if strings.TrimSpace(text) != "" {
		b.WriteString(newline)
	}
	b.WriteString("[" + strings.Join(path, ".") + "]" + newline)
	for _, m := range members {
		b.WriteString(tomlMember(m) + newline)
	}
	return b.String()
}

func tomlMember(m setting) string { return m.Name + " = " + string(m.Value) }

// lineEnd returns where the line of an offset ends, before its line break.
func lineEnd(text string, at int) int {
	end := strings.IndexByte(text[at:], '\n')
	if end < 0 {
		return len(text)
	}
	return at + end - (len(text[at:at+end]) - len(strings.TrimSuffix(text[at:at+end], "\r")))
}

// tomlRemove removes the table at path and everything below it, and leaves the rest as it
// is. Without such a table it returns text itself.
func tomlRemove(text string, path []string) (string, error) {
	lines, err := parseTOML(text)
	if err != nil {
		return "", err
	}
	out := text
	for i := len(lines) - 1; i >= 0; i-- {
		if !within(lines[i].path, path) {
			continue
		}
		last := lines[i]
		for i > 0 && within(lines[i-1].path, path) {
			i--
		}
		out = tomlCut(out, lines[i].start, last.end)
	}
	return out, tomlUnchanged(text, out, path)
}

// tomlCut removes the lines from start to the line of end, and the empty line above if
// another one, or the end of the text, follows.
func tomlCut(text string, start, end int) string {
	if next := strings.IndexByte(text[end:], '\n'); next >= 0 {
		end += next + 1
	} else {
		end = len(text)
	}
	next, _, _ := strings.Cut(text[end:], "\n")
	above := strings.TrimSuffix(strings.TrimSuffix(text[:start], "\n"), "\r")
	if strings.HasSuffix(above, "\n") && strings.TrimSpace(next) == "" {
		start = len(above)
	}
	return text[:start] + text[end:]
}

// tomlUnchanged checks that every statement outside the table at path is the same.
func tomlUnchanged(before, after string, path []string) error {
	old, err := tomlOutside(before, path)
	if err != nil {
		return err
	}
	now, err := tomlOutside(after, path)
	if err != nil {
		return fmt.Errorf("the edited settings would not be valid: %w", err)
	}
	if !slices.Equal(old, now) {
		return errors.New("editing would change other settings")
	}
	return nil
}

// tomlOutside returns the statements outside the table at path, each after the full name of
// its subject.
func tomlOutside(text string, path []string) ([]string, error) {
	lines, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	var outside []string
	for _, l := range lines {
		if !within(l.path, path) {
			outside = append(outside, fmt.Sprintf("%q %s", l.path, text[l.start:l.end]))
		}
	}
	return outside, nil
}
