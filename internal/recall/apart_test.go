package recall_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// secretWord is the word that view removes from a text.
const secretWord = "swordfish"

func view(r memory.Record) memory.Record {
	if r.Scope.User == "withheld" {
		return memory.Record{}
	}
	r.Body.Text = strings.ReplaceAll(r.Body.Text, secretWord, "")
	if r.Scope.User == "redacted" {
		r.Scope.Session, r.Scope.User, r.Scope.Project = "", "", ""
		r.Lifecycle.Salience, r.Provenance = nil, nil
		r.Time.Observed = time.Time{}
	}
	return r
}

func visible(r memory.Record) bool { return r.Scope.Visibility == memory.Public }

// drawRecord makes a record some words of which are common.
func drawRecord(t *rapid.T, n int) memory.Record {
	words := []string{"koala", "divorce", "garden", "gardens", "kids", "children", "mother", "plant?", "Anna:", "lives", "left",
		"the", "lawyer", "laywer", "rules", "lantern", "2024", secretWord}
	r := fact(fmt.Sprint(n), strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 7).Draw(t, "text"), " "), rapid.IntRange(0, 3).Draw(t, "days"))
	r.Kind = rapid.SampledFrom([]memory.Kind{memory.Episodic, memory.Episodic, memory.Working, memory.Semantic, memory.Procedural}).Draw(t, "kind")
	r.Scope.Visibility = rapid.SampledFrom([]memory.Visibility{memory.Private, memory.Private, memory.Public}).Draw(t, "visibility")
	r.Scope.User = rapid.SampledFrom([]string{"", "", "", "redacted", "withheld"}).Draw(t, "user")
	r.Scope.Session = rapid.SampledFrom([]string{"", "s", "s", "s"}).Draw(t, "session")
	r.Scope.Project = rapid.SampledFrom([]string{"", "", "", "", "github.com/anna/lantern"}).Draw(t, "project")
	if rapid.Bool().Draw(t, "salient") {
		salience := .9
		r.Lifecycle.Salience = &salience
		r.Provenance = &memory.Provenance{Evidence: []memory.Evidence{{Ref: "x"}}}
	}
	return r
}

// drawQuery asks for some of the words of drawRecord, and for others.
func drawQuery(t *rapid.T) memory.Query {
	words := []string{"koala", "divorce", "garden", "children", "mom", "Anna", "life", "left", "is", "attorney", "rule", "lantern", "gardne", "lawyre", "zebra", secretWord, `"koala garden"`}
	asked := rapid.SliceOfN(rapid.SampledFrom(words), 1, 5).Draw(t, "question")
	if rapid.IntRange(0, 4).Draw(t, "long") == 0 {
		for i := range 40 {
			asked = append(asked, fmt.Sprint("filler", i))
		}
		asked = append(asked, words...)
	}
	return memory.Query{
		Text:   strings.Join(asked, " "),
		Also:   rapid.SliceOfN(rapid.SampledFrom([]string{"mother garden", "lawyer", "swordfish", "plant Anna", "koala koala", "*"}), 0, 3).Draw(t, "also"),
		Limit:  rapid.SampledFrom([]int{1, 5, 50}).Draw(t, "limit"),
		Budget: rapid.SampledFrom([]int{0, 0, 30}).Draw(t, "budget"),
		Scope:  memory.Scope{Project: rapid.SampledFrom([]string{"", "github.com/anna/lantern"}).Draw(t, "scope")},
		Filter: memory.Filter{Kinds: rapid.SampledFrom([][]memory.Kind{nil, nil, {memory.Episodic}, {memory.Semantic, memory.Procedural}}).Draw(t, "kinds")},
	}
}

// answered is the part of an answer that the caller sees.
type answered struct {
	ID      memory.ID
	Signals memory.Signals
	Score   float64
	Why     []string
}

