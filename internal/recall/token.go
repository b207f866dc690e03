package recall

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/text/size"
)

// token is a term and the facts about its place in the text.
type token struct {
	term     string
	word     string // as it is spelled, in lower case
	position int
	flags    flags
}

// flags describe a token.
type flags uint16

const (
	stop       flags = 1 << iota // has no meaning by itself
	capital                      // begins with a capital letter
	number                       // consists of digits
	whole                        // a compound whose parts are tokens, too
	other                        // another reading of the word before it: lives is of live, and of life
	single                       // one character of a run of several, in a script without spaces
	ends                         // a sentence or clause ends before this token
	acronym                      // spelled in capitals, such as ENT
	questioned                   // in a sentence that ends in a question mark
	personal                     // in a sentence that says I, we, or the like

	beside = whole | other | single // stands in the place of another token, or is part of one
)

func (t token) is(f flags) bool { return t.flags&f != 0 }

// scanner splits a folded text into tokens.
type scanner struct {
	text     string
	stem     *stemmer
	tokens   []token
	language int // of words in Latin script
	position int
	sentence int   // the first token of the sentence
	pending  flags // for the next token
}

// tokens splits text into tokens, in order of position.
func (s *stemmer) tokens(text string) []token {
	text = plain(text)
	return s.tokensIn(text, languageOf(text))
}

// tokensIn splits a text of some language, as [plain] returns it.
func (s *stemmer) tokensIn(text string, language int) []token {
	c := scanner{text: text, stem: s, language: language}
	c.tokens = make([]token, 0, len(c.text)/5+4)
	c.pending = ends
	for i := 0; i < len(c.text); {
		r, n := utf8.DecodeRuneInString(c.text[i:])
		switch {
		case isUnspaced(r):
			n = c.run(i)
			c.unspaced(c.text[i : i+n])
		case isWord(r):
			n = c.chunk(i)
			if s := c.text[i : i+n]; isPlain(s) || strings.HasSuffix(s, "#") { // the # of C# is no joint
				c.word(s, false)
			} else {
				c.compound(s, 0)
			}
		case strings.ContainsRune(".!?;:\n؟。।", r):
			c.end(r == '?' || r == '؟')
		case isEmoji(r):
			c.emit(string(r), string(r), 0)
			c.position++
		}
		i += n
	}
	c.end(false)
	return numbers(c.tokens)
}

// isEmoji reports whether a character is a picture, which is a word of its own.
func isEmoji(r rune) bool { return r >= 0x2600 && unicode.Is(unicode.So, r) }

// end ends a sentence or clause.
func (c *scanner) end(asks bool) {
	sentence, all := c.tokens[c.sentence:], flags(0)
	for _, t := range sentence {
		all |= t.flags & personal
	}
	if asks {
		all |= questioned
	}
	for i := range sentence {
		sentence[i].flags |= all
	}
	c.sentence = len(c.tokens)
	c.pending |= ends
}

// run returns how long the run of unspaced characters at i is.
func (c *scanner) run(i int) int {
	n := strings.IndexFunc(c.text[i:], func(r rune) bool { return !isUnspaced(r) })
	if n < 0 {
		return len(c.text) - i
	}
	return n
}

// joints hold compounds together, outermost first: places and paths, then dots, then the
// signs that join words into a name.
var joints = [...]string{"/:@\\#=", ".", "_-"}

// chunk returns how long the word or compound at i is: word characters, with
// single joints or apostrophes between them.
func (c *scanner) chunk(i int) int {
	end := i
	for end < len(c.text) {
		r, n := utf8.DecodeRuneInString(c.text[end:])
		if !isWord(r) {
			next, _ := utf8.DecodeRuneInString(c.text[end+n:])
			if !isJoint(r) || !isWord(next) || isUnspaced(next) {
				break
			}
		} else if isUnspaced(r) {
			break
		}
		end += n
	}
	for _, sign := range []string{"++", "#"} { // C++, C#
		if end-i == 1 && strings.HasPrefix(c.text[end:], sign) {
			return 1 + len(sign)
		}
	}
	return end - i
}

func isJoint(r rune) bool {
	return r == '\'' || r == ',' || r < utf8.RuneSelf && strings.ContainsRune("/:@\\#=._-", r)
}

// compound emits the parts of s, split at joints[level] and below, and before them the
// whole of s if there are several.
func (c *scanner) compound(s string, level int) {
	if level == len(joints) {
		c.words(s)
		return
	}
	if !strings.ContainsAny(s, joints[level]) {
		c.compound(s, level+1)
		return
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(joints[level], r) })
	if len(parts) > 1 {
		name := s
		if level == len(joints)-1 { // snake_case and kebab-case meet in snakecase
			name = strings.Join(parts, "")
		}
		name = lowered(name)
		c.emit(name, name, whole)
	}
	for _, part := range parts {
		c.compound(part, level+1)
	}
}

// words emits s, which holds no joints. It drops commas and apostrophes, and splits
// camelCase and quantities.
func (c *scanner) words(s string) {
	if strings.Contains(s, ",") {
		fields := strings.Split(s, ",")
		if !isThousands(fields) {
			for _, f := range fields {
				c.words(f)
			}
			return
		}
		s = strings.Join(fields, "")
	}
	s, contracted := apostrophe(s)
	if s == "" {
		return
	}
	parts := camel(s)
	if len(parts) > 1 {
		name := lowered(s)
		c.emit(name, name, whole)
	}
	for _, part := range parts {
		c.word(part, contracted)
	}
}

// isThousands reports whether fields are the groups of one number, as in 12,500.
func isThousands(fields []string) bool {
	for i, f := range fields {
		if !isNumber(f) || i > 0 && len(f) != 3 || len(f) > 3 {
			return false
		}
	}
	return true
}

// word emits one word and moves on to the next position.
func (c *scanner) word(s string, negation bool) {
	w := c.stem.word(s, c.language)
	if negation {
		w.flags |= stop
	}
	if isAcronym(s) {
		w.flags |= acronym
	}
	c.emit(w.term, w.lower, w.flags)
	for _, term := range w.others {
		c.emit(term, w.lower, w.flags|other)
	}
	c.position++
}

// unspaced emits the characters and the pairs of characters of s.
func (c *scanner) unspaced(s string) {
	runes := []rune(s)
	for i, r := range runes {
		if r >= 'ァ' && r <= 'ヶ' { // katakana and hiragana spell the same sounds
			runes[i] = r - 'ァ' + 'ぁ'
		}
	}
	for i, r := range runes {
		var f flags
		if len(runes) > 1 {
			f = single
		}
		if isSelf(string(r), inEnglish) {
			f |= personal
		}
		c.emit(string(r), string(r), f)
		if i+1 < len(runes) {
			pair := string(runes[i : i+2])
			c.emit(pair, pair, 0)
		}
		c.position++
	}
}

// emit adds a token at the present position.
func (c *scanner) emit(term, word string, f flags) {
	if term = size.Cut(term, maxTerm); term == "" {
		return
	}
	c.tokens = append(c.tokens, token{term, size.Cut(word, maxTerm), c.position, f | c.pending})
	if f&beside == 0 {
		c.pending = 0
	}
}

func caseOf(s string) flags {
	if r, _ := utf8.DecodeRuneInString(s); isUpper(r) {
		return capital
	}
	return 0
}

func isNumber(s string) bool {
	for _, r := range s {
		if !isDigit(r) {
			return false
		}
	}
	return s != ""
}
