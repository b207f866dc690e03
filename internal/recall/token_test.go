package recall_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/recall"
)

func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
	}{
		{"words as stems, stop words dropped", "The dogs were running in the parks", "dog run park"},
		{"stop words alone are kept", "who am I", "who am i"},
		{"irregular forms", "She went and bought children's mice", "go buy child mous"},
		{"what looks regular", "dying lying", "die lie"},
		{"contractions", "I don't think they're Anna's", "think anna"},
		{"inner apostrophe", "O'Brien at 5 o’clock", "obrien o brien 5 oclock"},
		{"diacritics", "Café Ångström naïve Łódź", "cafe angstrom naiv lodz"},
		{"decomposed diacritics", "Cafe\u0301", "cafe"},
		{"ligatures and full width", "ﬁre Ｇｏ １２", "fire go 12"},
		{"letters with no decomposition", "Straße Æsir", "strass aesir"},
		{"soft hyphen and zero width", "mem\u00adory re\u200bcall", "memori recal"},
		{"snake case", "max_recall_limit", "maxrecalllimit max recal limit"},
		{"camel case", "parseURLPath", "parseurlpath pars url path"},
		{"kebab case meets snake case", "max-recall-limit", "maxrecalllimit max recal limit"},
		{"abbreviations in the plural", "URLs APIs", "url api"},
		{"paths", "internal/recall/index.go", "internal/recall/index.go intern recal index.go index go"},
		{"repository", "github.com/owner/repo", "github.com/owner/repo github.com github com owner repo"},
		{"versions", "v1.2.3", "v1.2.3 v1 2 3"},
		{"a web address", "https://example.org/b", "https example.org/b example.org exampl org b"},
		{"numbers", "12,500 and 3.5 and 2023", "12500 3.5 3 5 2023"},
		{"a list is no number", "1,2,3", "1 2 3"},
		{"dates", "2023-05-07", "20230507 2023 05 07"},
		{"ordinals and quantities", "7th 5km", "7 5km 5 km"},
		{"languages with signs", "C++ and C# and Go", "c++ c# go"},
		{"Chinese", "我喜欢猫", "我 我喜 喜 喜欢 欢 欢猫 猫"},
		{"one Chinese character", "猫", "猫"},
		{"Japanese voicing is kept", "がか", "が がか か"},
		{"Korean", "고양이", "고 고양 양 양이 이"},
		{"scripts side by side", "用Go写", "用 go 写"},
		{"Greek and Cyrillic", "Ελλάς Ёлка", "ελλασ елка"},
		{"Arabic vowels", "كِتَاب", "كتاب"},
		{"Hindi keeps its vowels", "हिन्दी", "हिन्दी"},
		{"nothing", " -- !? ", ""},
		{"broken UTF-8", "ab\xffcd", "ab cd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, term := range recall.Terms(tt.text) {
				got = append(got, term.Text)
			}
			if diff := cmp.Diff(strings.Fields(tt.want), got, cmp.Transformer("nil", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTermPositions(t *testing.T) {
	got := recall.Terms("Call parseURL in main")
	want := []recall.Term{{Text: "call", Position: 0}, {Text: "parseurl", Position: 1}, {Text: "pars", Position: 1},
		{Text: "url", Position: 2}, {Text: "main", Position: 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTermsAreShort(t *testing.T) {
	long := strings.Repeat("é", 500) + " " + strings.Repeat("x", 500) + "/" + strings.Repeat("界", 3)
	for _, term := range recall.Terms(long) {
		checkTerm(t, term)
	}
}

func checkTerm(t *testing.T, term recall.Term) {
	t.Helper()
	if n := len(term.Text); n == 0 || n > recall.MaxTerm {
		t.Errorf("term of %d bytes", n)
	}
	if !utf8.ValidString(term.Text) {
		t.Errorf("term %q is not valid UTF-8", term.Text)
	}
	if strings.HasPrefix(term.Text, "#") {
		t.Errorf("term %q could pass for the mark of a kind", term.Text)
	}
}

// FuzzTerms: no text panics; terms are short, valid, in order of position and no
// more than a few for each byte; the same text gives the same terms.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "Anna's café", "parseURL(v1.2.3)", "我喜欢 C++", "a.b.c/d_e-f,g", "\xff\xfe", "1,000,000th", "don't''t", "ﷺ", "İi\u0307"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		terms := recall.Terms(s)
		if len(terms) > 16*len(s) {
			t.Errorf("%d terms from %d bytes", len(terms), len(s))
		}
		for i, term := range terms {
			checkTerm(t, term)
			if i > 0 && term.Position < terms[i-1].Position {
				t.Errorf("term %d stands before the one before it", i)
			}
		}
		if diff := cmp.Diff(terms, recall.Terms(s)); diff != "" {
			t.Errorf("not the same twice: %s", diff)
		}
	})
}
