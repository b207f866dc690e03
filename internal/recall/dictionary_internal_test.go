package recall

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// wordnetFolder is where Debian's package wordnet-base has the database.
const wordnetFolder = "/usr/share/wordnet"

// leastAsked is how often a word must be used in WordNet to have an entry.
const leastAsked = 15

// TestDictionary: the dictionary is what WordNet says.
func TestDictionary(t *testing.T) {
	if _, err := os.Stat(wordnetFolder); err != nil {
		t.Skip("skipped: WordNet is not in " + wordnetFolder)
	}
	w, err := readWordnet(wordnetFolder)
	if err != nil {
		t.Fatal(err)
	}
	want := w.dictionary()
	if *update {
		if err := os.WriteFile("wordnet/words.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("skipped: wordnet/words.txt is written anew; run the test again")
	}
	if dictionary != want {
		t.Error("wordnet/words.txt is not what WordNet says: go test ./internal/recall -run TestDictionary -update")
	}
}

// dictionary returns the entries of the words that are common enough.
func (w wordnet) dictionary() string {
	s := new(stemmer)
	uses := make(map[string]float64) // of a stem
	for _, word := range slices.Sorted(maps.Keys(w.words)) {
		if stem := oneStem(s, word); stem != "" {
			uses[stem] += w.used[word]
		}
	}
	var out strings.Builder
	for _, word := range slices.Sorted(maps.Keys(w.words)) {
		stem := oneStem(s, word)
		if stem == "" || w.used[word] < leastAsked {
			continue
		}
		near := make(map[string]float64)
		for other, nearness := range w.neighbours(word) {
			if o := oneStem(s, other); o != "" && o != stem && nearness >= leastNear && w.used[other] >= leastUsed {
				near[o] = max(near[o], nearness)
			}
		}
		value := func(stem string) float64 { return near[stem] * math.Sqrt(math.Log(1+uses[stem])) }
		best := slices.SortedFunc(maps.Keys(near), func(a, b string) int {
			return cmp.Or(cmp.Compare(value(b), value(a)), strings.Compare(a, b))
		})
		if len(best) == 0 {
			continue
		}
		out.WriteString(word + "\t")
		for i, stem := range best[:min(len(best), mostPerWord)] {
			fmt.Fprintf(&out, "%.*s%d%s", min(i, 1), " ", min(9, int(math.Round(10*near[stem]))), stem)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// oneStem returns the stem of a word in small letters that has one and says something, or
// "".
func oneStem(s *stemmer, word string) string {
	const shortest = 3
	if len(word) < shortest || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" || isStop(word) {
		return ""
	}
	if stemmed := s.word(word, inEnglish); len(stemmed.others) == 0 && !isStop(stemmed.term) {
		return stemmed.term
	}
	return ""
}

// TestDictionaryForm: every entry is found, and its neighbours have digits and no spaces.
func TestDictionaryForm(t *testing.T) {
	last := ""
	for line := range strings.Lines(dictionary) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if word <= last {
			t.Errorf("%q stands behind %q", word, last)
		}
		last = word
		if got := strings.Join(row(dictionary, word), " "); got != rest || got == "" {
			t.Errorf("%q has the entry %q, want %q", word, got, rest)
		}
		for _, n := range row(dictionary, word) {
			if n[0] < '1' || n[0] > '9' || n[1:] == "" || strings.Trim(n[1:], "abcdefghijklmnopqrstuvwxyz") != "" {
				t.Errorf("%q has the neighbour %q", word, n)
			}
		}
	}
	for _, word := range []string{"", "a", "zzz", "no such word"} {
		if got := row(dictionary, word); got != nil {
			t.Errorf("%q has the entry %q", word, got)
		}
	}
}

func TestNeighbours(t *testing.T) {
	for word, want := range map[string]string{
		"physician": "doctor", "spouse": "husband", "beverages": "coffe", "sofa": "couch", "jewelry": "necklac", "studies": "survey", "vacation": "holiday", "made": "creat",
	} {
		t.Run(word, func(t *testing.T) {
			got := neighbours(queryTerm{word: word, term: term(word)})
			if !slices.ContainsFunc(got, func(n string) bool { return n[1:] == want }) {
				t.Errorf("neighbours are %q, want %q among them", got, want)
			}
		})
	}
}

// TestWantNeighbours: a question has so many neighbours at most, and words that say nothing
// have none.
func TestWantNeighbours(t *testing.T) {
	count := func(text string) int {
		q, n := understand(text, time.Time{}, new(stemmer)), 0
		for i, t := range q.terms {
			if t.relative(i) && t.share < familyWeight {
				n++
			}
		}
		return n
	}
	if n := count("doctor beverage sport jewelry house animal furniture clothing"); n != maxNeighbours {
		t.Errorf("%d neighbours, want %d", n, maxNeighbours)
	}
	if n := count("the thing"); n != 0 {
		t.Errorf("words that say nothing have %d neighbours", n)
	}
}
