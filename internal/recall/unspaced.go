package recall

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// In a script without spaces, some characters of a question only form it: "who", "of", "is".
// The pairs of characters that they are part of say nothing, and a character that stands
// alone between them is a word.

// unspacedWords are such characters: anywhere, at the end of a run, and as a whole run.
var unspacedWords = sync.OnceValue(func() (words struct{ anywhere, last, whole map[string]struct{} }) {
	words.anywhere = set(`
です ですか ます ますか ました ましたか ません でした でしたか でしょう でしょうか ください しています していますか ています ている います いますか いる ある あります ありますか どこ だれ いつ なに なん どの どれ
どんな どう いくら いくつ なぜ どうして から まで という だった この その あの これ それ さん ちゃん くん 誰 何 私 僕 俺 って
什么 什麼 甚麼 哪里 哪裡 哪儿 哪个 哪個 哪些 谁 多少 怎么 怎麼 怎样 怎樣 为什么 為什麼 吗 嗎 呢 吧 我们 我們 我 你 您 她 他 哪 几 幾
อะไร ที่ไหน เมื่อไหร่ เมื่อไร เมื่อใด ใคร กี่ ทำไม อย่างไร ยังไง ไหน ไหม มั้ย หรือเปล่า หรือ คือ เป็น อยู่ที่ อยู่ ของ ฉัน ผม เรา คุณ เขา และ จะ กับ เท่าไร เท่าไหร่ ครับ ค่ะ คะ นี้ นั้น แล้ว ต้อง
ควร บ้าง`)
	words.last = set(`
은 는 이 가 을 를 에 의 로 와 과 도 요 만 에서 에게 한테 으로 부터 까지 이랑 랑 하고 에는 에서는 이야 야 이에요 예요 입니까 인가요 이니 니 인지 지 죠 이지 해 해요 했어 했지 하니 하지 하나요 합니까 했나요 되나요`)
	words.whole = set(`
뭐 뭐야 뭐지 뭘 무엇 무슨 누구 누가 누구야 언제 언제야 어디 어디야 어디서 어디에 어디에서 왜 어떻게 어떤 어느 몇 얼마 얼마나 내 나 나의 내가 나는 우리 우리의 저 제 저의 제가 것 거 있어 있지 있나요 있습니까 그 이 저는`)
	return words
})

// chineseAlone are characters that say nothing by themselves in Chinese, and japaneseAlone those
// that do not in Japanese before another script.
const (
	chineseAlone  = "的了是在有叫把被"
	japaneseAlone = "はがをにでとのもへやか"
	longestForm   = 9 // characters of a word that forms questions
)

// forming returns which characters of a run only form a question.
func forming(run []rune) []bool {
	words, covered := unspacedWords(), make([]bool, len(run))
	in := func(set map[string]struct{}, from, to int) bool {
		_, ok := set[string(run[from:to])]
		return ok
	}
	cover := func(from, to int) {
		for i := from; i < to; i++ {
			covered[i] = true
		}
	}
	if in(words.whole, 0, len(run)) {
		cover(0, len(run))
		return covered
	}
	kana := slices.ContainsFunc(run, isKana)
	for i := 0; i < len(run); {
		to := min(len(run), i+longestForm)
		for to > i && !in(words.anywhere, i, to) {
			to--
		}
		if to == i && !kana && strings.ContainsRune(chineseAlone, run[i]) {
			to++
		}
		cover(i, to)
		i = max(i+1, to)
	}
	for i, r := range run {
		if i > 0 && strings.ContainsRune(japaneseAlone, r) && (i+1 == len(run) || covered[i+1] || !isKana(run[i+1])) {
			covered[i] = true
		}
	}
	for from := max(1, len(run)-longestForm); from < len(run); from++ {
		if in(words.last, from, len(run)) {
			cover(from, len(run))
			break
		}
	}
	return covered
}

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == 'ー' }

// markForming marks what says nothing in a question's runs of characters without spaces.
func markForming(tokens []token) {
	for from := 0; from < len(tokens); {
		to := from
		var run []rune
		for to < len(tokens) && isCharacter(tokens[to]) {
			run = append(run, []rune(tokens[to].term)[0])
			if to++; to == len(tokens) || tokens[to].position != tokens[to-1].position {
				break // no pair follows
			}
			to++
		}
		if len(run) > 1 {
			markRun(tokens[from:to], forming(run), run)
		}
		from = max(to, from+1)
	}
}

// isCharacter reports whether a token is one or two characters of a script without spaces.
func isCharacter(t token) bool {
	for _, r := range t.term {
		return isUnspaced(r)
	}
	return false
}

// markRun marks the tokens of a run whose covered characters say nothing.
func markRun(tokens []token, covered []bool, run []rune) {
	if !slices.Contains(covered, true) {
		return
	}
	first := tokens[0].position
	at := func(i int) bool { return i < 0 || i >= len(covered) || covered[i] }
	for i, t := range tokens {
		n := t.position - first
		switch {
		case t.is(single):
			if !at(n) && at(n-1) && at(n+1) && !unicode.Is(unicode.Thai, run[n]) {
				tokens[i].flags &^= single // a word of its own
			}
		case at(n) || at(n+1):
			tokens[i].flags |= stop
		}
	}
}
