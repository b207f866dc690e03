package recall

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestHeads: words that a search skips for their first letters could not match it.
func TestHeads(t *testing.T) {
	for _, root := range strings.Fields("walk love city try hop agree control relate happy generous oscillate note sky news inning proceed early y yes by boy toy aa oed") {
		for _, ending := range []string{"", "s", "es", "ed", "ing", "ly", "er", "ation", "ness", "ment", "ity", "ful", "ous", "ive", "ize", "ies"} {
			if w := root + ending; len(irregular()[w]) == 0 && head(stem(w)) != head(w) {
				t.Errorf("stem of %q is %q, which begins otherwise", w, stem(w))
			}
		}
	}
	for form, bases := range irregular() {
		for _, b := range bases {
			if head(stem(b)) != head(b) {
				t.Errorf("stem of %q, for %q, begins otherwise", b, form)
			}
		}
	}
}

var update = flag.Bool("update", false, "write families.tsv anew")

// TestFamilies: families.tsv holds the families of families.txt, in stems.
func TestFamilies(t *testing.T) {
	text, err := os.ReadFile("families.txt")
	if err != nil {
		t.Fatal(err)
	}
	kin := kinships(string(text))
	var want strings.Builder
	for _, term := range slices.Sorted(maps.Keys(kin)) {
		for _, r := range kin[term] {
			if r == "" || isStop(r) {
				t.Errorf("%q has the relative %q, which nothing is found by", term, r)
			}
		}
		fmt.Fprintf(&want, "%s\t%s\n", term, strings.Join(kin[term], " "))
	}
	if *update {
		if err := os.WriteFile("families.tsv", []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("skipped: families.tsv is written anew; run the test again")
	}
	if families != want.String() {
		t.Error("families.tsv is not what families.txt says: go test -run TestFamilies -update")
	}
	for _, pair := range [][2]string{{"child", "kid"}, {"kid", "child"}, {"repo", "repositori"}, {"repositori", "repo"}} {
		if !slices.Contains(relatives(pair[0]), pair[1]) {
			t.Errorf("%q does not lead to %q", pair[0], pair[1])
		}
	}
	if got := relatives("chil"); got != nil {
		t.Errorf("half a word has the relatives %q", got)
	}
}

// kinships reads families, one on a line, and returns the relatives of each stem, once
// each, in order. Words after a colon are relatives of the word before it, and not of each
// other.
func kinships(text string) map[string][]string {
	kin := make(map[string][]string)
	relate := func(a, b string) {
		if a != b && !slices.Contains(kin[a], b) {
			kin[a] = append(kin[a], b)
		}
	}
	for line := range strings.Lines(text) {
		head, members, star := strings.Cut(line, ":")
		if !star {
			members = line
		}
		words := stems(members)
		for i, a := range words {
			if star {
				relate(term(head), a)
				relate(a, term(head))
				continue
			}
			for j, b := range words {
				if i != j {
					relate(a, b)
				}
			}
		}
	}
	return kin
}

func stems(text string) []string {
	words := strings.Fields(text)
	for i, w := range words {
		words[i] = term(w)
	}
	return words
}

// term returns the first term of a word.
func term(word string) string { return new(stemmer).word(word, inEnglish).term }

// TestSharedForms: a form that several words share is a form of each.
func TestSharedForms(t *testing.T) {
	for _, tt := range []struct{ form, forms string }{
		{"lives", "live living lived life"},
		{"leaves", "leave leaving leaf"},
		{"left", "leave leaves left"},
		{"halves", "half halve halving"},
		{"calves", "calf calve"},
		{"shelves", "shelf shelve shelving"},
		{"found", "find finds finding founded founding"},
		{"saw", "see seen seeing saws sawing"},
		{"felt", "feel feeling felts"},
		{"lay", "lie lies lying lain lays laying laid"},
		{"wound", "wind winding wounds wounded"},
		{"bound", "bind binding bounds bounded"},
		{"rose", "rise risen rising roses"},
		{"ground", "grind grinding grounds grounded"},
		{"bit", "bite bites bitten bits"},
		{"fell", "fall falls fallen felled"},
		{"bore", "bear borne bearing bored boring bores"},
		{"led", "lead leads leading leds"},
		{"shot", "shoot shooting shots"},
		{"thought", "think thinks thoughts"},
		{"spoke", "speak spoken spokes"},
		{"dove", "dive diving doves"},
		{"axes", "axe axis"},
		{"bases", "base basis based"},
		{"analyses", "analysis analyse analysed"},
		{"diagnoses", "diagnosis diagnose diagnosed"},
		{"choices", "choice choose chosen"},
		{"flights", "flight fly flew"},
		{"gifts", "gift give given"},
		{"sales", "sale sell sold"},
		{"losses", "loss lose lost"},
		{"speeches", "speech speak spoken"},
		{"knives", "knife"}, {"wolves", "wolf"}, {"wives", "wife"},
		{"goes", "go went"}, {"people", "person peoples"}, {"indices", "index indexes"},
	} {
		have := terms(tt.form)
		for _, form := range strings.Fields(tt.forms) {
			if !slices.ContainsFunc(terms(form), func(t string) bool { return slices.Contains(have, t) }) {
				t.Errorf("%q, found by %q, is no form of %q, found by %q", form, terms(form), tt.form, have)
			}
		}
	}
	for _, pair := range [][2]string{{"life", "live"}, {"leaf", "leave"}, {"find", "founder"}, {"see", "saws"}, {"rise", "roses"}} {
		if slices.Equal(terms(pair[0]), terms(pair[1])) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
}

// terms returns all terms of a word.
func terms(word string) []string {
	var all []string
	for _, t := range Terms(word) {
		all = append(all, t.Text)
	}
	return all
}

// TestLookFor: reading for a question finds the same as reading everything.
func TestLookFor(t *testing.T) {
	text := "Anna's children went swimming; the lying sky, the ugliest shoes and 3 dying flowers bought in Łódź."
	for _, word := range strings.Fields("child go swim lie sky ugly shoe die flower buy lodz 3") {
		q := understand(word, date(2026, 1, 1), new(stemmer))
		var s stemmer
		s.lookFor(q)
		full := new(stemmer).tokens(text)
		for i, tok := range s.tokens(text) {
			if _, asked := q.index[full[i].term]; asked && tok.term != full[i].term {
				t.Errorf("%q: read %q, want %q", word, tok.term, full[i].term)
			}
		}
	}
}

// TestStart: a program that recalls nothing pays nothing for it. A separate process reports
// what the package made before main.
func TestStart(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.list=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(trace), "init ") {
		t.Fatalf("no trace: %v", err)
	}
	for line := range strings.Lines(string(trace)) {
		_, rest, ours := strings.Cut(line, "satchel/internal/recall @")
		_, size, _ := strings.Cut(rest, "clock, ")
		var bytes, allocs int
		if _, err := fmt.Sscanf(size, "%d bytes, %d allocs", &bytes, &allocs); ours && (err != nil || bytes > 4096) {
			t.Errorf("the package makes %d objects of %d bytes when a program starts, %v", allocs, bytes, err)
		}
	}
}