// askApart asks for the visible records.
func askApart(t failer, idx recall.Index, q memory.Query, opt recall.Options) []answered {
	t.Helper()
	opt.Now, opt.Apart, opt.Sound = now, true, func(r memory.Record) (bool, error) { return !strings.HasSuffix(string(r.ID), "3"), nil }
	hits, _, err := recall.Search(context.Background(), idx, q, opt, func(r memory.Record) bool {
		ofKind := len(q.Filter.Kinds) == 0
		for _, k := range q.Filter.Kinds {
			ofKind = ofKind || k == r.Kind
		}
		return ofKind && visible(r)
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []answered
	for _, h := range hits {
		all = append(all, answered{h.Record.ID, h.Signals, h.Score, h.Why})
	}
	return all
}

// TestApart: a caller who sees a part of an index learns no more than from an index of that
// part.
func TestApart(t *testing.T) {
	t.Run("UMP-2.7-7 UMP-3.2-13 the answer is that of the visible part alone", func(t *testing.T) {
		found, conversations := 0, 0
		rapid.Check(t, func(t *rapid.T) {
			whole, part := new(recalltest.Index), new(recalltest.Index)
			for n := range rapid.IntRange(1, 80).Draw(t, "records") {
				r := drawRecord(t, n)
				feedback := rapid.SampledFrom([]float64{0, 0, 1, -.5}).Draw(t, "feedback")
				doc := whole.Add(r)
				whole.Learn(doc, feedback)
				switch {
				case rapid.IntRange(0, 9).Draw(t, "forgotten") == 0:
					whole.Remove(doc)
				case visible(r) && view(r).ID != "":
					part.Learn(part.Add(view(r)), feedback)
				}
			}
			for range 8 {
				q := drawQuery(t)
				depth := rapid.SampledFrom([]int{0, 8, 24}).Draw(t, "depth")
				got, want := askApart(t, whole, q, recall.Options{View: view, Depth: depth}), askApart(t, part, q, recall.Options{Depth: depth})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%q: what is hidden shows (-without it +with it):\n%s", q.Text, diff)
				}
				found += len(got)
				for _, a := range got {
					if a.Why[0] == "said beside what matches" {
						conversations++
					}
				}
			}
		})
		if found == 0 || conversations == 0 {
			t.Errorf("%d hits, %d of them for their neighbours: nothing was tested", found, conversations)
		}
	})
	t.Run("UMP-2.7-7 a private word changes no score", func(t *testing.T) {
		public := fact("public", "We saw a koala at the zoo.", 3)
		public.Scope.Visibility = memory.Public
		private := fact("private", "The divorce is through.", 2)
		q := memory.Query{Text: "koala divorce"}
		without, with := askApart(t, index(public), q, recall.Options{}), askApart(t, index(public, private), q, recall.Options{})
		if diff := cmp.Diff(without, with); diff != "" || len(with) != 1 {
			t.Errorf("the score says what is private (-without it +with it):\n%s", diff)
		}
	})
	t.Run("UMP-2.7-7 a private word takes the place of none that looks like it", func(t *testing.T) {
		for _, word := range []string{"erciept", "reciepw"} { // looked for later than others, and after others
			public := fact("public", "An "+word+" lies in the drawer.", 3)
			public.Scope.Visibility = memory.Public
			all := []memory.Record{public}
			for i, word := range strings.Fields("reciept recciept receipt recept recieps recieptt reciepts recipt") {
				all = append(all, fact(fmt.Sprint("private", i), "The "+word+" is in the safe.", 2))
			}
			q := memory.Query{Text: "reciept of the safe"}
			without, with := askApart(t, index(public), q, recall.Options{}), askApart(t, index(all...), q, recall.Options{})
			if diff := cmp.Diff(without, with); diff != "" || len(with) != 1 {
				t.Errorf("%s: the answer says what is private (-without it +with it):\n%s", word, diff)
			}
		}
	})
	t.Run("UMP-2.7-7 a private word that looks like one of the question's names no project", func(t *testing.T) {
		quokka, wombat := fact("a", "The door opens at dawn.", 3), fact("b", "The door opens at dawn.", 3)
		quokka.Scope.Project, wombat.Scope.Project = "github.com/anna/quokka", "github.com/anna/wombat"
		quokka.Scope.Visibility, wombat.Scope.Visibility = memory.Public, memory.Public
		q := memory.Query{Text: "quokks door dawn"}
		without, with := askApart(t, index(quokka, wombat), q, recall.Options{}), askApart(t, index(quokka, wombat, fact("c", "The quokka sleeps.", 2)), q, recall.Options{})
		if diff := cmp.Diff(without, with); diff != "" || len(with) != 2 {
			t.Errorf("the answer says what is private (-without it +with it):\n%s", diff)
		}
	})
	t.Run("UMP-2.7-7 a private run within a conversation shows in nothing", func(t *testing.T) {
		question, answer := said("1", "Ben: What did you plant in the garden, Anna?"), said("2", "Anna: Zinnias.")
		question.Scope.Visibility, answer.Scope.Visibility = memory.Public, memory.Public
		broken := []memory.Record{question}
		for i := range 100 {
			broken = append(broken, said(fmt.Sprint("private", i), "Ben: Between ourselves"))
		}
		q := memory.Query{Text: "plant garden"}
		want, got := askApart(t, index(question, answer), q, recall.Options{}), askApart(t, index(append(broken, answer)...), q, recall.Options{})
		if diff := cmp.Diff(want, got); diff != "" || len(got) != 2 || got[0].ID != answer.ID {
			t.Errorf("the private run shows (-without it +with it):\n%s", diff)
		}
	})
}

// TestApartAsEver: if everything is visible, an answer apart says the same as any other,
// though with other weights.
func TestApartAsEver(t *testing.T) {
	ask := func(idx recall.Index, q memory.Query, near ...recall.Near) ([]memory.Hit, recall.Explanation) {
		t.Helper()
		hits, explanation, err := recall.Search(context.Background(), idx, q, recall.Options{Now: now, Apart: true, Nearest: near}, everything)
		if err != nil {
			t.Fatal(err)
		}
		return hits, explanation
	}
	t.Run("three neighbours on either side borrow", func(t *testing.T) {
		texts := []string{"far", "early", "earlier", "just before", "What did you plant in the garden?", "Zinnias.", "Basil.", "Mint.", "Bye."}
		var records []memory.Record
		for _, text := range texts {
			records = append(records, said(strings.ReplaceAll(text, " ", "-"), text))
		}
		q := memory.Query{Text: "plant garden"}
		hits, _ := ask(index(records...), q)
		if got, want := ids(hits), ids(search(t, index(records...), q)); got != want || len(hits) != 7 {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("of a long question the rarest words count", func(t *testing.T) {
		common := ""
		for i := range 60 {
			common += fmt.Sprint("common", i, " ")
		}
		var records []memory.Record
		for i := range 20 {
			records = append(records, fact(fmt.Sprint(i), common, 90))
		}
		records = append(records, fact("koala", "We saw a koala.", 90), fact("near", "We saw a bear.", 90))
		hits, explanation := ask(index(records...), memory.Query{Text: common + "koala", Limit: 50}, recall.Near{Doc: 22, Similarity: .9})
		if len(explanation.Terms) != 32 || explanation.Terms[31] != "koala" {
			t.Errorf("searched for %q", explanation.Terms)
		}
		why := map[memory.ID]string{}
		for _, h := range hits {
			why[h.Record.ID] = strings.Join(h.Why, ", ")
		}
		if got := why["urn:ump:koala"]; got != `matches "koala"` {
			t.Errorf("the koala is found for %q", got)
		}
		if got := why["urn:ump:near"]; got != "similar in meaning" {
			t.Errorf("what is near is found for %q", got)
		}
		if len(hits) != 22 || !strings.Contains(why["urn:ump:0"], `"common0"`) || strings.Contains(why["urn:ump:0"], `"koala"`) {
			t.Errorf("%d hits, one for %q", len(hits), why["urn:ump:0"])
		}
	})
}

// TestApartFinds: a visible record is found behind any number of hidden ones.
func TestApartFinds(t *testing.T) {
	t.Run("UMP-3.2-13 behind more of others than may be read", func(t *testing.T) {
		idx := index(fact("own", "Among much else, I once heard somebody mention a lighthouse.", 900))
		for i := range 3000 {
			r := fact(fmt.Sprint("foreign", i), "The lighthouse! The lighthouse!", 1)
			r.Scope.Owner = "did:key:zOther"
			idx.Add(r)
		}
		if got := ids(ownedHits(t, idx, recall.Options{Now: now, Apart: true, Postings: 100, Depth: 10})); got != "own" {
			t.Errorf("got %q, want own", got)
		}
	})
	t.Run("by a rare word behind any number of a common one", func(t *testing.T) {
		idx := index(fact("rare", "The koala is asleep", 900))
		for i := range 500 {
			idx.Add(fact(fmt.Sprint(i), "common common", 1))
		}
		if got := search16(t, idx, "common koala zebra", nil); !strings.Contains(got+" ", "rare ") {
			t.Errorf("got %q, want rare among them", got)
		}
	})
	t.Run("by a word that newer records hold hidden", func(t *testing.T) {
		idx := index(fact("rare", "The koala is asleep", 900))
		for i := range 500 {
			idx.Add(fact(fmt.Sprint(i), "common common", 1))
		}
		for i := range 50 {
			idx.Add(fact(fmt.Sprint("hidden", i), "koala", 1))
		}
		hide := func(r memory.Record) memory.Record {
			if strings.HasPrefix(string(r.ID), "urn:ump:hidden") {
				r.Body.Text = "[redacted]"
			}
			return r
		}
		if got := search16(t, idx, "common koala zebra", hide); !strings.Contains(got+" ", "rare ") {
			t.Errorf("got %q, want rare among them", got)
		}
	})
	t.Run("by several words behind any number of each", func(t *testing.T) {
		idx := index(fact("all", "red green blue", 900))
		for i := range 500 {
			idx.Add(fact(fmt.Sprint(i), []string{"red", "green", "blue", "red green"}[i%4], 1))
		}
		if got := search16(t, idx, "red green blue", nil); !strings.HasPrefix(got, "all ") {
			t.Errorf("got %q, want all first", got)
		}
	})
	t.Run("no more is read than is chosen from", func(t *testing.T) {
		idx, needles := haystack(20_000)
		for _, n := range needles {
			opt := recall.Options{Now: now, Apart: true, Depth: 200}
			hits, explanation, err := recall.Search(context.Background(), idx, memory.Query{Text: n.Question, Limit: 5}, opt, everything)
			if err != nil || len(hits) != 5 {
				t.Fatalf("%d hits, %v", len(hits), err)
			}
			if most := 200 + 64 + len(explanation.Terms)*200/4; explanation.Candidates > most {
				t.Errorf("%d candidates were read, want at most %d", explanation.Candidates, most)
			}
		}
	})
}

// search16 asks apart, with a choice too small for all records.
func search16(t *testing.T, idx recall.Index, text string, view func(memory.Record) memory.Record) string {
	t.Helper()
	hits, explanation, err := recall.Search(context.Background(), idx, memory.Query{Text: text, Limit: 17}, recall.Options{Now: now, View: view, Apart: true, Depth: 16}, everything)
	if err != nil || explanation.Candidates > 100 {
		t.Fatalf("%d candidates were read, %v", explanation.Candidates, err)
	}
	return ids(hits)
}

// TestApartQuality: words weighed among the matching records distinguish answers as well as
// words weighed among all. Without -v it asks two conversations, and is less strict.
func TestApartQuality(t *testing.T) {
	locomo, within := sets(t)[0], .01
	if !testing.Verbose() {
		locomo.Stores, within = locomo.Stores[:2], .02
	}
	whole := ask(t, locomo, 0, recallSearch(locomo, recall.Options{}))["all"]
	apart := ask(t, locomo, 0, recallSearch(locomo, recall.Options{Apart: true}))["all"]
	t.Logf("recall@10 %.4f, apart %.4f; MRR %.4f, apart %.4f", whole.At10, apart.At10, whole.MRR, apart.MRR)
	if apart.At10 < whole.At10-within || apart.MRR < whole.MRR-within {
		t.Errorf("recall@10 is %.3f and MRR %.3f apart, want within %g of %.3f and %.3f", apart.At10, apart.MRR, within, whole.At10, whole.MRR)
	}
}
