package distill

import (
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/text/pattern"
)

// Limits of a statement. A longer text was pasted.
const (
	longSentence = 400  // bytes
	longTurn     = 4000 // bytes: of a longer turn, only the first and last paragraph are its author's
)

var (
	tagLine    = pattern.New(`^<([A-Za-z][\w\-]*)(?:\s[^>]*)?>`)
	noSpeech   = pattern.New(`^(?:>|\||\$ |>>> |@@ |\+\+\+ |--- |diff --git|at \S+\(|File ".*", line|Traceback|npm (?:ERR|WARN)|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b|\d{4}-\d\d-\d\d[T ]\d\d:|\d\d:\d\d:\d\d|[A-Za-z_.]*(?:Error|Exception): )`)
	listMark   = pattern.New(`^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?`)
	leadIn     = pattern.New(`(?i)\b(?:here(?:'s| is| are)|this is|below|following|attached|summari[sz]e|translate|proofread|rewrite|rephrase|paraphrase|correct|improve|edit|review|explain|analy[sz]e|comment on|feedback on|hier (?:ist|sind|der|die|das)|folgende\w*|übersetze?|fasse?|korrigiere?|überarbeite?|verbessere?|lies|prüfe)\b[^.!?]*:$`)
	makeBelief = pattern.New(`(?i)\b(?:pretend|imagine|suppose (?:that )?(?:i|you|we)|act as|you are an?|role-?play|hypothetically|for example,? if|write (?:me )?(?:an?|the|some)\b.*(?:story|poem|song|letter|e-?mail|message|bio|dialogue|script|essay|speech|post|review|scene)|draft (?:an?|the|me)\b|in the (?:voice|style) of|stell dir vor|angenommen|schreib(?:e)? (?:mir )?(?:eine?n?|den|die|das)|tu so)\b`)
	quotation  = pattern.New("\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`")
)

// speech returns the lines of a turn that its author wrote, without marks of lists
// and headings. It skips code, quotations, logs, tables, and text pasted after a
// lead-in.
func speech(text string) []string {
	text = ownPart(strings.ReplaceAll(text, "\r\n", "\n"))
	var lines []string
	fence, tag := "", ""
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
			continue
		case tag != "":
			if strings.Contains(trimmed, "</"+tag) {
				tag = ""
			}
			continue
		}
		if open := tagLine.FindStringSubmatch(trimmed); open != nil {
			if !strings.Contains(trimmed, "</"+open[1]) && !strings.HasSuffix(trimmed, "/>") {
				tag = open[1]
			}
			continue
		}
		if noSpeech.MatchString(trimmed) || indentedCode(line) {
			continue
		}
		trimmed = strings.TrimSpace(strings.TrimLeft(listMark.ReplaceAllString(trimmed, ""), "#"))
		lines = append(lines, strings.ReplaceAll(trimmed, "**", ""))
		if leadIn.MatchString(trimmed) {
			break
		}
	}
	return lines
}

// ownPart returns the first and the last paragraph of a long turn.
func ownPart(text string) string {
	if len(text) <= longTurn {
		return text
	}
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	first, last := paragraphs[0], paragraphs[len(paragraphs)-1]
	if len(paragraphs) == 1 || len(first)+len(last) > longTurn || strings.Contains(first, "```") {
		return ""
	}
	return first + "\n\n" + last
}

// indentedCode reports whether a line is indented like code, and is no item of a
// list.
func indentedCode(line string) bool {
	in := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
	return in && !listMark.MatchString(strings.TrimSpace(line))
}

// sentences returns the sentences of a turn up to the point where its author begins
// to invent.
func sentences(text string) []string {
	var all []string
	for _, line := range speech(text) {
		for _, s := range split(line) {
			if makeBelief.MatchString(s) {
				return all
			}
			if len(s) <= longSentence && !strings.ContainsAny(s[:1], "\"“„«") {
				all = append(all, s)
			}
		}
	}
	return all
}

// split splits a line into sentences.
func split(line string) []string {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, line)
	var all []string
	start, quotes := 0, quotation.FindAllStringIndex(line, -1)
	for i := 0; i < len(line); i++ {
		for len(quotes) > 0 && quotes[0][1] <= i {
			quotes = quotes[1:]
		}
		if strings.IndexByte(".!?", line[i]) < 0 || len(quotes) > 0 && quotes[0][0] < i && i < quotes[0][1]-2 {
			continue
		}
		end := i + 1
		for end < len(line) && strings.IndexByte(".!?)\"'", line[end]) >= 0 {
			end++
		}
		if end < len(line) && line[end] != ' ' || line[i] == '.' && abbreviated(line[start:i], line[end:]) {
			continue
		}
		all = appendSentence(all, line[start:end])
		start, i = end, end-1
	}
	return appendSentence(all, line[start:])
}

func appendSentence(all []string, s string) []string {
	if s = strings.Join(strings.Fields(s), " "); s != "" {
		return append(all, s)
	}
	return all
}

var month = all(`^ (?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b`)

// abbreviated reports whether a dot between two texts ends a word rather than a
// sentence.
func abbreviated(text, follows string) bool {
	word := strings.ToLower(text[strings.LastIndexAny(text, " (")+1:])
	switch word {
	case "e.g", "i.e", "etc", "vs", "dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "ca", "approx", "inc", "z.b", "d.h", "u.a", "bzw", "usw", "ggf", "evtl", "str", "tel", "abs":
		return true
	}
	letters := []rune(word)
	return len(letters) == 1 && unicode.IsLetter(letters[0]) && word != "i" || strings.Trim(word, "0123456789") == "" && month.MatchString(follows)
}

// masked returns a sentence with empty quotation marks, so that a quotation does not
// count as the author's statement.
func masked(sentence string) string {
	sentence = strings.ReplaceAll(sentence, "’", "'")
	return quotation.ReplaceAllStringFunc(sentence, func(q string) string {
		if strings.Count(q, " ") > 0 {
			return `""`
		}
		return strings.Trim(q, "\"“”„«»`") // a name
	})
}

// isQuestion reports whether a sentence asks.
func isQuestion(s string) bool { return strings.HasSuffix(strings.TrimRight(s, `")' *_`), "?") }
