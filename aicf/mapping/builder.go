package mapping

import (
	"crypto/sha256"
	"encoding/base32"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// recordBuilder makes the records of a file. It reads the file three times: for links and
// vectors, for the ids of linked records, and for the records.
type recordBuilder struct {
	forms   codec.Forms
	limits  codec.Limits
	script  *sourceFile
	base    context
	dated   time.Time // dates entries without a time; zero: such entries are refused
	ties    linksByName
	vectors int
	rides   carriedRecords
	apart   bool // no record may repeat what another says
	made    bool // an export made the file, so no record stands for it
	losses  codec.LossList
}

func newRecordBuilder(forms codec.Forms, s *sourceFile, opt codec.Options) *recordBuilder {
	in := &recordBuilder{forms: forms, limits: opt.Limits.Filled(), script: s, ties: linksByName{}, rides: newRides(), apart: opt.Apart}
	in.base = context{owner: opt.Owner, project: opt.Project, file: s.src.Name}
	switch {
	case !s.src.Modified.IsZero():
		in.dated = codec.Dated(s.src.Modified)
	case opt.Now != nil:
		in.dated = opt.Now().UTC()
	}
	return in
}

func (in *recordBuilder) lose(e aicf.Entry, why string) { in.losses.Add(aicf.LossOf(e, why)) }

// survey reads the file twice.
func (in *recordBuilder) survey() error {
	for e, err := range in.script.entries() {
		if err != nil {
			return err
		}
		if !in.ties.note(e, &in.vectors) {
			in.lose(e, lossVector)
		}
		in.made = in.made || isExported(e)
		if c, ok := e.(*aicf.Carried); ok {
			good, err := in.ride(c)
			if err != nil {
				return err
			}
			in.made = in.made || good
		}
	}
	if len(in.ties) == 0 && len(in.rides.all) == 0 {
		return nil // nothing names another record by its id
	}
	w := in.walk()
	for e, err := range in.script.entries() {
		if err != nil {
			return err
		}
		for _, d := range w.drafts(e) {
			if d.tie != nil {
				d.tie.last, d.tie.id, d.tie.since = d.n, d.id, d.since()
			}
			if r := in.rides.match(d); r != nil && d.tie != nil {
				d.tie.id, d.tie.since = r.id, r.since
			}
		}
	}
	return nil
}

// walk is one pass through the file.
type walk struct {
	in *recordBuilder
	context
	ordinals aicf.Ordinals
	seen     map[memory.ID]int
	n        int
}

func (in *recordBuilder) walk() *walk {
	return &walk{in: in, context: in.base, seen: map[memory.ID]int{}}
}

// recordDraft is an unfinished record.
type recordDraft struct {
	piece
	place int // index among the pieces of its entry
	rec   memory.Record
	id    memory.ID    // the id, unless a carried record replaces the draft
	n     int          // number of the draft
	tie   *entityLinks // nil: nothing links to it
}

// since returns when the record began to hold, if the file says so.
func (d recordDraft) since() time.Time { return d.rec.Time.From() }

// drafts makes the records of an entry without links and vectors.
func (w *walk) drafts(e aicf.Entry) []recordDraft {
	w.enter(e)
	if !makesRecords(e) {
		return nil
	}
	pieces := piecesOf(e, w.ordinals.Name(e)).pieces
	all := make([]recordDraft, 0, len(pieces))
	for i, p := range pieces {
		r, ok := w.draft(p)
		if !ok || w.in.tooLong(p) {
			continue
		}
		w.n++
		d := recordDraft{piece: p, place: i, rec: r, n: w.n}
		if p.name != "" && p.pair == nil {
			d.tie = w.in.ties[p.name]
		}
		d.id = w.identify(d)
		if _, is := e.(*aicf.Conversation); is {
			w.told = d.id
			if ride := w.in.rides.of(d); ride != nil {
				w.told = ride.id
			}
		}
		all = append(all, d)
	}
	return all
}

// enter updates the context for an entry.
func (w *walk) enter(e aicf.Entry) {
	switch e := e.(type) {
	case *aicf.Session:
		w.session, w.conversation, w.told = e, nil, ""
		if isSynthetic(e.Extra) {
			w.session = nil
		}
	case *aicf.Conversation:
		w.conversation, w.told = e, ""
		if isSynthetic(e.Extra) {
			w.session = nil
		}
	}
}

// makesRecords reports whether an entry makes records.
func makesRecords(e aicf.Entry) bool {
	switch e := e.(type) {
	case *aicf.Session:
		return !isSynthetic(e.Extra)
	case *aicf.Conversation:
		return !isSynthetic(e.Extra)
	case *aicf.State, *aicf.Insight, *aicf.Decision, *aicf.Consolidation:
		return true
	}
	return undefined(e)
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// identify derives an id from everything the file says of a record. The id stays the same
// on every reading, also after an append.
func (w *walk) identify(d recordDraft) memory.ID {
	r := d.rec
	said := []string{
		string(r.Kind), r.Body.Text, string(r.Body.Structured), r.Scope.User, r.Scope.Project, r.Scope.Agent, r.Scope.Session,
		aicf.FormatInstant(r.Time.Observed), aicf.FormatInstant(r.Time.ValidFrom), aicf.FormatInstant(r.Time.ValidTo),
	}
	if d.tie != nil {
		said = append(said, d.tie.marks()...)
	}
	if c, ok := d.entry.(*aicf.Consolidation); ok {
		said = append(said, c.SourceItems...)
	}
	id := idOf(texts(said))
	if again := w.seen[id]; again > 0 {
		w.seen[id]++
		return idOf(canon.Array(texts(said), canon.Int(int64(again))))
	}
	w.seen[id] = 1
	return id
}

func idOf(v canon.Value) memory.ID {
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return memory.ID(idPrefix + base32Lower.EncodeToString(sum[:16]))
}

const idPrefix = "urn:ump:"

// record completes a draft.
func (in *recordBuilder) record(d recordDraft) (memory.Record, error) {
	r := d.rec
	r.ID = d.id
	r = in.ties.derive(r, d.entry)
	if d.tie != nil && d.tie.last == d.n {
		r = in.ties.bind(r, d.tie)
	}
	r.Consent = in.rides.consentFor(d)
	return in.complete(r, d.entry)
}

// complete dates an undated record, gives it its form and checks the limits.
func (in *recordBuilder) complete(r memory.Record, e aicf.Entry) (memory.Record, error) {
	if r.Time.Created.IsZero() {
		if in.dated.IsZero() {
			return r, refusal(e, "AICF-VALM-1", "nothing dates the entry, nor the file")
		}
		r.Time.Created = in.dated
	}
	if !r.Time.ValidTo.IsZero() && r.Time.ValidTo.Before(r.Time.From()) {
		r.Time.ValidTo = r.Time.From()
	}
	if len(r.Relations) > in.limits.Items {
		return r, refusal(e, "", "more relations than may be read")
	}
	made, err := in.forms.Author(r)
	if err != nil {
		return r, in.authorError(err, e)
	}
	if what := overLimit(made, in.limits); what != "" {
		return r, refusal(e, "AICF-SIZE-3", what)
	}
	return made, nil
}

func (in *recordBuilder) authorError(err error, e aicf.Entry) error {
	refusal := refusal(e, "", "")
	refusal.Err = err
	return refusal
}
