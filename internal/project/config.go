package project

import (
	"cmp"
	"slices"
	"strings"
)

// remote is a [remote "name"] section of git's configuration.
type remote struct{ name, url string }

// remotes returns the addresses of the remotes in a repository's configuration: origin
// first, then upstream, then the others by name. If a remote has several addresses, the
// first counts, as for fetching.
func remotes(config string) []string {
	var found []remote
	section := ""
	for line := range logicalLines(config) {
		if head, ok := heading(line); ok {
			section = head
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || section == "" || !strings.EqualFold(strings.TrimSpace(key), "url") {
			continue
		}
		if !slices.ContainsFunc(found, func(r remote) bool { return r.name == section }) {
			found = append(found, remote{section, unquote(value)})
		}
	}
	slices.SortFunc(found, func(a, b remote) int {
		return cmp.Or(cmp.Compare(rank(a.name), rank(b.name)), cmp.Compare(a.name, b.name))
	})
	urls := make([]string, len(found))
	for i, r := range found {
		urls[i] = r.url
	}
	return urls
}

func rank(name string) int {
	switch name {
	case "origin":
		return 0
	case "upstream":
		return 1
	}
	return 2
}

// logicalLines yields trimmed lines, joining those that end in a backslash.
func logicalLines(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		held := ""
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			if rest, ok := strings.CutSuffix(line, `\`); ok && !strings.HasSuffix(rest, `\`) {
				held += rest
				continue
			}
			line, held = strings.TrimSpace(held+line), ""
			if !yield(line) {
				return
			}
		}
	}
}

// heading reads a section's head. It returns the name of a remote, and "" for a section of
// another kind.
func heading(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "[")
	if !ok {
		return "", false
	}
	kind, name, quoted := strings.Cut(rest, `"`)
	if !quoted || !strings.EqualFold(strings.TrimSpace(kind), "remote") {
		return "", true
	}
	end := strings.LastIndex(name, `"`)
	if end < 0 {
		return "", true
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(name[:end]), true
}

// unquote reads a value: it drops quotes, a backslash escapes, and a comment outside of
// quotes ends the value.
func unquote(value string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\\' && i+1 < len(value):
			i++
			b.WriteByte(value[i])
		case c == '"':
			quoted = !quoted
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}
