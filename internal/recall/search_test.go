package recall_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// fact returns a lasting record that was learnt days ago.
func fact(id, text string, days int) memory.Record {
	at := now.AddDate(0, 0, -days)
	return memory.Record{ID: memory.ID("urn:ump:" + id), Kind: memory.Semantic, Body: memory.Body{Text: text},
		Scope: memory.Scope{Owner: "did:key:zOwner"}, Time: memory.Times{Created: at, Observed: at}}
}

// said returns a record of a conversation.
func said(id, text string) memory.Record {
	r := fact(id, text, 10)
	r.Kind, r.Scope.Session = memory.Episodic, "talk"
	return r
}

func index(records ...memory.Record) *recalltest.Index {
	idx := new(recalltest.Index)
	for _, r := range records {
		idx.Add(r)
	}
	return idx
}

// failer is a test of testing or of rapid.
type failer interface {
	Helper()
	Fatal(...any)
}

func search(t failer, idx recall.Index, q memory.Query) []memory.Hit {
	t.Helper()
	hits, _, err := recall.Search(context.Background(), idx, q, recall.Options{Now: now}, everything)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func ids(hits []memory.Hit) string {
	var s []string
	for _, h := range hits {
		s = append(s, strings.TrimPrefix(string(h.Record.ID), "urn:ump:"))
	}
	return strings.Join(s, " ")
}

func TestSearchFinds(t *testing.T) {
	idx := index(
		fact("pnpm", "Use pnpm in this repo, never npm.", 40),
		fact("tea", "Anna prefers green tea in the morning.", 30),
		fact("kids", "Anna has two children and a dog.", 20),
		fact("went", "Anna went to Lisbon.", 15),
		fact("cat", "我的猫叫小白", 12),
		fact("lock", "The build broke because of parseLockfile in v2.1.3.", 8),
	)
	for _, tt := range []struct{ question, first string }{
		{"which package manager, pnpm?", "pnpm"},
		{"does Anna have kids", "kids"},
		{"where is Anna going", "went"},
		{"what does anna drink: GREEN TÉA", "tea"},
		{"我的猫", "cat"},
		{"猫", "cat"},
		{"parse_lockfile", "lock"},
		{"v2.1.3", "lock"},
		{`"in the morning"`, "tea"},
		{"AND OR NOT pnpm* NEAR( \" ' ) --", "pnpm"},
	} {
		t.Run(tt.question, func(t *testing.T) {
			hits := search(t, idx, memory.Query{Text: tt.question})
			if len(hits) == 0 || !strings.HasPrefix(ids(hits), tt.first) {
				t.Errorf("got %q, want %s first", ids(hits), tt.first)
			}
		})
	}
}

// TestOddQuestions: no text is an error, and none without words has an answer.
func TestOddQuestions(t *testing.T) {
	idx := index(fact("a", "something to find", 1))
	for _, text := range []string{"", " ", "?!", "\x00", "\xff\xfe", "\"", "the of and", strings.Repeat("lorem ipsum ", 10_000), "%_*()[]{}^~:;\\"} {
		if hits := search(t, idx, memory.Query{Text: text}); len(hits) != 0 {
			t.Errorf("%.20q has the answer %s", text, ids(hits))
		}
	}
	if hits := search(t, new(recalltest.Index), memory.Query{Text: "anything"}); len(hits) != 0 {
		t.Errorf("an empty store answers %s", ids(hits))
	}
}

// TestOfThemselves: what somebody says of themselves comes before what others say to them, of
// two records that match alike.
func TestOfThemselves(t *testing.T) {
	idx := index(said("1", "Anna: I built a kayak in spring."), said("2", "Anna: Somebody built a kayak in spring."), said("3", "Anna: They built a kayak in spring."))
	hits := search(t, idx, memory.Query{Text: "Who built a kayak?"})
	if got := ids(hits); !strings.HasPrefix(got, "1 ") {
		t.Errorf("got %q, want what Anna says of herself first", got)
	}
}

// TestConversation: an answer is found by the question that was asked before it.
func TestConversation(t *testing.T) {
	conversation := []memory.Record{
		said("1", "Ben: Good morning!"),
		said("2", "Ben: What did you plant in the garden, Anna?"),
		said("3", "Anna: Zinnias and a lot of basil."),
		said("4", "Ben: Lovely weather for it."),
	}
	hits := search(t, index(conversation...), memory.Query{Text: "What did Anna plant in the garden?"})
	if got := ids(hits[:2]); got != "3 2" {
		t.Errorf("got %q first, want the answer, then the question", got)
	}
	if got := hits[0].Why; len(got) == 0 || got[0] != "said beside what matches" {
		t.Errorf("the answer is found for %q", got)
	}

	t.Run("facts lend nothing", func(t *testing.T) {
		facts := slices.Clone(conversation)
		for i := range facts {
			facts[i].Kind = memory.Semantic
		}
		if got := ids(search(t, index(facts...), memory.Query{Text: "plant garden"})); got != "2" {
			t.Errorf("got %q, want only what matches", got)
		}
	})
	t.Run("another day lends nothing", func(t *testing.T) {
		later := slices.Clone(conversation)
		for i := range later {
			later[i].Time.Observed = now.AddDate(0, 0, -i)
		}
		if got := ids(search(t, index(later...), memory.Query{Text: "plant garden"})); got != "2" {
			t.Errorf("got %q, want only what matches", got)
		}
	})
	t.Run("another session lends nothing", func(t *testing.T) {
		sessions := slices.Clone(conversation)
		for i := range sessions {
			sessions[i].Scope.Session = fmt.Sprint(i)
		}
		if got := ids(search(t, index(sessions...), memory.Query{Text: "plant garden"})); got != "2" {
			t.Errorf("got %q, want only what matches", got)
		}
	})
	t.Run("UMP-3.2-13 what is refused lends nothing", func(t *testing.T) {
		hits, _, err := recall.Search(context.Background(), index(conversation...), memory.Query{Text: "plant garden"},
			recall.Options{Now: now}, func(r memory.Record) bool { return r.ID != "urn:ump:2" })
		if err != nil || len(hits) != 0 {
			t.Errorf("got %q, %v, want nothing", ids(hits), err)
		}
	})
}

func TestFilterBeforeRanking(t *testing.T) {
	own := fact("own", "Among much else, I once heard somebody mention a lighthouse.", 900)
	t.Run("UMP-3.2-13 an own weak match behind 51 strong ones of others", func(t *testing.T) {
		idx := index(own)
		for i := range 51 {
			r := fact(fmt.Sprint("foreign", i), "The lighthouse! The lighthouse!", 1)
			r.Scope.Owner = "did:key:zOther"
			idx.Add(r)
		}
		if got := ids(ownedHits(t, idx, recall.Options{Now: now})); got != "own" {
			t.Errorf("got %q, want own", got)
		}
	})
	t.Run("UMP-3.2-13 behind more of others than the posting budget", func(t *testing.T) {
		idx := index(own)
		for i := range 3000 {
			r := fact(fmt.Sprint("foreign", i), "The lighthouse! The lighthouse!", 1)
			r.Scope.Owner = "did:key:zOther"
			idx.Add(r)
		}
		if got := ids(ownedHits(t, idx, recall.Options{Now: now, Postings: 100, Depth: 10})); got != "own" {
			t.Errorf("got %q, want own", got)
		}
	})
}

func ownedHits(t *testing.T, idx recall.Index, opt recall.Options) []memory.Hit {
	t.Helper()
	hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: "lighthouse", Limit: 8}, opt,
		func(r memory.Record) bool { return r.Scope.Owner == "did:key:zOwner" })
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// TestFewOfKind: a question confined to a rare kind finds it behind any number of
// records that match better.
func TestFewOfKind(t *testing.T) {
	rule := fact("rule", "Deploy on Tuesdays.", 700)
	rule.Kind = memory.Procedural
	idx := index(rule)
	for i := range 2000 {
		idx.Add(fact(fmt.Sprint(i), "deploy deploy", 1))
	}
	q := memory.Query{Text: "deploy", Filter: memory.Filter{Kinds: []memory.Kind{memory.Procedural}}}
	hits, explanation, err := recall.Search(context.Background(), idx, q, recall.Options{Now: now, Postings: 100},
		func(r memory.Record) bool { return r.Kind == memory.Procedural })
	if err != nil || ids(hits) != "rule" {
		t.Errorf("got %q, %v, want rule", ids(hits), err)
	}
	if explanation.Candidates != 1 {
		t.Errorf("%d candidates were fetched for one record", explanation.Candidates)
	}
}

