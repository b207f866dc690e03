package recall_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// TestAlso: other wordings find what the question misses, and the question leads.
func TestAlso(t *testing.T) {
	idx := index(
		fact("job", "The user's occupation is cartographer.", 30),
		fact("living", "Cost of living in Graz is high.", 30),
		fact("dog", "The user has a whippet called Otto.", 30),
		fact("cat", "Die Katze heißt Momo und schläft im Garten.", 30),
		fact("car", "Sold the Skoda and bought a cargo bike.", 30),
	)
	ask := func(text string, also ...string) []memory.Hit {
		t.Helper()
		return search(t, idx, memory.Query{Text: text, Also: also})
	}
	t.Run("they find", func(t *testing.T) {
		if got := ids(ask("pets")); got != "" {
			t.Fatalf("the question alone finds %q", got)
		}
		hits := ask("pets", "dog whippet", "Katze")
		if got := strings.Fields(ids(hits)); len(got) != 2 || !slices.Contains(got, "dog") || !slices.Contains(got, "cat") {
			t.Errorf("got %q", got)
		}
		for _, h := range hits {
			if h.Score <= 0 || h.Score > 1 || h.Signals.Similarity <= 0 || h.Signals.Similarity > .85 {
				t.Errorf("score %v, signals %+v", h.Score, h.Signals)
			}
		}
	})
	t.Run("a reason names the wording", func(t *testing.T) {
		hits := ask("pets", "Katze")
		if len(hits) != 1 || hits[0].Why[0] != `matches "katze" (in other words: "Katze")` {
			t.Errorf("%+v", hits)
		}
		long := "Katze " + strings.Repeat("ä", 100)
		hits = ask("pets", long)
		if len(hits) != 1 || !strings.HasSuffix(hits[0].Why[0], `ä…")`) || len(hits[0].Why[0]) > 130 {
			t.Errorf("%+v", hits)
		}
		for _, reason := range ask("Katze", "Momo")[0].Why {
			if strings.Contains(reason, "in other words") {
				t.Errorf("the question finds it: %q", reason)
			}
		}
	})
	t.Run("the question leads", func(t *testing.T) {
		alone := ask("Katze")[0]
		hits := ask("Katze", "whippet")
		if ids(hits) != "cat dog" {
			t.Fatalf("got %s", ids(hits))
		}
		if diff := cmp.Diff(alone, hits[0]); diff != "" {
			t.Errorf("a wording that does not find a record changes it (-alone +with it):\n%s", diff)
		}
		if want := .85 * ask("whippet")[0].Score; math.Abs(hits[1].Score-want) > 1e-12 {
			t.Errorf("score %v, want %v", hits[1].Score, want)
		}
	})
	t.Run("what several wordings find comes first", func(t *testing.T) {
		one, two := ask("x", "occupation")[0], ask("x", "occupation", "cartographer")[0]
		if two.Score <= one.Score || two.Score > 1 || two.Signals.Similarity <= one.Signals.Similarity {
			t.Errorf("by one %+v, by two %+v", one, two)
		}
	})
	t.Run("many wordings reach no score above 1", func(t *testing.T) {
		idx := index(fact("wall", "seven wooden benches beside some crooked garden wall along quiet rivers", 0))
		also := []string{"wooden benches", "crooked garden wall", "seven benches", "quiet rivers", "rivers benches"}
		alone := search(t, idx, memory.Query{Text: "garden"})[0]
		all := search(t, idx, memory.Query{Text: "garden", Also: also})[0]
		if all.Score <= alone.Score || all.Score > 1 || all.Signals.Similarity > 1 {
			t.Errorf("alone %+v, with all %+v", alone, all)
		}
	})
	t.Run("of equal wordings the first in order of text is named", func(t *testing.T) {
		for _, also := range [][]string{{"Katze", "Momo"}, {"Momo", "Katze"}} {
			if hits := ask("pets", also...); len(hits) != 1 || hits[0].Why[0] != `matches "katze" (in other words: "Katze")` {
				t.Errorf("%q: %+v", also, hits)
			}
		}
	})
	t.Run("limit and budget hold for all together", func(t *testing.T) {
		also := []string{"whippet", "cartographer", "Skoda", "Graz"}
		if hits := search(t, idx, memory.Query{Text: "Katze", Also: also, Limit: 2}); len(hits) != 2 {
			t.Errorf("got %s", ids(hits))
		}
		hits, budget := search(t, idx, memory.Query{Text: "Katze", Also: also, Budget: 30}), 0
		for _, h := range hits {
			budget += recall.Tokens(h.Record.Body.Text)
		}
		if len(hits) < 2 || len(hits) > 3 || budget > 30 {
			t.Errorf("%d tokens in %s", budget, ids(hits))
		}
	})
	t.Run("the explanation covers all searches", func(t *testing.T) {
		_, e, err := recall.Search(context.Background(), idx, memory.Query{Text: "Katze", Also: []string{"whippet"}}, recall.Options{Now: now}, everything)
		if err != nil || !slices.Contains(e.Terms, "whippet") || e.Terms[0] == "whippet" || e.Rounds != 2 || e.Candidates != 2 || e.Allowed != 2 {
			t.Errorf("%+v, %v", e, err)
		}
	})
}

