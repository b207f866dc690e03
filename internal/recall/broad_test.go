package recall_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
)

// TestPeriod distinguishes questions for everything known about a time from questions for
// something.
func TestPeriod(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC) // a Wednesday
	day := func(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }
	for text, want := range map[string][2]time.Time{
		"today": {day(25), day(26)}, "What happened today?": {day(25), day(26)}, "yesterday": {day(24), day(25)},
		"what happened this week?": {day(23), day(30)}, "what is new last week": {day(16), day(23)},
		"what did you learn today": {}, "today's lunch": {}, "who am I": {}, "what did Anna do yesterday": {}, `"today"`: {}, "this": {},
	} {
		from, to, ok := recall.Period(text, now)
		if ok == want[0].IsZero() || !from.Equal(want[0]) || !to.Equal(want[1]) {
			t.Errorf("%s: %v to %v, %v", text, from, to, ok)
		}
	}
}

// TestBroad distinguishes questions for everything from questions for something, by their
// words.
func TestBroad(t *testing.T) {
	broad := []string{
		"what do you know about me?", "What do you know about me", "tell me everything you remember", "*", "?", "  ", "who am I",
		"Who am I?", "what's in your memory about the user?", "summarize what you know so far", "everything", "list all memories",
		"user information", "Anything you've learned about us?", "all facts", "me",
		"Was weißt du über mich?", "wer bin ich", "Erzähl mir alles, woran du dich erinnerst",
		"que sais-tu de moi ?", "qui suis-je", "dis-moi tout",
		"¿Qué sabes de mí?", "¿quién soy?", "cosa sai di me?", "chi sono", "o que você sabe sobre mim?", "quem sou eu",
		"wat weet je over mij?", "wie ben ik", "что ты знаешь обо мне?", "кто я", "你知道我什么", "我是谁?", "私は誰ですか", "私について何を知っていますか",
	}
	for _, q := range broad {
		if !recall.Broad(q) {
			t.Errorf("%q asks for everything", q)
		}
	}
	narrow := []string{
		"what do you know about my wife?", "memory", "facts", "information", "die", "war", "son", "profile", "sur", "Globex",
		"what does the user drink", "who is Anna", "tell me about the shop", "do you remember the 2025 trip?", "remember milk",
		`"to be or not to be"`, "Was weißt du über Anna?", "wo wohne ich", "que sais-tu de Paris", "¿dónde vivo?", "где я живу",
		"我住在哪里", "私の犬", "C#", "what is 42", "🍣", "how much memory does the server have", "what time is it in Rome",
	}
	for _, q := range narrow {
		if recall.Broad(q) {
			t.Errorf("%q asks for something", q)
		}
	}
}
