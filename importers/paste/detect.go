package paste

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

// detect claims a text with at most two lines of chatter to a dated entry. It does not
// claim prose that happens to contain an entry. It claims a list without dates for the
// words that introduce it, or, less surely, because most of its items are about somebody.
func detect(src codec.Source) codec.Confidence {
	if src.File == nil {
		return codec.No
	}
	head, err := headOf(src)
	if err != nil || !utf8.Valid(head) {
		return codec.No
	}
	s := survey(head)
	switch entries := len(s.done); {
	case s.openers > 0 && s.openers*2 >= s.babble:
		return codec.Likely
	case s.openers > 0 || entries == 0 || s.babble > 3+entries/2:
		return codec.No
	case s.introduced:
		return codec.Likely
	case entries >= 3 && s.personal()*3 >= entries*2:
		return codec.Possible
	}
	return codec.No
}

// textSurvey is the beginning of a text, read for detection.
type textSurvey struct {
	blocks
	introduced bool // a line before the first entry introduces the list
}

func survey(head []byte) *textSurvey {
	s := &textSurvey{blocks: blocks{opt: codec.Options{Limits: codec.Limits{}.Filled()}}}
	dated, _ := isDated(codec.Source{File: bytes.NewReader(head), Size: int64(len(head))}) // memory does not fail
	s.listed = !dated
	number := 0
	for line := range bytes.Lines(head) {
		number++
		text := string(bytes.TrimRight(line, "\r\n"))
		s.line(number, text)
		s.introduced = s.introduced || s.count == 0 && introduces(text)
	}
	s.end()
	return s
}

// personal counts the entries that are about somebody.
func (s *textSurvey) personal() int {
	n := 0
	for _, e := range s.done {
		if isPersonal(string(e.text)) {
			n++
		}
	}
	return n
}

// Longer texts are no introduction, and no short sentence.
const (
	maxIntroduction = 160
	maxSentence     = 300
)

// introduces reports whether a line is one with which assistants introduce the list of
// their memories.
func introduces(line string) bool {
	if len(line) > maxIntroduction {
		return false
	}
	line = strings.ReplaceAll(strings.ToLower(line), "’", "'")
	for _, words := range []string{
		"remember about you", "remember about the user", "remember the following", "what i remember",
		"know about you", "know about the user", "learned about you", "learnt about you",
		"stored about you", "saved about you", "facts about you", "memories about you",
		"memories of you", "memories i have", "saved memories", "stored memories", "what i have in memory",
	} {
		if strings.Contains(line, words) {
			return true
		}
	}
	return false
}

// isPersonal reports whether a text is a short sentence about the reader, the writer or a
// user, and not an instruction for readers.
func isPersonal(text string) bool {
	words := strings.Fields(strings.ToLower(strings.NewReplacer("*", "", "’", "'", ",", "").Replace(text)))
	if len(text) > maxSentence || len(words) < 2 {
		return false
	}
	if words[0] == "the" {
		words = words[1:]
	}
	switch words[0] {
	case "user", "user's", "your", "you're", "you've", "i", "i'm", "i've", "my":
		return true
	case "you":
		return len(words) > 1 && !isModal(words[1])
	}
	return false
}

func isModal(word string) bool {
	switch word {
	case "can", "could", "may", "might", "must", "need", "shall", "should", "will", "won't", "cannot", "can't", "agree":
		return true
	}
	return false
}
