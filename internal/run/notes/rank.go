package notes

import (
	"cmp"
	"context"
	"slices"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
	"github.com/satchel-memory/satchel/memory"
)

// The ways to look for notes (AAIF-4.5-12).
const (
	bySimilarity = "similarity"
	byKeyword    = "keyword"
	byBoth       = "hybrid"
	byTime       = "recency"
)

// rank returns at most top notes that answer a question, the best first. A definition that names
// no way gets those that answer by their words, and then the latest.
func (m *Memory) rank(ctx context.Context, way, question string, all []notestore.Note, top int) ([]notestore.Note, []run.Note, error) {
	if len(all) == 0 {
		return nil, nil, nil
	}
	latest := slices.Clone(all)
	slices.Reverse(latest)
	if way == byTime || question == "" {
		return latest[:min(top, len(latest))], nil, nil
	}
	var near []float64
	var notes []run.Note
	if way == bySimilarity || way == byBoth {
		var why string
		var err error
		if near, why, err = m.alike(ctx, question, all); err != nil {
			return nil, nil, err
		}
		if why != "" {
			notes = append(notes, run.Note{Code: eventMeaning, Text: why})
		}
	}
	var order []int
	if way == bySimilarity && near != nil {
		order = closest(near)
	} else {
		var err error
		if order, err = m.byWords(ctx, question, all, near, top); err != nil {
			return nil, nil, err
		}
	}
	var found []notestore.Note
	taken := map[int]bool{}
	for _, i := range order {
		if len(found) < top {
			found, taken[i] = append(found, all[i]), true
		}
	}
	if way == "" {
		for i := len(all) - 1; i >= 0 && len(found) < top; i-- {
			if !taken[i] {
				found = append(found, all[i])
			}
		}
	}
	return found, notes, nil
}

// alike compares notes with a question by their meaning. why says why not.
func (m *Memory) alike(ctx context.Context, question string, all []notestore.Note) (near []float64, why string, err error) {
	switch {
	case m.o.Misplaced != "":
		return nil, m.o.Misplaced + ": words decide", nil
	case m.o.Meaning == nil:
		return nil, "there is no server of embeddings: words decide", nil
	}
	texts := make([]string, len(all))
	for i, n := range all {
		texts[i] = n.Text
	}
	near, why, err = m.o.Meaning.Alike(ctx, m.o.Caller.Owner, question, texts)
	if why != "" {
		why += ": words decide"
	}
	return near, why, err
}

// closest returns the places of what is close at all, closest first; later ones before earlier
// ones.
func closest(near []float64) []int {
	var order []int
	for i := len(near) - 1; i >= 0; i-- {
		if near[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	return order
}

// mostSaid is the most bytes of a question that is searched for.
const mostSaid = 4000

// byWords returns the places of the notes that answer a question by their words, and by their
// meaning where near is not nil, the best first.
func (m *Memory) byWords(ctx context.Context, question string, all []notestore.Note, near []float64, top int) ([]int, error) {
	var x index
	for _, n := range all {
		text := n.Text
		if n.Key != "" {
			text = n.Key + ": " + text
		}
		x.add(memory.Record{ID: memory.ID(n.Key), Kind: memory.Semantic, Body: memory.Body{Text: text}, Time: memory.Times{Created: n.At}})
	}
	o := recall.Options{Now: m.o.Now()}
	for i, s := range near {
		if s > 0 {
			o.Nearest = append(o.Nearest, recall.Near{Doc: recall.Doc(i + 1), Similarity: s})
		}
	}
	slices.SortStableFunc(o.Nearest, func(a, b recall.Near) int { return cmp.Compare(b.Similarity, a.Similarity) })
	hits, _, err := recall.Search(ctx, &x, memory.Query{Text: question[:min(len(question), mostSaid)], Limit: min(max(top, 1), 50)}, o,
		func(memory.Record) bool { return true })
	var order []int
	for _, h := range hits {
		order = append(order, x.place(h.Record))
	}
	return order, err
}
