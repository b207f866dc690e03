package claudecode

import (
	"strings"

	"github.com/satchel-memory/satchel/text/markdown"
)

// indentOf counts the white space at the beginning of a line, in bytes.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// across reports whether a line is a horizontal rule.
func across(line string) bool {
	line = strings.ReplaceAll(line, " ", "")
	return len(line) >= 3 && strings.ContainsRune("-*_", rune(line[0])) && strings.Trim(line, line[:1]) == ""
}

// listMarker returns the width of a list item's marker, with the space before and after it;
// 0: the line is not an item.
func listMarker(line string) (width int, numbered bool) {
	at := indentOf(line)
	rest := line[at:]
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	switch {
	case rest == "":
		return 0, false
	case digits > 0 && digits <= 9 && len(rest) > digits && (rest[digits] == '.' || rest[digits] == ')'):
		at += digits + 1
	case strings.ContainsRune("-*+", rune(rest[0])):
		at++
	default:
		return 0, false
	}
	if at == len(line) {
		return at, digits > 0
	}
	if line[at] != ' ' && line[at] != '\t' {
		return 0, false
	}
	return at + 1, digits > 0
}

// importLine returns the path of a line that consists of an import, with or without a list
// marker.
func importLine(line string) string {
	if width, _ := listMarker(line); width > 0 {
		line = strings.TrimSpace(line[min(width, len(line)):])
	}
	if strings.ContainsAny(line, " \t`") || !strings.ContainsAny(line, "./") {
		return ""
	}
	return importPath(line)
}

// importPaths returns the paths of the imports in a text, in order: words that begin with
// an @, outside code.
func importPaths(text string) []string {
	if !strings.Contains(text, "@") {
		return nil
	}
	var paths []string
	for _, word := range strings.Fields(markdown.MaskCode(text)) {
		if path := importPath(word); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// importPath returns the path of a word that is an import.
func importPath(word string) string {
	path, ok := strings.CutPrefix(word, "@")
	path = strings.TrimRight(path, ".,;:!?)]}\"'*_")
	if !ok || path == "" || strings.Contains(path, "@") {
		return ""
	}
	return path
}

// pathLike distinguishes the path of a missing file from a person's name.
func pathLike(path string) bool { return strings.ContainsAny(path, "./") }
