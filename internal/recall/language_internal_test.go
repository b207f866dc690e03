package recall

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // a word of the language's list
	}{
		{"What is in the box on the shelf?", ""},
		{"github.com/owner/repo", ""},
		{"Wer prüft die Heizung im Winter?", "der"},
		{"Où est la clé de la cave ?", "où"},
		{"¿Dónde están las llaves de la casa?", "dónde"},
		{"Waar is de sleutel van het huis?", "waar"},
		{"Anahtar nerede ve ne zaman geldi?", "nerede"},
		{"", ""},
	} {
		got := languageOf(plain(c.text))
		if c.want == "" && got != inEnglish || c.want != "" && languageWords()[c.want]>>got&1 == 0 {
			t.Errorf("%q is in language %d", c.text, got)
		}
	}
}

// TestForms: the forms of a word in a language share a term, in a sentence that shows the
// language.
func TestForms(t *testing.T) {
	for _, pair := range [][2]string{
		{"Die Häuser sind in der Straße", "Wo ist das Haus der Strasse?"},
		{"Elle chante à l'école de la ville", "Quelle école est dans la ville ?"},
		{"Он живёт в старом доме", "старые дома"},
		{"Kitaplar masada ve defter de burada", "kitabı nerede ve ne zaman"},
		{"המפתח נמצא במגירה", "מגירה"},
		{"カレーが好き", "かれー"},
		{"Pizza 🍕 tonight", "🍕"},
	} {
		said := termsOf(pair[0])
		if !slices.ContainsFunc(termsOf(pair[1]), func(term string) bool { return slices.Contains(said, term) }) {
			t.Errorf("%q and %q have no term in common: %q, %q", pair[0], pair[1], said, termsOf(pair[1]))
		}
	}
}

func termsOf(text string) []string {
	var terms []string
	for _, t := range informative(new(stemmer).tokens(text)) {
		terms = append(terms, t.term)
	}
	return terms
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"twelve thousand parcels":         "12000",
		"a debt of 212k":                  "212000",
		"two hundred and forty pounds":    "240",
		"forty-eight thousand":            "48000",
		"six and a half":                  "6.5",
		"size 6½":                         "6.5",
		"three million two hundred":       "3000200",
		"twenty five":                     "25",
		"it has 1.5 million rows of them": "",
		"one":                             "",
		"five six":                        "5",
	} {
		if got := termsOf(text); want != "" && !slices.Contains(got, want) {
			t.Errorf("%q has the terms %q, without %s", text, got, want)
		}
	}
	if got := termsOf("the one that I took"); slices.Contains(got, "1") {
		t.Errorf("the one is a number: %q", got)
	}
}

func TestAcronyms(t *testing.T) {
	has := func(text, term string) bool { return slices.Contains(acronyms(new(stemmer).tokens(text)), term) }
	for _, c := range []struct {
		text, term string
		want       bool
	}{
		{"My DBA left.", "&dba", true},
		{"The chief technology officer left.", "%cto", true},
		{"the bureau of land management", "%blm", true},
		{"Sea levels. Over time", "%slo", false}, // two sentences
		{"OK", "&ok", false},
	} {
		if got := has(c.text, c.term); got != c.want {
			t.Errorf("%q has %s: %v, want %v", c.text, c.term, got, c.want)
		}
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		asked, other string
		spelled      bool
		want         bool
	}{
		{"netflx", "netflix", false, true},
		{"recieve", "receive", false, true},
		{"pasword", "password", false, true},
		{"kitabini", "kitap", false, true},
		{"like", "live", false, false},    // two short words
		{"summer", "hummer", true, false}, // a word that is known has no slip
		{"cat", "cot", false, false},
		{"garden", "harbour", false, false},
	} {
		if got := alike([]rune(c.asked), []rune(c.other), c.spelled) > 0; got != c.want {
			t.Errorf("%s and %s are alike: %v, want %v", c.asked, c.other, got, c.want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"ab", "ba", 1}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ac", 1}, {"abcd", "badc", 2}, {"abc", "xyz", 3}, {"a", "abcde", 3}} {
		if got := slips([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q and %q differ by %d slips, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestLongWords: a stemmer sees no word longer than a term, since its time may grow with the
// square of the length.
func TestLongWords(t *testing.T) {
	german := languageOf("der die das und ist")
	for _, c := range []struct {
		word string
		want int // readings
	}{{"häuser", 1}, {strings.Repeat("uyuyu", 8), 1}, {strings.Repeat("uyuyu", 13), 0}, {strings.Repeat("ж", 40), 0}} {
		if got := new(stemmer).word(c.word, german).others; len(got) != c.want {
			t.Errorf("%.20s of %d bytes has the readings %q, want %d", c.word, len(c.word), got, c.want)
		}
	}
}

// TestPersonal: the words of a sentence know whether it speaks of its speaker, in the language
// of the text.
func TestPersonal(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"I painted the shed. Ben helped! We rested? Paint dries.", "i painted the shed we rested"},
		{"Anna: my brother is in Rome; he paints", "my brother is in rome"},
		{"paint that I bought", "paint that i bought"},
		{"Ben drove to the EU, Mia and Mina via IO.", ""},
		{"Ich habe den Schuppen gestrichen. Im Haus ist es kalt.", "ich habe den schuppen gestrichen"},
		{"J'ai vu une souris dans le jardin. Elle est sous la table.", "jai vu une souris dans le jardin"},
		{"Jeg bor i huset og har en hund. Hunden sover i haven.", "jeg bor i huset og har en hund"},
		{"Benim bir kedim var. Kedi çok güzel.", "benim bir kedim var"},
		{"Мой пароль новый. Пароль старый.", "мои пароль новыи"},
		{"我 买了. 他买了.", "我 买了"},
	} {
		var got []string
		for _, token := range new(stemmer).tokens(tt.text) {
			if token.is(personal) && !token.is(beside) {
				got = append(got, token.word)
			}
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q speaks of its speaker in %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestScriptStops: words that say nothing are known as people write them, with their accents and
// without.
func TestScriptStops(t *testing.T) {
	for text, want := range map[string]string{
		"Какой мой пароль?": "пароль", "Каков её размер ещё?": "каков размер", "какои мои размер еще": "размер",
		"Πότε ήταν η γιορτή;": "γιορτη", "ποτε ηταν η γιορτη": "γιορτη",
		"أين كان أحمد": "احمد", "Її сад": "сад",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%q is searched for as %q, want %q", text, got, want)
		}
	}
}