func TestForgottenDocumentsAreNoAnswer(t *testing.T) {
	idx := index(fact("a", "swordfish", 3), fact("b", "swordfish too", 2))
	idx.Remove(2)
	if got := ids(search(t, idx, memory.Query{Text: "swordfish"})); got != "a" {
		t.Errorf("got %q, want a", got)
	}
}

// TestMeaning: a record that an embedder finds near is an answer, too, and one that both
// find is a better one.
func TestMeaning(t *testing.T) {
	idx := index(fact("both", "Anna's car is red.", 5), fact("near", "She drives a crimson hatchback.", 5), fact("word", "The car park closes at six.", 5))
	opt := recall.Options{Now: now, Nearest: []recall.Near{{Doc: 1, Similarity: .8}, {Doc: 2, Similarity: .9}, {Doc: 99, Similarity: 1}}}
	hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: "colour of Anna's automobile car"}, opt, everything)
	if err != nil || !strings.HasPrefix(ids(hits), "both") || len(hits) != 3 {
		t.Fatalf("got %q, %v, want both first of three", ids(hits), err)
	}
	if !strings.HasPrefix(ids(hits), "both near") {
		t.Errorf("got %q, want near to outrank a word in passing", ids(hits))
	}
	for _, h := range hits {
		if h.Record.ID == "urn:ump:near" && !slices.Contains(h.Why, "similar in meaning") {
			t.Errorf("near is found for %q", h.Why)
		}
	}
}

