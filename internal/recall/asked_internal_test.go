package recall

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestAsked: what is left of questions without the words that only form them.
func TestAsked(t *testing.T) {
	for question, want := range map[string]string{
		"whats the name of my dentist":  "name dentist",
		"Welchen Sport macht Ida?":      "sport macht ida",
		"donde vive mi abuela":          "vive abuela",
		"Qué raza es Tizón?":            "raza tizon",
		"Hoe oud is Muis?":              "oud mui",
		"Defne kaç yaşında?":            "defn yasinda",
		"Minh sinh ngày nào?":           "minh sinh ngay",
		"Какую машину водит Олег?":      "машину водит олег",
		"Σε ποιον το λες;":              "λεσ",
		"妻の趣味は何ですか":                     "妻 趣味",
		"ケンジは今どこに住んでいますか":               "けん んじ 今 住ん",
		"思琪的男朋友叫什么？":                    "思琪 男朋 朋友",
		"민준이 카페 이름이 뭐야?":                "민준 카페 이름",
		"さかな":                           "さか かな",     // no particle in a word
		"who is it":                     "who is it", // nothing else
		"La Marzocco pressure settings": "la marzocco pressur set",
		"Kim birthday":                  "kim birthday", // Turkish has "kim"
		"son school":                    "son school",   // French has "son"
		"Mia allergies":                 "mia allergi",
		"Tom wedding":                   "tom wed",
		"van insurance":                 "van insur",
		"car insurance":                 "car insur",
		"hat size":                      "hat size",
		"train fare":                    "train fare",
		"comment style":                 "comment style",
	} {
		var got []string
		q := understand(question, time.Time{}, new(stemmer))
		for i, term := range q.terms {
			if term.isAsked(i) || strings.HasPrefix(want, "who") && term.of == i {
				got = append(got, term.term)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %q is left %q, want %s", question, got, want)
		}
	}
}

// TestLongestForm: no word that forms questions is too long to be found.
func TestLongestForm(t *testing.T) {
	for word := range unspacedWords().anywhere {
		if n := utf8.RuneCountInString(word); n > longestForm {
			t.Errorf("%s has %d characters", word, n)
		}
	}
}

// TestFocus: what questions ask for, and whether that is a time or a number.
func TestFocus(t *testing.T) {
	for _, c := range []struct {
		question, focus string
		dated, counts   bool
	}{
		{"Which airline flies to Cork?", "airlin", false, false},
		{"What is the title of the thesis?", "titl", false, false},
		{"Who is the landlord of the allotment?", "landlord", false, false},
		{"Who repairs bicycles?", "", false, false},
		{"When is Anna's birthday?", "birthday", true, false},
		{"On which days is the shop open?", "", true, false},
		{"What age is Ida?", "age", false, true},
		{"Who let the dog in?", "", false, false},
		{"Quel est le métier de mon frère ?", "metier", false, false},
		{"Wie heißt mein Steuerberater?", "steuerberat", false, false},
		{"¿Cómo se llama la mujer de Juan?", "mujer", false, false},
		{"Hány éves Réka?", "eve", false, true},
		{"Kızımın piyano öğretmeni kim?", "ogretmeni", false, false},
		{"An welchem Tag kommt Ida?", "", true, false},
		{"Когда приедет Олег?", "", true, false},
		{"田中さんの電話番号は？", "電話 話番 番号", false, false},
	} {
		q := understand(c.question, time.Time{}, new(stemmer))
		var focus []string
		for _, terms := range q.focus {
			focus = append(focus, terms...)
		}
		if got := strings.Join(focus, " "); got != c.focus || q.dated != c.dated || q.asking.is(asksNumber) != c.counts {
			t.Errorf("%q asks for %q, a time: %v, a number: %v; want %q, %v, %v", c.question, got, q.dated, q.asking.is(asksNumber), c.focus, c.dated, c.counts)
		}
	}
}

// TestSounds: names that sound alike in different scripts, and others.
func TestSounds(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		alike bool
	}{
		{"julia", "юлия", true}, {"dmitri", "дмитрию", true}, {"munchen", "мюнхен", true}, {"sergey", "сергей", true}, {"papadopoulos", "παπαδοπουλος", true}, {"naxos", "ναξο", true},
		{"olena", "елена", false}, {"tom", "томат", false}, {"marta", "maria", false}, {"anna", "иван", false},
	} {
		if got := soundsLike(c.a, c.b) > 0; got != c.alike {
			t.Errorf("%s sounds like %s: %v", c.a, c.b, got)
		}
		if got := soundsLike(c.b, c.a) > 0; got != c.alike {
			t.Errorf("%s sounds like %s: %v", c.b, c.a, got)
		}
	}
	for word, want := range map[string][2]string{
		"kenji": {"けんじ", "켄지"}, "haruto": {"はると", "하루토"}, "busan": {"ぶさん", "부산"}, "minjun": {"みんじゅん", "민준"}, "hangang": {"", "한강"}, "yuchan": {"ゆちゃん", "유찬"}, "sochi": {"そち", "소치"}, "smith": {"", ""}, "": {"", ""},
	} {
		if got := [2]string{inKana(word), inHangul(word)}; got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

// TestAnyQuestion: whatever the characters, a question is understood, and looks for every term
// once.
func TestAnyQuestion(t *testing.T) {
	characters := []rune("妻の趣味はですか 思琪的叫什么 민준이 뭐야 ฉันแพ้อะไร １２k²½ '’?.:-_ Юя Νξ wer ist's ß ー三")
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringOf(rapid.RuneFrom(characters)), rapid.String()).Draw(t, "text")
		q := understand(text, time.Time{}, new(stemmer))
		for i, term := range q.terms {
			if q.index[term.term] != i || term.of < 0 || term.of >= len(q.terms) {
				t.Fatalf("term %q of %q is at %d, stands for %d", term.term, text, i, term.of)
			}
		}
	})
}
