package conversation

import (
	"strings"
	"unicode/utf8"
)

// pieceLength is about the most characters of a record of turns.
const pieceLength = 4000

// utterance is a text of one speaker.
type utterance struct {
	label string // stands before the text, and before its continuation in another piece
	text  string
	index int // of the turn
}

// piece is a part of an exchange that fits into a record.
type piece struct {
	text  strings.Builder
	size  int   // in characters
	turns []int // the turns in it, in order
}

// pieces joins texts in order, and cuts the result if it gets too long.
func pieces(all []utterance, most int) []*piece {
	cur := &piece{}
	if bytes := length(all); bytes <= most {
		cur.text.Grow(bytes)
		for _, s := range all {
			cur.add(s, strings.TrimSpace(s.text), 0)
		}
		return []*piece{cur}
	}
	out := []*piece{cur}
	for _, s := range all {
		rest := strings.TrimSpace(s.text)
		size := utf8.RuneCountInString(rest)
		for rest != "" {
			room := most - cur.size - utf8.RuneCountInString(s.label)
			if cur.size > 0 && room < size && room < most/4 {
				cur = &piece{}
				out = append(out, cur)
				continue
			}
			part, n := rest, size
			if size > room {
				part = rest[:cut(rest, max(room, most/4))]
				n = utf8.RuneCountInString(part)
			}
			next := strings.TrimSpace(rest[len(part):])
			size -= n + utf8.RuneCountInString(rest[len(part):len(rest)-len(next)])
			cur.add(s, strings.TrimSpace(part), n)
			rest = next
			if rest != "" {
				cur = &piece{}
				out = append(out, cur)
			}
		}
	}
	return out
}

// length is a lower bound of the length of the texts in bytes.
func length(all []utterance) (bytes int) {
	for _, s := range all {
		bytes += 2 + len(s.label) + len(s.text)
	}
	return bytes
}

// add appends a text of size characters.
func (p *piece) add(s utterance, text string, size int) {
	if p.text.Len() > 0 {
		p.text.WriteString("\n\n")
	}
	p.text.WriteString(s.label)
	p.text.WriteString(text)
	p.size += 2 + utf8.RuneCountInString(s.label) + size
	if n := len(p.turns); n == 0 || p.turns[n-1] != s.index {
		p.turns = append(p.turns, s.index)
	}
}

// cut returns where to cut a text that has more than most characters: after a paragraph, a
// line, a sentence or a word, whichever leaves a piece that is not small.
func cut(text string, most int) int {
	end := len(text)
	for i := range text {
		if most--; most < 0 {
			end = i
			break
		}
	}
	for _, boundary := range [...]string{"\n\n", "\n", ". ", " "} {
		if i := strings.LastIndex(text[:end], boundary); i > end/2 {
			return i + len(boundary)
		}
	}
	return end
}