// TestAlsoIgnored: wordings that say nothing new change nothing, not even a digit.
func TestAlsoIgnored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		idx := new(recalltest.Index)
		for n := range rapid.IntRange(0, 60).Draw(t, "records") {
			idx.Add(drawRecord(t, n))
		}
		q := drawQuery(t)
		q.Also = nil
		opt := recall.Options{Now: now, Apart: rapid.Bool().Draw(t, "apart"), Depth: rapid.SampledFrom([]int{0, 8}).Draw(t, "depth")}
		ask := func(also []string) string {
			q.Also = also
			hits, explanation, err := recall.Search(context.Background(), idx, q, opt, everything)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%+v %+v", hits, explanation)
		}
		want := ask(nil)
		nothing := []string{"", " \n", "*", "What do you know about me?", "was weißt du über mich", q.Text, " " + strings.ToUpper(q.Text) + "\n"}
		if got := ask(rapid.SliceOfN(rapid.SampledFrom(nothing), 0, 5).Draw(t, "also")); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		hits := func(also ...string) string { answer, _, _ := strings.Cut(ask(also), " {Terms:"); return answer }
		if got := hits("xylophone"); got != hits() {
			t.Fatalf("a wording without matches changes the answer: got\n%s\nwant\n%s", got, hits())
		}
	})
}

// TestAlsoFuses: the order of wordings changes nothing, no score falls through a wording, no
// record appears twice, and every search stays within its bounds.
func TestAlsoFuses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		idx := new(recalltest.Index)
		for n := range rapid.IntRange(1, 60).Draw(t, "records") {
			idx.Add(drawRecord(t, n))
		}
		q := drawQuery(t)
		also := q.Also
		opt := recall.Options{Now: now, Apart: rapid.Bool().Draw(t, "apart")}
		ask := func(also ...string) []memory.Hit {
			q.Also = also
			hits, _, err := recall.Search(context.Background(), idx, q, opt, everything)
			if err != nil {
				t.Fatal(err)
			}
			return hits
		}
		got := ask(also...)
		if diff := cmp.Diff(got, ask(rapid.Permutation(also).Draw(t, "order")...)); diff != "" {
			t.Fatalf("the order of wordings shows:\n%s", diff)
		}
		if diff := cmp.Diff(got, ask(append(also[:len(also):len(also)], also...)[:min(5, 2*len(also))]...)); diff != "" {
			t.Fatalf("a wording counts twice:\n%s", diff)
		}
		scores := map[memory.ID]float64{}
		for i, h := range got {
			if _, twice := scores[h.Record.ID]; twice || i > 0 && h.Score > got[i-1].Score || h.Signals.Similarity > 1 {
				t.Fatalf("hit %d: %+v", i, h)
			}
			scores[h.Record.ID] = h.Score
		}
		for _, h := range ask() {
			if score, found := scores[h.Record.ID]; found && score < h.Score {
				t.Fatalf("%s falls from %v to %v", h.Record.ID, h.Score, score)
			}
		}
	})
}

// TestAlsoSound: only records about to enter the fused answer are checked, each once, and an
// unsound one takes no other's place.
func TestAlsoSound(t *testing.T) {
	idx := new(recalltest.Index)
	const more = "beside seven wooden benches along some crooked garden wall"
	for i := range 200 {
		idx.Add(fact(fmt.Sprint("zinnia", i), "green zinnia "+more, 30))
		idx.Add(fact(fmt.Sprint("basalt", i), "black basalt "+more, 30))
	}
	checked := map[memory.ID]int{}
	ask := func(unsound func(memory.ID) bool) []memory.Hit {
		t.Helper()
		clear(checked)
		opt := recall.Options{Now: now, Sound: func(r memory.Record) (bool, error) {
			checked[r.ID]++
			return !unsound(r.ID), nil
		}}
		hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: "zinnia", Also: []string{"basalt"}, Limit: 4}, opt, everything)
		if err != nil {
			t.Fatal(err)
		}
		for id, n := range checked {
			if n != 1 {
				t.Errorf("%s was checked %d times", id, n)
			}
		}
		return hits
	}
	if hits := ask(func(memory.ID) bool { return false }); len(hits) != 4 || len(checked) != 4 {
		t.Errorf("%d records were checked for %s", len(checked), ids(hits))
	}
	hits := ask(func(id memory.ID) bool { return strings.Contains(string(id), "zinnia") })
	if len(hits) != 4 || !strings.HasPrefix(ids(hits), "basalt") {
		t.Errorf("got %q", ids(hits))
	}
	idx.Add(fact("weak", "zinnia "+strings.Repeat("and many other words ", 40), 30)) // is read after many unsound ones
	hits = ask(func(id memory.ID) bool { return id != "urn:ump:weak" && id != "urn:ump:basalt7" })
	if ids(hits) != "basalt7 weak" {
		t.Errorf("got %q", ids(hits))
	}
	broken := errors.New("broken")
	opt := recall.Options{Now: now, Sound: func(memory.Record) (bool, error) { return false, broken }}
	if _, _, err := recall.Search(context.Background(), idx, memory.Query{Text: "zinnia", Also: []string{"basalt"}}, opt, everything); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestAlsoReadsOnce: searches for several wordings fetch a record once, and a failing index
// fails the whole search.
func TestAlsoReadsOnce(t *testing.T) {
	idx := index(fact("a", "green tea and black coffee", 3), fact("b", "green tea", 3))
	search(t, idx, memory.Query{Text: "tea", Also: []string{"green", "coffee", "green coffee"}})
	if idx.Fetched != 4 { // the entry of each, and then the record
		t.Errorf("fetched %d candidates, want 4", idx.Fetched)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := recall.Search(ctx, idx, memory.Query{Text: "tea", Also: []string{"coffee"}}, recall.Options{}, everything); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
