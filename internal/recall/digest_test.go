package recall_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

// textIndex is an index that keeps no entries.
type textIndex struct{ *recalltest.Index }

func (x textIndex) Entries(ctx context.Context, docs []recall.Doc) ([]recall.Candidate, error) {
	return x.Candidates(ctx, docs)
}

// changedIndex is an index with changed digests.
type changedIndex struct {
	*recalltest.Index
	change func([]byte) []byte
	length int // in place of the lengths; 0: as they are
}

func (x changedIndex) Entries(ctx context.Context, docs []recall.Doc) ([]recall.Candidate, error) {
	found, err := x.Index.Entries(ctx, docs)
	for i := range found {
		e := *found[i].Entry
		e.Digest, e.Length = x.change(e.Digest), cmp.Or(x.length, e.Length)
		found[i].Entry = &e
	}
	return found, err
}

// drawText makes a text with what a digest keeps: names, numbers, dates, speakers, questions,
// several languages, and many passages.
func drawText(t *rapid.T) string {
	parts := []string{"Anna: ", "assistant: ", "I ", "met ", "Dr Okafor ", "in Graz ", "last May ", "on 3 September 2025 ", "for 12k euros ", "twenty one ", "not ", "never ",
		"Die Katze heißt Momo. ", "l'école ", "学校に行く ", "NASA ", "ear, nose and throat ", "snake_case ", "parseURL ", "lives ", "went ", "the ", "why? ", "🎸 ", "don't ", "garden ", "koala ", strings.Repeat("filler words ", 40)}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "text"), "")
}

func drawTold(t *rapid.T, n int) memory.Record {
	r := drawRecord(t, n)
	if rapid.Bool().Draw(t, "told") {
		r.Body.Text = drawText(t)
	}
	if rapid.Bool().Draw(t, "labelled") {
		r.Body.Structured = []byte(`{"title":"Garden plans","tags":["Momo","NASA"]}`)
	}
	if rapid.Bool().Draw(t, "unobserved") {
		r.Time.Observed = time.Time{}
	}
	if rapid.Bool().Draw(t, "without a visibility") {
		r.Scope.Visibility = ""
	}
	return r
}

// TestDigest: a search that ranks records by their index entries gives the answer of one that
// reads every text.
func TestDigest(t *testing.T) {
	ask := func(t *rapid.T, idx recall.Index, q memory.Query) []answered {
		hits, _, err := recall.Search(context.Background(), idx, q, recall.Options{Now: now, Owner: "did:key:zOwner"}, everything)
		if err != nil {
			t.Fatal(err)
		}
		var all []answered
		for _, h := range hits {
			if h.Record.Body.Text == "" && len(h.Record.Relations) == 0 && h.Record.Body.Structured == nil {
				t.Fatalf("the answer has an entry: %+v", h.Record)
			}
			all = append(all, answered{h.Record.ID, h.Signals, h.Score, h.Why})
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		idx := new(recalltest.Index)
		for n := range rapid.IntRange(1, 40).Draw(t, "records") {
			r := drawTold(t, n)
			if r.Body.Text == "" {
				r.Body.Text = "nothing"
			}
			idx.Learn(idx.Add(r), rapid.SampledFrom([]float64{0, 1, -.5}).Draw(t, "feedback"))
		}
		for range 8 {
			q := drawQuery(t)
			if rapid.Bool().Draw(t, "told") {
				q.Text = "who " + drawText(t) + " how many"
			}
			q.Prefer = rapid.SampledFrom([][]string{nil, {"salience"}, {"recency"}, {"provenance_depth"}}).Draw(t, "prefer")
			if diff := gocmp.Diff(ask(t, textIndex{idx}, q), ask(t, idx, q)); diff != "" {
				t.Fatalf("%q (-by text +by entries):\n%s", q.Text, diff)
			}
			cut := rapid.IntRange(0, 40).Draw(t, "cut")
			ask(t, changedIndex{Index: idx, change: func(d []byte) []byte { return d[:min(cut, len(d))] }}, q)
			noise := rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "noise")
			ask(t, changedIndex{Index: idx, change: func([]byte) []byte { return noise }}, q)
		}
	})
}

// TestDigestOfConversations: candidates come in several stages, and the first are completed
// before the last are ranked.
func TestDigestOfConversations(t *testing.T) {
	words := strings.Fields("koala garden mother lawyer children plant lantern divorce lives left rules house river stone music boat bread market winter guitar")
	for seed := range uint64(6) {
		dice := rand.New(rand.NewPCG(seed, 1))
		some := func(n int) string {
			var chosen []string
			for range n {
				chosen = append(chosen, words[int(float64(len(words))*dice.Float64()*dice.Float64())])
			}
			return strings.Join(chosen, " ")
		}
		idx := new(recalltest.Index)
		for i := range 600 {
			r := fact(fmt.Sprint(i), []string{"Anna: ", "Bob: ", ""}[dice.IntN(3)]+some(1+dice.IntN(5))+[]string{"?", ".", ""}[dice.IntN(3)], i/30)
			r.Kind, r.Scope.Session = memory.Episodic, fmt.Sprint("s", i/30)
			r.Scope.Visibility = []memory.Visibility{"", memory.Private}[dice.IntN(2)]
			idx.Add(r)
		}
		for range 10 {
			q := memory.Query{Text: some(3), Limit: 1 + dice.IntN(8), Also: []string{some(2)}[:dice.IntN(2)]}
			want, _, err := recall.Search(context.Background(), textIndex{idx}, q, recall.Options{Now: now}, everything)
			got, _, err2 := recall.Search(context.Background(), idx, q, recall.Options{Now: now}, everything)
			if diff := gocmp.Diff(want, got); err != nil || err2 != nil || diff != "" {
				t.Fatalf("%+v: %v %v (-by text +by entries):\n%s", q, err, err2, diff)
			}
		}
	}
}

// TestDamagedDigest: the search reads the text of a record whose digest says nothing.
func TestDamagedDigest(t *testing.T) {
	idx := new(recalltest.Index)
	for i := range 20 {
		idx.Add(fact(fmt.Sprint(i), fmt.Sprintf("Anna keeps %d koalas in the garden", i), i))
	}
	q := memory.Query{Text: "how many koalas does Anna keep?"}
	want, _, err := recall.Search(context.Background(), idx, q, recall.Options{Now: now}, everything)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range [][]byte{nil, {0xff}, {4, 1}, {0, 3, 200}, {0, 3, 0, 9, 9, 9}, {0, 3, 0, 0, 1, 200}} {
		got, _, err := recall.Search(context.Background(), changedIndex{Index: idx, change: func([]byte) []byte { return damaged }}, q, recall.Options{Now: now}, everything)
		if diff := gocmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v: %v\n%s", damaged, err, diff)
		}
	}
	same := func(d []byte) []byte { return d }
	got, _, err := recall.Search(context.Background(), changedIndex{idx, same, -42}, q, recall.Options{Now: now}, everything)
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("a negative length: %v\n%s", err, diff)
	}
}
