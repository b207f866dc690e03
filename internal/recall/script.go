package recall

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A name may be spelled in another script than the question spells it: Julia is Юлия, and Kenji
// is ケンジ. If no record has a name, words of other scripts that sound like it stand for it.

// soundsAlike is how much of a name's weight counts for its spelling in another script.
const soundsAlike = .8

// shortestSound is the least letters of a sound that two names share.
const shortestSound = 3

// sounds are the sounds of Cyrillic and Greek letters, and of groups of Latin ones. Spellings
// of i, j and y differ too much, so that they have none.
var sounds = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"tsch", "h", "sch", "s", "tch", "h", "shch", "s", "sh", "s", "zh", "z", "kh", "h", "ch", "h", "ck", "k", "ph", "f", "th", "t", "ts", "s", "tz", "s", "ou", "u",
		"oo", "u", "ee", "", "ce", "se", "ci", "s", "cy", "s", "x", "ks", "c", "k", "q", "k", "w", "v", "i", "", "j", "", "y", "",
		"а", "a", "б", "b", "в", "v", "г", "g", "ґ", "g", "д", "d", "е", "e", "ё", "e", "є", "e", "ж", "z", "з", "z", "и", "", "і", "", "ї", "", "й", "", "к", "k",
		"л", "l", "м", "m", "н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "h", "ц", "s", "ч", "h", "ш", "s", "щ", "s", "ъ", "",
		"ы", "", "ь", "", "э", "e", "ю", "u", "я", "a",
		"ου", "u", "μπ", "b", "ντ", "d", "γκ", "g", "τζ", "z", "αυ", "av", "ευ", "ev", "α", "a", "β", "v", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "", "θ", "t",
		"ι", "", "κ", "k", "λ", "l", "μ", "m", "ν", "n", "ξ", "ks", "ο", "o", "π", "p", "ρ", "r", "σ", "s", "ς", "s", "τ", "t", "υ", "", "φ", "f", "χ", "h", "ψ", "ps",
		"ω", "o")
})

// sound returns the sounds of a word in lower case, a doubled one once.
func sound(word string) string {
	var b strings.Builder
	last := rune(0)
	for _, r := range sounds().Replace(word) {
		if r != last {
			b.WriteRune(r)
		}
		last = r
	}
	return b.String()
}

// soundsLike returns how much of a name's weight counts for a word of another script: nothing
// unless they sound alike but for an ending.
func soundsLike(a, b string) float64 {
	if isLatin(a) == isLatin(b) {
		return 0
	}
	x, y := sound(a), sound(b)
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	rest := max(len(x), len(y)) - same
	if same < shortestSound || rest > 2 || rest == 2 && same == shortestSound {
		return 0
	}
	return soundsAlike
}

// isLatin reports whether a word begins with an ASCII letter.
func isLatin(word string) bool { return word != "" && word[0] < utf8.RuneSelf }

// beginnings are the first letters of a word in one script, by the first letter of a word in
// another that sounds like it.
var beginnings = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"a": "а я α", "b": "б μπ", "c": "к ц ч с κ", "d": "д δ ντ", "e": "е э є ε η", "f": "ф φ", "g": "г ґ γ γκ", "h": "х г χ", "i": "и і ї й я ю ι η", "j": "ю я й ж дж е є и ι τζ γι",
		"k": "к х κ", "l": "л λ", "m": "м μ", "n": "н ν", "o": "о ο ω", "p": "п π", "q": "к κ", "r": "р ρ", "s": "с ш щ σ", "t": "т ц τ θ", "u": "у ю ου", "v": "в β", "w": "в у β", "x": "кс х ξ χ",
		"y": "ю я й е є ё γι υ", "z": "з ж ц ζ",
		"а": "a", "б": "b", "в": "v w", "г": "g h", "ґ": "g", "д": "d", "е": "e ye je", "ё": "yo jo", "є": "ye je", "ж": "zh j z", "з": "z s", "и": "i y", "і": "i", "ї": "i yi", "й": "y j i",
		"к": "k c q", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u w", "ф": "f ph", "х": "kh h ch", "ц": "ts c z tz", "ч": "ch c", "ш": "sh sch s",
		"щ": "sh", "э": "e", "ю": "yu ju iu", "я": "ya ja ia",
		"α": "a", "β": "v b", "γ": "g y", "δ": "d", "ε": "e", "ζ": "z", "η": "i e", "θ": "th", "ι": "i j y", "κ": "k c", "λ": "l", "μ": "m b", "ν": "n d", "ξ": "x", "ο": "o u", "π": "p", "ρ": "r",
		"σ": "s", "τ": "t", "υ": "y", "φ": "f ph", "χ": "ch h kh", "ψ": "ps", "ω": "o",
	}
})

// otherBeginnings returns how words in other scripts begin that sound like a word.
func otherBeginnings(word string) []string {
	_, n := utf8.DecodeRuneInString(word)
	return strings.Fields(beginnings()[word[:n]])
}

