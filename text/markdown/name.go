package markdown

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/size"
)

// The longest file name, in bytes, without its extension, and the longest title of a text.
const (
	mostName  = 80
	mostTitle = 40
)

// FileName makes a file name, without extension, from any words. Every common system allows
// the name, and no link between notes can misread it. Different words may give the same
// name; see [Digest].
func FileName(words string) string {
	var b strings.Builder
	for _, c := range words {
		switch {
		case unicode.IsSpace(c) || unicode.IsControl(c) || strings.ContainsRune(`/\:*?"<>|#^[]%`, c) || !unicode.IsPrint(c):
			b.WriteByte(' ')
		default:
			b.WriteRune(c)
		}
		if b.Len() > 2*mostName {
			break
		}
	}
	name := cutWords(strings.Join(strings.Fields(b.String()), " "), mostName)
	name = strings.Trim(name, " .-_")
	if name == "" {
		return "memory"
	}
	if device := codec.Reserved(name); device != "" {
		return device + " memory" + name[len(device):]
	}
	return name
}

// cutWords shortens a text to at most most bytes, between words if that leaves half of it.
func cutWords(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = size.Cut(s, most)
	if at := strings.LastIndexByte(s, ' '); at > most/2 {
		s = s[:at]
	}
	return s
}

// Digest is a short name for a text that distinguishes it from the few beside it.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// Title returns the beginning of the first line that is not blank.
func Title(text string) string {
	for line := range strings.Lines(text) {
		if _, words := Heading(strings.TrimRight(line, "\r\n")); words != "" {
			line = words
		}
		if line = FileName(cutWords(strings.TrimSpace(line), mostTitle)); line != "memory" {
			return line
		}
	}
	return "memory"
}
