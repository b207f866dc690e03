package locomo

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
)

// depth is the number of results for each question.
const depth = 20

// Search answers a question about conversation number conv with turns, best first, at most
// k.
type Search func(conv int, question string, k int) ([]TurnID, error)

// Figures are means over questions.
type Figures struct {
	Questions       int
	At5, At10, At20 float64 // recall: the part of the evidence among the first k results
	Hit10           float64 // share of questions with any evidence among the first 10
	MRR             float64 // mean of 1/rank of the first evidence; 0 if none is found
}

// Report is the outcome of a run.
type Report struct {
	Overall      Figures
	Category     map[int]Figures
	Conversation map[string]Figures
}

// Run asks every question of every conversation. It stops at the first error of search and
// when ctx is done.
func Run(ctx context.Context, conversations []Conversation, search Search) (Report, error) {
	r := Report{Category: map[int]Figures{}, Conversation: map[string]Figures{}}
	for i, c := range conversations {
		for _, q := range c.Questions {
			if err := ctx.Err(); err != nil {
				return Report{}, err
			}
			found, err := search(i, q.Text, depth)
			if err != nil {
				return Report{}, fmt.Errorf("conversation %s: %w", c.ID, err)
			}
			one := judge(q.Evidence, found)
			r.Overall = r.Overall.plus(one)
			r.Category[q.Category] = r.Category[q.Category].plus(one)
			r.Conversation[c.ID] = r.Conversation[c.ID].plus(one)
		}
	}
	r.Overall = r.Overall.mean()
	for k, f := range r.Category {
		r.Category[k] = f.mean()
	}
	for k, f := range r.Conversation {
		r.Conversation[k] = f.mean()
	}
	return r, nil
}

// judge returns the figures of one question.
func judge(evidence, found []TurnID) Figures {
	f := Figures{Questions: 1}
	part := 1 / float64(len(evidence))
	for rank, id := range found {
		if !slices.Contains(evidence, id) || slices.Contains(found[:rank], id) {
			continue
		}
		if f.MRR == 0 {
			f.MRR = 1 / float64(rank+1)
		}
		if rank < 5 {
			f.At5 += part
		}
		if rank < 10 {
			f.At10, f.Hit10 = f.At10+part, 1
		}
		if rank < 20 {
			f.At20 += part
		}
	}
	return f
}

func (f Figures) plus(g Figures) Figures {
	return Figures{
		Questions: f.Questions + g.Questions,
		At5:       f.At5 + g.At5, At10: f.At10 + g.At10, At20: f.At20 + g.At20,
		Hit10: f.Hit10 + g.Hit10, MRR: f.MRR + g.MRR,
	}
}

func (f Figures) mean() Figures {
	n := float64(max(f.Questions, 1))
	return Figures{
		Questions: f.Questions,
		At5:       f.At5 / n, At10: f.At10 / n, At20: f.At20 / n,
		Hit10: f.Hit10 / n, MRR: f.MRR / n,
	}
}

// Print writes the figures as a table: overall, by category, by conversation.
func (r Report) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%-14s %9s %9s %9s %9s %9s %9s\n",
		"", "questions", "recall@5", "recall@10", "recall@20", "hit@10", "MRR")
	row := func(name string, f Figures) {
		if err == nil {
			_, err = fmt.Fprintf(w, "%-14s %9d %9.4f %9.4f %9.4f %9.4f %9.4f\n",
				name, f.Questions, f.At5, f.At10, f.At20, f.Hit10, f.MRR)
		}
	}
	row("all", r.Overall)
	for _, k := range sorted(r.Category) {
		row(fmt.Sprintf("category %d", k), r.Category[k])
	}
	for _, k := range sorted(r.Conversation) {
		row(k, r.Conversation[k])
	}
	return err
}

func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