// wantScripts adds the names of the question at the places missing in the syllables of Japanese
// and Korean, where records have all of these. Apart they are added in any case: whether a
// hidden record has them does not matter.
func (q *question) wantScripts(ctx context.Context, idx Index, missing []int, apart bool) (bool, error) {
	added, left := false, maxUnknown
	for _, i := range missing {
		t := q.terms[i]
		if !t.name || !isPlain(t.word) || left == 0 {
			continue
		}
		left--
		for _, spelled := range [...]string{inKana(t.word), inHangul(t.word)} {
			syllables := []rune(spelled)
			var pairs []string
			for n := range max(0, len(syllables)-1) {
				pairs = append(pairs, string(syllables[n:n+2]))
			}
			if len(pairs) == 0 {
				continue
			}
			df, err := idx.Frequencies(ctx, pairs)
			if err != nil {
				return added, err
			}
			if !apart && slices.Contains(df, 0) {
				continue
			}
			for _, pair := range pairs {
				q.want(queryTerm{term: pair, word: t.word, of: i, share: soundsAlike})
				added = true
			}
		}
	}
	return added, nil
}

// kana are the characters for Japanese syllables in Latin letters, by the most letters.
var kana = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"a": "あ", "i": "い", "u": "う", "e": "え", "o": "お", "ka": "か", "ki": "き", "ku": "く", "ke": "け", "ko": "こ", "sa": "さ", "shi": "し", "su": "す", "se": "せ", "so": "そ",
		"ta": "た", "chi": "ち", "tsu": "つ", "te": "て", "to": "と", "na": "な", "ni": "に", "nu": "ぬ", "ne": "ね", "no": "の", "ha": "は", "hi": "ひ", "fu": "ふ", "he": "へ", "ho": "ほ",
		"ma": "ま", "mi": "み", "mu": "む", "me": "め", "mo": "も", "ya": "や", "yu": "ゆ", "yo": "よ", "ra": "ら", "ri": "り", "ru": "る", "re": "れ", "ro": "ろ", "wa": "わ", "n": "ん",
		"ga": "が", "gi": "ぎ", "gu": "ぐ", "ge": "げ", "go": "ご", "za": "ざ", "ji": "じ", "zu": "ず", "ze": "ぜ", "zo": "ぞ", "da": "だ", "de": "で", "do": "ど", "ba": "ば", "bi": "び",
		"bu": "ぶ", "be": "べ", "bo": "ぼ", "pa": "ぱ", "pi": "ぴ", "pu": "ぷ", "pe": "ぺ", "po": "ぽ", "sha": "しゃ", "shu": "しゅ", "sho": "しょ", "cha": "ちゃ", "chu": "ちゅ", "cho": "ちょ",
		"ja": "じゃ", "ju": "じゅ", "jo": "じょ", "kya": "きゃ", "kyu": "きゅ", "kyo": "きょ", "ryu": "りゅ", "ryo": "りょ", "hyo": "ひょ", "gyo": "ぎょ",
	}
})

// inKana returns a Latin word in Japanese syllables; "" if it is not made of them.
func inKana(word string) string {
	var b strings.Builder
	for word != "" {
		n := min(3, len(word))
		for n > 0 && kana()[word[:n]] == "" {
			n--
		}
		if n == 0 {
			return ""
		}
		b.WriteString(kana()[word[:n]])
		word = word[n:]
	}
	return b.String()
}

// The letters of a Korean syllable in Latin letters, in the order of their code points.
const (
	hangulFirst  = "g kk n d tt r m b pp s ss - j jj ch k t p h"
	hangulVowels = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i"
	hangulLast   = "- k kk ks n nj nh d l lg lm lb ls lt lp lh m p ps t ss ng j ch k t p h"
)

// inHangul returns a Latin word in Korean syllables; "" if it is not made of them.
func inHangul(word string) string {
	const base, vowels, lasts = 0xAC00, 21, 28
	longest := func(of string, text string) (index, n int) {
		index = -1
		for i, s := range strings.Fields(of) {
			if s != "-" && len(s) > n && strings.HasPrefix(text, s) {
				index, n = i, len(s)
			}
		}
		return index, n
	}
	startsVowel := func(text string) bool { _, n := longest(hangulVowels, text); return n > 0 }
	var b strings.Builder
	for word != "" {
		const silent = 11
		first, n := longest(hangulFirst, word)
		if n == 0 {
			first = silent
		}
		vowel, m := longest(hangulVowels, word[n:])
		if m == 0 {
			return ""
		}
		word = word[n+m:]
		last, n := longest(hangulLast, word)
		for n > 0 && startsVowel(word[n:]) { // its last consonant begins the next syllable
			last, n = longest(hangulLast, word[:n-1])
		}
		b.WriteRune(rune(base + (first*vowels+vowel)*lasts + max(0, last)))
		word = word[n:]
	}
	return b.String()
}
