package operate

import (
	"errors"
	"slices"
	"strings"
)

// The lines around satchel's text in a file of instructions.
const (
	markerBegin = "<!-- satchel:begin -->"
	markerEnd   = "<!-- satchel:end -->"
)

// markerSet puts the instruction between the markers; without markers it appends them. The
// text outside of them stays as it is.
func markerSet(text, instruction string) (string, error) {
	start, end, err := markers(text)
	if err != nil {
		return "", err
	}
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	block := markerBegin + "\n" + strings.TrimSpace(instruction) + "\n" + markerEnd
	block = strings.ReplaceAll(block, "\n", newline)
	if start >= 0 {
		return text[:start] + block + text[end:], nil
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += newline
	}
	if strings.TrimSpace(text) != "" {
		text += newline
	}
	return text + block + newline, nil
}

// markerRemove removes the markers and the text between them.
func markerRemove(text string) (string, error) {
	start, end, err := markers(text)
	if err != nil || start < 0 {
		return text, err
	}
	before := strings.TrimRight(text[:start], " \t\r\n")
	after := strings.TrimLeft(text[end:], " \t\r\n")
	if before == "" || after == "" {
		return text[:len(before)] + text[len(before):len(before)+lineBreak(text[len(before):])] + after, nil
	}
	return strings.TrimRight(text[:start], " \t") + after, nil
}

// lineBreak returns the length of the line break at the start of text.
func lineBreak(text string) int {
	switch {
	case strings.HasPrefix(text, "\r\n"):
		return 2
	case strings.HasPrefix(text, "\n"):
		return 1
	}
	return 0
}

// markers returns the position of the block, or -1 if there is none.
func markers(text string) (start, end int, err error) {
	start, end = strings.Index(text, markerBegin), strings.Index(text, markerEnd)
	if start < 0 && end < 0 {
		return -1, -1, nil
	}
	if start < 0 || end < start || strings.Count(text, markerBegin) > 1 || strings.Count(text, markerEnd) > 1 {
		return 0, 0, errors.New("the lines " + markerBegin + " and " + markerEnd + " do not form one pair")
	}
	return start, end + len(markerEnd), nil
}

// markerUnchanged checks that the words outside of the markers are the same.
func markerUnchanged(before, after string) error {
	old, err1 := markerRemove(before)
	now, err2 := markerRemove(after)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if !slices.Equal(strings.Fields(old), strings.Fields(now)) {
		return errors.New("editing would change other text")
	}
	return nil
}
