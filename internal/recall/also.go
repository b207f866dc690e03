package recall

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// A record that another wording finds counts alsoShare of its score there, so that the
// question itself leads. Each further wording that finds the record adds its score, times
// alsoBonus, to the part that is missing to 1.
const (
	alsoShare = .85
	alsoBonus = .1
)

// maxReason is the most bytes of a wording that a reason quotes.
const maxReason = 80

// otherWordings returns the other wordings of a query that are worth a search, each once
// and in order of text. It leaves out the question itself, and broad wordings, which every
// record would answer.
func otherWordings(query memory.Query) []string {
	plain := func(text string) string { return strings.ToLower(strings.Join(strings.Fields(fold(text)), " ")) }
	seen := map[string]bool{plain(query.Text): true}
	var also []string
	for _, text := range slices.Sorted(slices.Values(query.Also[:min(len(query.Also), memory.MaxAlso)])) {
		if p := plain(text); !seen[p] && !Broad(text) {
			seen[p] = true
			also = append(also, text)
		}
	}
	return also
}

// searchAll searches for the question and for its other wordings over the same index, each
// within the bounds of opt, and fuses the hits. Every record appears once. Limit and budget
// apply to the fused hits.
//
// It asks opt.Sound about fused hits only. If one is not sound, it searches once more and
// asks about the hits of each wording, so that no unsound record takes another's place.
func searchAll(ctx context.Context, idx Index, query memory.Query, also []string, opt Options, allow func(memory.Record) bool) ([]memory.Hit, Explanation, error) {
	idx = &sharedIndex{Index: idx, records: make(map[Doc]Candidate), entries: make(map[Doc]Candidate)}
	verdicts := soundness{ask: opt.Sound, known: make(map[memory.ID]bool)}
	opt.Sound = nil
	var explanation Explanation
	for {
		f := fusion{by: make(map[Doc]*search)}
		err := f.find(ctx, idx, query, also, opt, allow)
		explanation.add(f.searches)
		if err != nil {
			return nil, explanation, err
		}
		answer, err := f.answer(ctx, verdicts.of)
		if err != nil || opt.Sound != nil || !verdicts.failed {
			return answer, explanation, err
		}
		opt.Sound = verdicts.of
	}
}

// fusion is the searches for all wordings of a question.
type fusion struct {
	searches []*search       // the question's own first
	by       map[Doc]*search // the search that ranks a record highest
}

// find searches for the question and for each of its other wordings. Closeness of meaning
// is that to the question.
func (f *fusion) find(ctx context.Context, idx Index, query memory.Query, also []string, opt Options, allow func(memory.Record) bool) error {
	for _, text := range append([]string{query.Text}, also...) {
		query.Text = text
		s := newSearch(idx, query, opt, allow)
		f.searches = append(f.searches, s)
		if err := s.find(ctx); err != nil {
			return err
		}
		opt.Nearest = nil
	}
	return nil
}

// answer returns the best hits of all searches. sound decides which may be in it.
func (f *fusion) answer(ctx context.Context, sound func(memory.Record) (bool, error)) ([]memory.Hit, error) {
	own := f.searches[0]
	own.opt.Sound = sound
	chosen, err := own.choose(ctx, f.fuse())
	var answer []memory.Hit
	for _, h := range chosen {
		answer = append(answer, memory.Hit{Record: *h.Record, Signals: h.signals, Score: h.score, Why: f.why(h)})
	}
	return answer, err
}

// fuse returns the hits of all searches, each record once, best first.
func (f *fusion) fuse() []rankedReading {
	found := make(map[Doc][]rankedReading)
	var docs []Doc
	for i, s := range f.searches {
		hits := s.rank()
		scale := s.scale(hits)
		for _, h := range hits {
			h.score *= scale
			if i > 0 {
				h.score *= alsoShare
				h.signals.Similarity *= alsoShare
			}
			if best := found[h.Doc]; len(best) == 0 {
				docs = append(docs, h.Doc)
				f.by[h.Doc] = s
			} else if h.score > slices.MaxFunc(best, byScore).score {
				f.by[h.Doc] = s
			}
			found[h.Doc] = append(found[h.Doc], h)
		}
	}
	fused := make([]rankedReading, 0, len(docs))
	for _, d := range docs {
		fused = append(fused, agreed(found[d]))
	}
	slices.SortFunc(fused, better)
	return fused
}

