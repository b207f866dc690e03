package vault

import (
	"context"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// index shows an owner's rows to the ranking.
type index struct {
	rows  store.Reader
	names ProjectNames
	vault *verifier
	found map[memory.ID]foundRow // takes the rows of candidates
	kept  *indexCache            // of questions before; nil: nothing is kept
}

// foundRow is the row of a candidate, and whether its form was verified before.
type foundRow struct {
	store.Row
	verified bool
}

var _ recall.Index = (*index)(nil)

// Size implements [recall.Index].
func (x *index) Size(context.Context) (int, float64, error) {
	n, length, err := x.rows.Size()
	if err != nil || n == 0 {
		return 0, 0, err
	}
	return int(n), float64(length) / float64(n), nil
}

// Frequencies implements [recall.Index].
func (x *index) Frequencies(_ context.Context, terms []string) ([]int, error) {
	if x.kept == nil {
		return x.rows.Frequencies(terms)
	}
	return x.kept.frequencies(x.rows, terms)
}

// Terms implements [recall.Index].
func (x *index) Terms(_ context.Context, prefix string, max int) ([]string, error) {
	if x.kept == nil {
		return x.rows.Terms(prefix, max)
	}
	return x.kept.beginning(x.rows, prefix, max)
}

// Postings implements [recall.Index].
func (x *index) Postings(_ context.Context, term string, max int) ([]recall.Posting, error) {
	if x.kept == nil {
		return x.postings(term, max)
	}
	return x.kept.documents(term, max, func() ([]recall.Posting, error) { return x.postings(term, max) })
}

func (x *index) postings(term string, max int) ([]recall.Posting, error) {
	found, err := x.rows.Postings(term, max)
	if err != nil {
		return nil, err
	}
	out := make([]recall.Posting, len(found))
	for i, p := range found {
		out[i] = recall.Posting{Doc: recall.Doc(p.Document), Frequency: p.Frequency, Length: p.Length}
	}
	return out, nil
}

// Candidates implements [recall.Index]. A record that cannot be read is damaged
// and never an answer; doctor finds it.
func (x *index) Candidates(_ context.Context, docs []recall.Doc) ([]recall.Candidate, error) {
	rows, err := x.rows.Numbered(numbersOf(docs))
	if err != nil {
		return nil, err
	}
	numbers := make([]int64, len(rows))
	for i, r := range rows {
		numbers[i] = r.Number
	}
	lessons, err := x.rows.Lessons(numbers)
	if err != nil {
		return nil, err
	}
	out := make([]recall.Candidate, 0, len(rows))
	for i, r := range rows {
		rec, verified, err := x.vault.decoded(r)
		if err != nil {
			x.vault.log.Error("vault", "op", "recall", "id", r.ID, "err", err)
			continue
		}
		x.found[rec.ID] = foundRow{r, verified}
		rec.Scope.Project = x.names.canonical(rec.Scope.Project)
		out = append(out, recall.Candidate{Doc: recall.Doc(r.Number), Record: &rec, Feedback: feedbackWeight(lessons[i]), Protected: protected(rec)})
	}
	return out, nil
}

// Entries implements [recall.Index]. It returns the whole records of other owners, and those
// with a retention, because their entries do not say who may see them.
func (x *index) Entries(ctx context.Context, docs []recall.Doc) ([]recall.Candidate, error) {
	entries := x.entries
	if x.kept != nil {
		entries = func(numbers []int64) ([]*recall.Candidate, error) { return x.kept.candidates(numbers, x.entries) }
	}
	found, err := entries(numbersOf(docs))
	if err != nil {
		return nil, err
	}
	out := make([]recall.Candidate, 0, len(found))
	numbers := make([]int64, 0, len(found))
	var whole []recall.Doc
	for _, c := range found {
		if c.Entry != nil {
			out = append(out, *c)
			numbers = append(numbers, int64(c.Doc))
		} else {
			whole = append(whole, c.Doc)
		}
	}
	lessons, err := x.rows.Lessons(numbers)
	if err != nil {
		return nil, err
	}
	for i, l := range lessons {
		out[i].Feedback = feedbackWeight(l)
	}
	if len(whole) == 0 {
		return out, nil
	}
	records, err := x.Candidates(ctx, whole)
	return append(out, records...), err
}

// entries reads the candidates of index entries. One without Entry has to be read whole.
func (x *index) entries(numbers []int64) ([]*recall.Candidate, error) {
	read, err := x.rows.IndexEntries(numbers)
	if err != nil {
		return nil, err
	}
	found := make([]*recall.Candidate, len(read))
	for i := range read {
		found[i] = x.entry(&read[i])
	}
	return found, nil
}

func numbersOf(docs []recall.Doc) []int64 {
	numbers := make([]int64, len(docs))
	for i, d := range docs {
		numbers[i] = int64(d)
	}
	return numbers
}

// entry returns the candidate of an index entry, without Entry if that says too little.
func (x *index) entry(e *store.IndexEntry) *recall.Candidate {
	digest, protected, ok := readDigest(e.Digest, x.rows.Owner())
	c := &e.Columns
	if !ok || e.Version != recall.Version || !c.Expires.IsZero() {
		return &recall.Candidate{Doc: recall.Doc(e.Number)}
	}
	found := &recall.Candidate{
		Doc: recall.Doc(e.Number), Protected: protected,
		Entry: &recall.Entry{Terms: e.Terms, Length: e.Length, Digest: digest},
		Record: &memory.Record{
			ID: e.ID, Kind: c.Kind, Lifecycle: memory.Lifecycle{Status: c.Status},
			Scope: memory.Scope{Owner: x.rows.Owner(), Visibility: c.Visibility, User: c.User, Agent: c.Agent,
				Project: x.names.canonical(c.Project), Session: c.Session},
			Time: memory.Times{Created: c.Created, ValidFrom: c.From, ValidTo: c.To},
		},
	}
	found.Entry.Tell(found.Record)
	return found
}
