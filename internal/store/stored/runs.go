package stored

import (
	"slices"
	"sort"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table staged: which documents are not published yet, as runs of numbers. An
// import numbers its documents one after the other, so that there are few runs,
// none at all most of the time, and publishing an import removes its runs and
// touches nothing else.
//
//	owner, first  key; number of the first document
//	last          number of the last
//	import        the import that will publish them
//	rows          how many of them have not been deleted; never 0
//
// Attachments have runs as well, apart from these, see [AttachmentBase].

// Run is a row of the table.
type Run struct {
	First, Last int64
	Import      int64
	Rows        int64
	Seal        []byte
	Filed       bool // the table holds the run
	Changed     bool // and something else than this

	judged bool    // heir is known
	heir   *Sealer // whose seal it gets next; nil: it keeps that one
}

// Values returns the columns of the row.
func (r *Run) Values() []any { return []any{r.First, r.Last, r.Import, r.Rows} }

// NewRun returns the run of a new document, without a seal.
func NewRun(document, imp int64, seals *Sealer) Run {
	return Run{First: document, Last: document, Import: imp, Rows: 1, Changed: true, judged: true, heir: seals}
}

// Change moves the end of a run. Its seal stays until Reseal.
func (r *Run) Change(o *Owner, seals *Sealer, last, rows int64) {
	if !r.judged {
		r.heir, r.judged = seals.Heir(o.Secret, "staged", r.Values(), r.Seal), true
	}
	r.Last, r.Rows, r.Changed = last, rows, true
}

// Reseal gives a changed run its new seal, and updates the sum.
func (r *Run) Reseal(o *Owner) {
	if r.heir == nil {
		return
	}
	old := r.Seal
	r.Seal = r.heir.Seal("staged", r.Values())
	o.Total, o.Changed = o.Total.minus(old).Plus(r.Seal), true
}

// Runs are the rows of an owner, in the order of their numbers.
type Runs []Run

// Staging returns the run that holds a document, or nil if it is published.
func (r Runs) Staging(document int64) *Run {
	i := sort.Search(len(r), func(i int) bool { return r[i].Last >= document })
	if i < len(r) && r[i].First <= document {
		return &r[i]
	}
	return nil
}

// Place returns the place of the run of a new document, and whether the run before it takes
// the document.
func (r Runs) Place(document, imp int64) (place int, before bool) {
	place = sort.Search(len(r), func(i int) bool { return r[i].First > document })
	return place, place > 0 && r[place-1].Last == document-1 && r[place-1].Import == imp
}

// Hidden are the runs that an import does not see: all of them if imp is 0, else none.
func (r Runs) Hidden(imp int64) []Stretch {
	if imp != 0 {
		return nil
	}
	var hidden []Stretch
	for _, run := range r {
		hidden = append(hidden, Stretch{First: run.First, Last: run.Last})
	}
	return hidden
}

// Publish returns the runs without an import's, and the number of documents in those.
func (r Runs) Publish(imp int64) (left Runs, rows int) {
	left = slices.DeleteFunc(r, func(run Run) bool {
		if run.Import == imp && run.First < AttachmentBase {
			rows += int(run.Rows)
		}
		return run.Import == imp
	})
	return left, rows
}

// Postings appends the published documents of a row of the index, the last document first.
func (r Runs) Postings(to []store.Posting, row IndexRow) []store.Posting {
	start := len(to)
	to, _ = row.Unpack(to)
	slices.Reverse(to[start:])
	if len(r) == 0 {
		return to
	}
	published := slices.DeleteFunc(to[start:], func(p store.Posting) bool { return r.Staging(p.Document) != nil })
	return to[:start+len(published)]
}