func TestLimitAndBudget(t *testing.T) {
	idx := new(recalltest.Index)
	for i := range 100 {
		idx.Add(fact(fmt.Sprintf("%03d", i), "swordfish "+strings.Repeat("and more ", i%5), i))
	}
	for _, tt := range []struct{ limit, want int }{{0, 8}, {3, 3}, {50, 50}, {1000, 50}} {
		if got := len(search(t, idx, memory.Query{Text: "swordfish", Limit: tt.limit})); got != tt.want {
			t.Errorf("limit %d gives %d hits, want %d", tt.limit, got, tt.want)
		}
	}
	spent := 0
	hits := search(t, idx, memory.Query{Text: "swordfish", Limit: 50, Budget: 100})
	for _, h := range hits {
		spent += recall.Tokens(h.Record.Body.Text)
	}
	if len(hits) == 0 || spent > 100 {
		t.Errorf("%d hits of %d tokens in a budget of 100", len(hits), spent)
	}
	if hits := search(t, idx, memory.Query{Text: "swordfish", Budget: 1}); len(hits) != 0 {
		t.Errorf("%d hits in a budget of one token", len(hits))
	}
}

func TestOrder(t *testing.T) {
	t.Run("UMP-3.2-4 scores fall and ties are settled by time, then id", func(t *testing.T) {
		same := func(id string, days int) memory.Record {
			r := fact(id, "swordfish", 5)
			r.Time.Created = now.AddDate(0, 0, -days)
			return r
		}
		idx := index(same("c", 5), same("a", 5), same("new", 1), fact("best", "swordfish swordfish", 5), same("b", 5))
		hits := search(t, idx, memory.Query{Text: "swordfish"})
		if got, want := ids(hits), "best new a b c"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("UMP-3.2-4 the same question has the same answer", func(t *testing.T) {
		idx, needles := haystack(2000)
		for _, n := range needles {
			first := search(t, idx, memory.Query{Text: n.Question, Limit: 50})
			again := search(t, idx, memory.Query{Text: n.Question, Limit: 50})
			if diff := cmp.Diff(first, again); diff != "" {
				t.Fatal(diff)
			}
			if !slices.IsSortedFunc(first, func(a, b memory.Hit) int { return cmpFloat(b.Score, a.Score) }) {
				t.Errorf("scores rise")
			}
		}
	})
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// TestEveryMatchIsFound: for any records and question, an allowed record with a word of the
// question is found, unless the limit cuts it off; and no refused record is.
func TestEveryMatchIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vocabulary := []string{"swordfish", "lighthouse", "zebra", "quartz", "violin", "harbour"}
		idx := new(recalltest.Index)
		n := rapid.IntRange(1, 60).Draw(t, "records")
		question := rapid.SampledFrom(vocabulary).Draw(t, "question")
		want := 0
		for i := range n {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 4).Draw(t, "text"), " ")
			r := fact(fmt.Sprint(i), text, i)
			r.Scope.Visibility = rapid.SampledFrom([]memory.Visibility{memory.Private, memory.Public}).Draw(t, "visibility")
			idx.Add(r)
			if r.Scope.Visibility == memory.Public && strings.Contains(text, question) {
				want++
			}
		}
		opt := recall.Options{Now: now, Postings: rapid.IntRange(1, 50).Draw(t, "budget"), Depth: rapid.IntRange(1, 50).Draw(t, "depth")}
		hits, _, err := recall.Search(context.Background(), idx, memory.Query{Text: question, Limit: 50}, opt,
			func(r memory.Record) bool { return r.Scope.Visibility == memory.Public })
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) != min(want, 50) {
			t.Errorf("%d hits, want %d", len(hits), want)
		}
		for _, h := range hits {
			if h.Record.Scope.Visibility != memory.Public || !strings.Contains(h.Record.Body.Text, question) {
				t.Errorf("%s is no answer", h.Record.ID)
			}
		}
	})
}

