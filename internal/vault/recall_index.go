package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// IndexedSpace says how far the owner's records are indexed by a tokeniser. A key is the
// tokeniser's version and a document number: all records up to there are. The last key of a
// version counts. New keys are added and the former ones stay, because removing an
// attachment makes the store clear its files.
const IndexedSpace = "indexed"

// indexedAll is the home owner's key that says so of all owners.
var indexedAll = fmt.Sprintf("all %d", recall.Version)

const (
	reindexLook  = 1024   // records, or rows of the index, that are looked at together
	reindexBatch = 64     // records that are indexed anew in one transaction
	reindexMark  = 10_000 // after so many records a key says how far they are indexed
)

// ReindexAll indexes anew the records that an older release indexed, of the home owner and
// of all admitted owners, and calls tell with the number done so far. Until then the old
// terms find them. Each batch is stored when it is done: a second call continues a cut off
// one, and two at once do no harm. It handles failures like [Vault.SweepAll].
func (v *Vault) ReindexAll(ctx context.Context, tell func(done int)) (done int, err error) {
	all := jobRunner{v}
	err = all.eachOwner(ctx, all.reindexer(ctx, &done, tell))
	if err == nil && v.home != "" {
		err = reindexer{v, v.home}.note(ctx, indexedAll)
	}
	return done, err
}

// ReindexDue is [Vault.ReindexAll] once for each release, and then for the owners who came
// from another store.
func (v *Vault) ReindexDue(ctx context.Context) (done int, err error) {
	tell := func(int) {}
	err = v.store.View(ctx, v.home, func(r store.Reader) error {
		_, err := r.Attached(IndexedSpace, indexedAll, 0)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return v.ReindexAll(ctx, tell)
	}
	if err == nil {
		all := jobRunner{v}
		err = all.eachDue(ctx, reindexing, all.reindexer(ctx, &done, tell), never)
	}
	return done, v.refusal(engine(v.home), reindexing.Name, "", err)
}

// reindexer returns the work of [Vault.ReindexAll] for an owner.
func (v jobRunner) reindexer(ctx context.Context, done *int, tell func(int)) func(memory.DID) error {
	return func(owner memory.DID) error {
		before := *done
		err := reindexer{v.Vault, owner}.run(ctx, func(n int) {
			*done = before + n
			tell(*done)
		})
		return v.refusal(engine(owner), reindexing.Name, "", err)
	}
}

// reindexer indexes an owner's records anew.
type reindexer struct {
	vault *Vault
	owner memory.DID
}

// run goes through the records from the last mark on. Staged ones end the marks, since
// another run has to find them published.
func (x reindexer) run(ctx context.Context, tell func(int)) error {
	if err := x.pack(ctx); err != nil {
		return err
	}
	mark, err := x.mark(ctx)
	if err != nil {
		return err
	}
	done, staged := 0, false
	for at := mark; ; {
		began := time.Now()
		old, last, err := x.look(ctx, at)
		if err != nil || last == 0 {
			return err
		}
		pause(ctx, time.Since(began))
		for batch := range slices.Chunk(old, reindexBatch) {
			began := time.Now()
			n, left, err := x.rows(ctx, batch)
			if err != nil {
				return err
			}
			staged = staged || left
			if done += n; n > 0 {
				tell(done)
			}
			pause(ctx, time.Since(began))
		}
		if at = last; !staged && at >= mark+reindexMark {
			if err := x.setMark(ctx, at); err != nil {
				return err
			}
			mark = at
		}
	}
}

// pack brings the index into the present form, a part at a time.
func (x reindexer) pack(ctx context.Context) error {
	for from, more := "", true; more; {
		began := time.Now()
		var next string
		err := x.vault.unasked(ctx, reindexing, x.owner, func(w store.Writer) (err error) {
			next, more, err = w.Pack(from, reindexLook)
			return err
		})
		if err != nil {
			return err
		}
		from = next
		pause(ctx, time.Since(began))
	}
	return nil
}

// look returns which of the next records an older release indexed, and the last one that it
// looked at; 0: there are no more.
func (x reindexer) look(ctx context.Context, after int64) (old []int64, last int64, err error) {
	err = x.vault.store.View(ctx, x.owner, func(r store.Reader) (err error) {
		old, last, err = r.Outdated(recall.Version, after, reindexLook)
		return err
	})
	return old, last, err
}

// rows indexes some records anew, and returns how many. Those that another program has
// indexed meanwhile stay, and so do staged ones. A damaged record stays as it is, and doctor
// finds it.
func (x reindexer) rows(ctx context.Context, numbers []int64) (done int, staged bool, err error) {
	before, after := numbers[0]-1, numbers[len(numbers)-1]
	err = x.vault.unasked(ctx, reindexing, x.owner, func(w store.Writer) error {
		old, _, err := w.Outdated(recall.Version, before, int(after-before))
		if err != nil {
			return err
		}
		old = slices.DeleteFunc(old, func(n int64) bool { return n > after })
		rows, err := w.Numbered(old)
		if err != nil {
			return err
		}
		var indexer recall.Indexer
		done, staged = 0, len(rows) < len(old)
		for _, row := range rows {
			rec, err := Decoded(row)
			if err != nil {
				continue
			}
			if err := w.Reindex(row.Number, DocumentBy(&indexer, rec)); err != nil {
				return err
			}
			done++
		}
		return nil
	})
	return done, staged, err
}

// mark returns the number of the document up to which all are indexed by this release's
// tokeniser.
func (x reindexer) mark(ctx context.Context) (mark int64, err error) {
	err = x.vault.store.View(ctx, x.owner, func(r store.Reader) error {
		mark, err = indexedTo(r)
		return err
	})
	return mark, err
}

// indexedTo reads the mark of an owner.
func indexedTo(r store.Reader) (mark int64, err error) {
	for after := int64(0); ; {
		keys, err := r.Attachments(store.AttachmentFilter{Space: IndexedSpace}, after, reindexLook)
		if err != nil || len(keys) == 0 {
			return mark, err
		}
		for _, a := range keys {
			var version int
			var to int64
			if n, _ := fmt.Sscanf(a.Key, "%d %d", &version, &to); n == 2 && version == recall.Version {
				mark = max(mark, to)
			}
			after = a.Number
		}
	}
}

// setMark says that all documents up to a number are indexed by this release's tokeniser.
func (x reindexer) setMark(ctx context.Context, to int64) error {
	return x.note(ctx, fmt.Sprintf("%d %d", recall.Version, to))
}

// note adds a key that says how far records are indexed. Another program may have added it.
func (x reindexer) note(ctx context.Context, key string) error {
	return x.vault.unasked(ctx, reindexing, x.owner, func(w store.Writer) error {
		_, err := store.Attach(w, store.Attachment{Space: IndexedSpace, Key: key})
		if errors.Is(err, store.ErrExists) {
			return nil
		}
		return err
	})
}
