package server

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/text/redact"
)

// shownChange returns what a page may show of a change before the owner confirms it. The
// settings of an assistant hold the keys of other programs. So only the text that Satchel adds
// or takes out is there in full, less the secrets that the redactor finds in it. Of all other
// settings the names stay, and each text becomes "…".
func shownChange(f pages.FileChange) pages.FileChange {
	if isOneLine(f.Before) || isOneLine(f.After) {
		f.Before, f.After = laidOut(f.Before), laidOut(f.After)
	}
	hide := hideJSON
	switch strings.ToLower(filepath.Ext(f.File)) {
	case ".md", ".mdc", ".txt": // instructions, which have no settings
		hide = func(text, _ string) string { return text }
	case ".toml", ".yaml", ".yml":
		hide = hideLines
	}
	before, after := hide(f.Before, f.After), hide(f.After, f.Before)
	redact.Mask(&before, &after)
	f.Before, f.After = before, after
	return f
}

// isOneLine reports whether a text has one line at most.
func isOneLine(text string) bool { return !strings.Contains(strings.TrimSpace(text), "\n") }

// laidOut lays JSON out over lines. Another text stays as it is.
func laidOut(text string) string {
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(strings.TrimSpace(text)), "", "  "); err != nil {
		return text
	}
	return b.String() + "\n"
}

// jsonText matches a comment or a string of JSON, with the colon behind a name.
var jsonText = regexp.MustCompile(`//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"(?:\s*:)?`)

// hideJSON hides the comments and strings of JSON that the other text has as well, but not
// names and words that Satchel's own entries have.
func hideJSON(text, other string) string {
	shared := map[string]bool{}
	for _, part := range jsonText.FindAllString(other, -1) {
		shared[part] = true
	}
	return jsonText.ReplaceAllStringFunc(text, func(part string) string {
		switch {
		case !shared[part], strings.HasSuffix(part, ":") && part[0] == '"':
			return part
		case part[0] == '"':
			if isOwnWord(strings.Trim(part, `"`)) {
				return part
			}
			return `"…"`
		case strings.HasPrefix(part, "//"):
			return "// …"
		}
		return "/* … */"
	})
}

// isOwnWord reports whether a text stands in every entry of Satchel's, or says nothing.
func isOwnWord(text string) bool {
	switch text {
	case "", "mcp", "stdio", "local", "command", "satchel", "--store", "--home", "--owner":
		return true
	}
	return false
}

// lineName matches the start of a line of TOML or YAML: a table, or the name of a setting.
var lineName = regexp.MustCompile(`^(?:\[\[?[\w.-]+\]?\]\s*$|\s*(?:- )*(?:[\w.-]+|"[^"\n]*")\s*(?:=|:(?:\s|$))|\s*- )`)

// hideLines hides the values in lines of TOML or YAML that the other text has as well.
func hideLines(text, other string) string {
	shared := map[string]bool{}
	for line := range strings.SplitSeq(other, "\n") {
		shared[strings.TrimSpace(line)] = true
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !shared[strings.TrimSpace(line)] || strings.TrimSpace(line) == "" {
			continue
		}
		name := lineName.FindString(line)
		if name == "" {
			name = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		}
		if rest := strings.TrimSpace(line[len(name):]); rest != "" {
			line = strings.TrimRight(name, " ") + " …"
			if strings.TrimSpace(name) == "" {
				line = name + "…"
			}
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}