// broken is an index that fails.
type broken struct {
	recalltest.Index
	err error
}

func (b *broken) Candidates(context.Context, []recall.Doc) ([]recall.Candidate, error) {
	return nil, b.err
}

func TestErrorsOfTheIndex(t *testing.T) {
	b := &broken{err: errors.New("disk on fire")}
	b.Add(fact("a", "swordfish", 1))
	if _, _, err := recall.Search(context.Background(), b, memory.Query{Text: "swordfish"}, recall.Options{}, everything); !errors.Is(err, b.err) {
		t.Errorf("got %v, want the index's error", err)
	}
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	if _, _, err := recall.Search(ctx, &b.Index, memory.Query{Text: "swordfish"}, recall.Options{}, everything); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the context's error", err)
	}
}

// TestFoundOtherwise: a record is found by other spellings of its words, by its dates, and
// by what it shortens.
func TestFoundOtherwise(t *testing.T) {
	day := func(id, text string, at time.Time) memory.Record {
		r := fact(id, text, 1)
		r.Time.Observed, r.Time.Created = at, at
		return r
	}
	idx := index(
		day("password", "The Netflix password is in the blue notebook.", now),
		day("doctor", "The ear, nose and throat clinic is on the hill.", now.AddDate(0, 0, -1)),
		day("isa", "Money lies in a cash ISA.", now.AddDate(0, 0, -2)),
		day("talk", "Gave a talk on beekeeping.", time.Date(2025, 9, 3, 9, 0, 0, 0, time.UTC)),
		day("flood", "The cellar stood under water, as on 12 August 2021.", now.AddDate(0, 0, -3)),
		day("tax", "Frau Weber legt die Steuerunterlagen in den Aktenschrank.", now.AddDate(0, 0, -4)),
		day("parcels", "The sorter takes twelve thousand parcels.", now.AddDate(0, 0, -5)),
	)
	for question, want := range map[string]string{
		"netflx pasword":                           "password",
		"When is my ENT appointment?":              "doctor",
		"my individual savings account":            "isa",
		"What did I do on 3 September?":            "talk",
		"What happened in August 2021?":            "flood",
		"Wo ist die Steuer?":                       "tax",
		"In welchem Schrank ist das für die Frau?": "tax",
		"Which machine does 12k?":                  "parcels",
	} {
		if got, _, _ := strings.Cut(ids(search(t, idx, memory.Query{Text: question})), " "); got != want {
			t.Errorf("%q finds %q first, want %s", question, got, want)
		}
	}
	if got := ids(search(t, idx, memory.Query{Text: "netflix password"})); got != "password" {
		t.Errorf("words that a record has find %q", got)
	}
}