func byScore(a, b rankedReading) int { return cmp.Compare(a.score, b.score) }

// agreed returns the best of the hits of one record, with the bonus for the others. Of
// equals it is the first.
func agreed(hits []rankedReading) rankedReading {
	slices.SortStableFunc(hits, func(a, b rankedReading) int { return byScore(b, a) })
	best := hits[0]
	alone := best.score
	for _, h := range hits[1:] {
		best.score += alsoBonus * h.score * max(0, 1-best.score)
	}
	if alone > 0 {
		best.signals.Similarity = min(1, best.signals.Similarity*(best.score/alone))
	}
	return best
}

// why explains a hit, and names the wording that found it unless that is the question.
func (f *fusion) why(h rankedReading) []string {
	by := f.by[h.Doc]
	reasons := by.why(h)
	if by == f.searches[0] {
		return reasons
	}
	text := by.query.Text
	if short := size.Cut(text, maxReason); short != text {
		text = short + "…"
	}
	wording := "in other words: " + strconv.Quote(text)
	if len(reasons) == 0 {
		return []string{wording}
	}
	reasons[0] += " (" + wording + ")" // the first says what matches
	return reasons
}

// add adds up what searches read. A term of several wordings counts once.
func (e *Explanation) add(searches []*search) {
	for _, s := range searches {
		for _, term := range s.explanation.Terms {
			if !slices.Contains(e.Terms, term) {
				e.Terms = append(e.Terms, term)
			}
		}
		e.Rounds += s.explanation.Rounds
		e.Postings += s.explanation.Postings
		e.Candidates += s.explanation.Candidates
		e.Allowed += s.explanation.Allowed
	}
}

// soundness asks whether a record is sound, once for each record.
type soundness struct {
	ask    func(memory.Record) (bool, error) // nil: every record is sound
	known  map[memory.ID]bool
	failed bool // some record is not sound
}

// of reports whether a record is sound.
func (v *soundness) of(r memory.Record) (bool, error) {
	if v.ask == nil {
		return true, nil
	}
	sound, known := v.known[r.ID]
	if known {
		return sound, nil
	}
	sound, err := v.ask(r)
	if err != nil {
		return false, err
	}
	v.known[r.ID] = sound
	v.failed = v.failed || !sound
	return sound, nil
}

// sharedIndex reads each candidate once for several searches.
type sharedIndex struct {
	Index
	records, entries map[Doc]Candidate
}

// Candidates returns the documents with these numbers.
func (x *sharedIndex) Candidates(ctx context.Context, docs []Doc) ([]Candidate, error) {
	return readOnce(ctx, docs, x.records, x.Index.Candidates)
}

// Entries returns the entries of the documents with these numbers.
func (x *sharedIndex) Entries(ctx context.Context, docs []Doc) ([]Candidate, error) {
	return readOnce(ctx, docs, x.entries, x.Index.Entries)
}

// readOnce reads the documents that were not read before.
func readOnce(ctx context.Context, docs []Doc, known map[Doc]Candidate, read func(context.Context, []Doc) ([]Candidate, error)) ([]Candidate, error) {
	var found []Candidate
	var fresh []Doc
	for _, d := range docs {
		if c, ok := known[d]; ok {
			found = append(found, c)
		} else {
			fresh = append(fresh, d)
		}
	}
	if len(fresh) == 0 {
		return found, nil
	}
	added, err := read(ctx, fresh)
	for _, c := range added {
		known[c.Doc] = c
	}
	return append(found, added...), err
}
