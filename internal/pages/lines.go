package pages

import "strings"

// mostLines is how many lines of each text are compared; longer texts are not.
const mostLines = 800

// linesAround is how many lines without a change stand around one that changed.
const linesAround = 2

// changedLine is a line of the difference between two texts.
type changedLine struct {
	Text     string
	Old, New bool
}

// changedLines returns the lines that two texts do not share, with a few around them. It
// returns none for equal texts and for those that are too long.
func changedLines(before, text string) []changedLine {
	old, lines := strings.Split(before, "\n"), strings.Split(text, "\n")
	if before == text || len(old) > mostLines || len(lines) > mostLines {
		return nil
	}
	length := longestCommon(len(old), len(lines), func(i, j int) bool { return old[i] == lines[j] })
	var all []changedLine
	for i, j := 0, 0; i < len(old) || j < len(lines); {
		switch {
		case i < len(old) && j < len(lines) && old[i] == lines[j]:
			all = append(all, changedLine{Text: lines[j]})
			i, j = i+1, j+1
		case j == len(lines) || i < len(old) && length[i+1][j] >= length[i][j+1]:
			all = append(all, changedLine{Text: old[i], Old: true})
			i++
		default:
			all = append(all, changedLine{Text: lines[j], New: true})
			j++
		}
	}
	return nearChanges(all)
}

// nearChanges leaves out lines far from any change.
func nearChanges(all []changedLine) []changedLine {
	near := make([]bool, len(all))
	for i, l := range all {
		for at := max(0, i-linesAround); (l.Old || l.New) && at <= min(len(all)-1, i+linesAround); at++ {
			near[at] = true
		}
	}
	var out []changedLine
	for i, l := range all {
		if near[i] {
			out = append(out, l)
		} else if i > 0 && near[i-1] {
			out = append(out, changedLine{Text: "…"})
		}
	}
	return out
}
