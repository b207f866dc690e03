package distill

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Question is a question about a conversation, and the words that an answer must
// have.
type Question struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Comprehension compares the questions that a conversation answers with those that
// its file answers.
type Comprehension struct {
	Questions int      `json:"questions"`
	Original  int      `json:"answered_from_original"`
	Context   int      `json:"answered_from_context"` // of the questions that the original answers
	Loss      float64  `json:"loss_percent"`          // of those, in percent
	Lost      []string `json:"lost,omitempty"`        // questions that only the original answers
}

// mostRecalled is how many passages are searched for an answer.
const mostRecalled = 3

// Comprehend asks both the original and the file. For each question it recalls the
// passages with most of the question's words, and weighs rare words most
// (AICF-COMP-6). It only measures; no other code depends on the result.
func Comprehend(questions []Question, original, context []string) Comprehension {
	c := Comprehension{Questions: len(questions)}
	from, to := library(original), library(context)
	for _, q := range questions {
		if !from.answers(q) {
			continue
		}
		c.Original++
		if to.answers(q) {
			c.Context++
		} else {
			c.Lost = append(c.Lost, q.Question)
		}
	}
	if c.Original > 0 {
		c.Loss = 100 * (1 - part(c.Context, c.Original))
	}
	return c
}

// Sentences returns the passages of a text: its sentences.
func Sentences(text string) []string {
	var all []string
	for line := range strings.SplitSeq(text, "\n") {
		all = append(all, split(line)...)
	}
	return all
}

// passages are texts that are searched by their words.
type passages struct {
	texts []string
	terms []map[string]bool
	in    map[string]int // how many passages contain a word
}

func library(texts []string) passages {
	p := passages{texts: texts, in: map[string]int{}}
	for _, text := range texts {
		found := terms(text)
		p.terms = append(p.terms, found)
		for term := range found {
			p.in[term]++
		}
	}
	return p
}

// answers reports whether one of the recalled passages answers a question.
func (p passages) answers(q Question) bool {
	asked, places, scores := terms(q.Question), make([]int, len(p.texts)), make([]float64, len(p.texts))
	for i := range p.texts {
		places[i] = i
		for term := range asked {
			if p.terms[i][term] {
				scores[i] += math.Log(1 + float64(len(p.texts))/float64(p.in[term]))
			}
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, i := range places[:min(mostRecalled, len(places))] {
		if scores[i] > 0 && has(p.terms[i], terms(q.Answer)) {
			return true
		}
	}
	return false
}

func has(all, some map[string]bool) bool {
	for term := range some {
		if !all[term] {
			return false
		}
	}
	return len(some) > 0
}
