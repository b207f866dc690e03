package mapping

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf"
)

// countedText returns the text of counted fields of one entry: "issue 1: Leaks oil" of
// issue_1=Leaks oil, and severity=HIGH of severity_1=HIGH below it. False: they are none.
func countedText(lines []string) (string, bool) {
	said := make([]string, 0, len(lines))
	_, number := aicf.CountedKey(lines[0])
	for i, text := range lines {
		stem, n := aicf.CountedKey(text)
		if n == 0 || n != number {
			return "", false
		}
		key, raw, _ := strings.Cut(text, "=")
		plain, _ := aicf.Unescape(raw)
		if i == 0 {
			stem = stem + " " + key[len(stem)+1:] + ": " + plain
		} else {
			stem += "=" + plain
		}
		said = append(said, stem)
	}
	return strings.Join(said, "\n"), true
}

// headSays reports whether the header of a section that the format does not know says more
// than its kind, as in @RECIPE:apple_pie.
func (all *lineOwners) headSays() bool {
	switch all.section {
	case "INSIGHTS", "DECISIONS", "INSIGHT", "DECISION":
		return false
	}
	return aicf.IsHeader(all.lines[0]) && lineText(all.lines[0]) != ""
}