// TestBestPassage: a long text is found by its best passage, and one that only has the words
// here and there comes after a short one that says them together.
func TestBestPassage(t *testing.T) {
	filler := strings.Repeat("much else was said about other things at length that day ", 30)
	idx := index(
		fact("scattered", "The cellar is dry. "+filler+"A key was found. "+filler+"The florist called. "+filler, 1),
		fact("together", filler+"The florist has the cellar key. "+filler, 1),
	)
	if got := ids(search(t, idx, memory.Query{Text: "florist cellar key"})); got != "together scattered" {
		t.Errorf("got %q", got)
	}
	assistant, user := fact("assistant", "assistant: The cellar key hangs in the hall.", 1), fact("user", "user: The cellar key hangs in the hall.", 1)
	if got := ids(search(t, index(assistant, user), memory.Query{Text: "cellar key"})); got != "user assistant" {
		t.Errorf("got %q", got)
	}
	model, other := fact("model", "Model: cellar key 5", 1), fact("maker", "Maker: cellar key 5", 1)
	if hits := search(t, index(model, other), memory.Query{Text: "cellar key"}); len(hits) != 2 || hits[0].Score != hits[1].Score {
		t.Errorf("a fact with a label counts as an assistant's: %+v", hits)
	}
}

// TestAskedBefore: what somebody answers to the same question comes before what made them ask.
func TestAskedBefore(t *testing.T) {
	talk := func(ask, more string) *recalltest.Index {
		return index(
			said("other", "Ben: My trip to the lake was short, and the research was long."),
			said("trip", "Anna: I took a road trip for research while you were away, a much-needed break."),
			said("ask", "Ben: That sounds great! "+ask),
			said("answer", "Anna: I was in Woodhaven, a small place in the Midwest with lovely old buildings. "+more),
			said("end", "Ben: Good for you."),
		)
	}
	long := strings.Repeat("Every street has some story of its own to tell. ", 9)
	for _, tt := range []struct{ ask, more, question, want string }{
		{"Where did you go on this road trip?", "", "Where did Anna go on her road trip?", "answer"},
		{"Where did you go on this road trip?", long, "Where did Anna go on her road trip?", "answer"},
		{"Did you like this road trip?", "", "Where did Anna go on her road trip?", "trip"},
		{"Where did you go on this road trip?", "", "Why did Anna take a road trip?", "trip"},
	} {
		if got := ids(search(t, talk(tt.ask, tt.more), memory.Query{Text: tt.question, Limit: 1})); got != tt.want {
			t.Errorf("%q after %q finds %s, want %s", tt.question, tt.ask, got, tt.want)
		}
	}
}
