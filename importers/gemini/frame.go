package gemini

import (
	"strings"
	"unicode/utf8"
)

// frame is the part of a title around the prompt.
type frame struct {
	before, after string
	quotes        bool // quotation marks, with the text outside them
}

// verbs begin the titles of prompts in English.
var verbs = [...]string{"Prompted ", "Asked ", "Said ", "Answered "}

// frames learns from the titles of answered prompts which words stand around every prompt
// in the language of the account: a label or a word before it, or words around quotation marks.
type frames struct {
	english bool // a title has an English verb
	titles  int  // number of titles without one
	counts  map[frame]int
	labels  map[string]int // number of titles, answered or not, by their label
}

// The evidence for a frame: this many titles, of which this many in five have it.
const (
	fewTitles  = 5
	mostFrames = 1000
)

// learn adds a title. Only that of an answered prompt is evidence of the words around
// prompts.
func (f *frames) learn(title string, answered bool) {
	if f.counts == nil {
		f.counts, f.labels = map[frame]int{}, map[string]int{}
	}
	if name := label(title); name != "" && (f.labels[name] > 0 || len(f.labels) < mostFrames) {
		f.labels[name]++
	}
	if !answered {
		return
	}
	if _, ok := english(title); ok {
		f.english = true
		return
	}
	f.titles++
	for _, one := range candidates(title) {
		if f.counts[one] > 0 || len(f.counts) < mostFrames {
			f.counts[one]++
		}
	}
}

// prompt returns the prompt in a title; false: the title is of something else, or the
// language is unknown. In an unknown language the whole title of an answered prompt, and
// one with a label, is the prompt.
func (f *frames) prompt(title string, answered bool) (string, bool) {
	if prompt, ok := english(title); ok {
		return prompt, true
	}
	if prompt, ok := foreign(title); ok || f.english {
		return prompt, ok
	}
	name := label(title)
	if f.shared(name) {
		return title[len(name):], true
	}
	quoted := false
	for one, n := range f.counts {
		quoted = quoted || one.quotes && f.common(n)
	}
	for _, one := range candidates(title) {
		if f.common(f.counts[one]) && one.quotes == quoted {
			return one.inside(title), true
		}
	}
	return title, (answered || name != "") && f.unknown()
}

// unknown reports whether nothing tells how the titles of prompts are worded.
func (f *frames) unknown() bool {
	if f.english {
		return false
	}
	for _, n := range f.counts {
		if f.common(n) {
			return false
		}
	}
	return true
}

// shared reports whether a label names prompts although few titles have it: several do, and
// all of those that were answered.
func (f *frames) shared(label string) bool {
	return label != "" && f.labels[label] > 1 && f.titles > 0 && f.counts[frame{before: label}] == f.titles
}

// common reports whether n titles are nearly all.
func (f *frames) common(n int) bool { return f.titles >= fewTitles && n*5 >= f.titles*4 }

func english(title string) (string, bool) {
	for _, verb := range verbs {
		if prompt, ok := strings.CutPrefix(title, verb); ok {
			return prompt, true
		}
	}
	return "", false
}

// known frames of other languages, in which a title has no label with a colon.
var known = [...]frame{{before: "Hiciste la petición "}, {before: "Υποβλήθηκε το ερώτημα "}, {after: " と言いました"}, {after: " と入力しました"}, {after: " と質問しました"}}

// promptWords are parts of the words by which labels of prompts are known.
var promptWords = [...]string{
	"prompt", "プロンプト", "프롬프트", "提示", "eingab", "anfrage", "frage", "gesagt", "requête", "question", "demand",
	"message", "mensaje", "mensagem", "messaggio", "bericht", "メッセージ", "消息", "訊息", "메시지", "petición", "pregunta", "consulta", "dicho",
	"solicitação", "pergunta", "comando", "richiesta", "domanda", "vraag", "opdracht", "質問", "提问", "提問", "问题", "指令", "질문", "요청", "запрос", "вопрос", "промпт", "saisie", "請求", "请求", "你说", "你說", "kehote",
}

// foreign returns the prompt in the title of a prompt in another language, if its words are
// known.
func foreign(title string) (string, bool) {
	for _, one := range known {
		if strings.HasPrefix(title, one.before) && strings.HasSuffix(title, one.after) {
			return one.inside(title), true
		}
	}
	name := label(title)
	for _, word := range promptWords {
		if strings.Contains(strings.ToLower(name), word) {
			return title[len(name):], true
		}
	}
	return "", false
}

// The most that a label has.
const (
	mostLabel      = 40 // characters
	mostLabelWords = 5
)

// label returns the label that a title begins with, with its colon and the space after it;
// empty: there is none.
func label(title string) string {
	at := strings.IndexAny(title, ":：")
	if at <= 0 {
		return ""
	}
	_, size := utf8.DecodeRuneInString(title[at:])
	name, rest := title[:at], title[at+size:]
	space := len(rest) - len(strings.TrimLeft(rest, " \u00a0"))
	switch {
	case utf8.RuneCountInString(name) > mostLabel, len(strings.Fields(name)) > mostLabelWords, strings.ContainsAny(name, "„“”«»「」\".,?!\n"):
		return ""
	case size == 1 && space == 0: // such as 10:00
		return ""
	}
	return title[:at+size+space]
}

func (o frame) inside(title string) string {
	return strings.TrimSuffix(strings.TrimPrefix(title, o.before), o.after)
}

// closing returns the marks that close a quotation opened by open, in all languages; empty:
// open is no such mark.
func closing(open rune) string {
	switch open {
	case '„':
		return "“”"
	case '“':
		return "”"
	case '«':
		return "»"
	case '»':
		return "«"
	case '「':
		return "」"
	case '"':
		return `"`
	}
	return ""
}

// candidates returns the possible frames of a title.
func candidates(title string) (found []frame) {
	for i, open := range title {
		closing := closing(open)
		if closing == "" {
			continue
		}
		end := strings.LastIndexAny(title, closing)
		if start := i + utf8.RuneLen(open); end >= start {
			found = append(found, frame{title[:start], title[end:], true})
		}
		break
	}
	name := label(title)
	if name != "" {
		found = append(found, frame{before: name})
	}
	if word, _, ok := strings.Cut(title, " "); ok && word+" " != name {
		found = append(found, frame{before: word + " "})
	}
	return found
}
