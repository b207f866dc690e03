package aicf

import (
	"crypto/sha256"
	"encoding/base32"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// intake makes records of a file. It goes through the file three times: for what entries
// say of one another, for the ids of those that are spoken of, and for the records.
type intake struct {
	forms   codec.Forms
	limits  codec.Limits
	script  *script
	base    setting
	dated   time.Time // of what nothing in the file dates; zero: it is refused
	ties    ties
	vectors int
	rides   rides
	apart   bool // nothing that one record says may stand in another
	made    bool // an export made the file, so that it stands for nothing of its own
	losses  codec.LossList
}

func newIntake(forms codec.Forms, s *script, opt codec.Options) *intake {
	in := &intake{forms: forms, limits: opt.Limits.Filled(), script: s, ties: ties{}, rides: newRides(), apart: opt.Apart}
	in.base = setting{owner: opt.Owner, project: opt.Project, file: s.src.Name}
	switch {
	case !s.src.Modified.IsZero():
		in.dated = s.src.Modified.UTC()
	case opt.Now != nil:
		in.dated = opt.Now().UTC()
	}
	return in
}

func (in *intake) lose(e Entry, why string) { in.losses.Add(lost(e, why)) }

// survey goes through the file twice.
func (in *intake) survey() error {
	for e, err := range in.script.entries() {
		if err != nil {
			return err
		}
		if !in.ties.note(e, &in.vectors) {
			in.lose(e, lossVector)
		}
		in.made = in.made || exported(e)
		if c, ok := e.(*Carried); ok {
			good, err := in.ride(c)
			if err != nil {
				return err
			}
			in.made = in.made || good
		}
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

// walk is one run through the file.
type walk struct {
	in *intake
	setting
	ordinals ordinal
	seen     map[memory.ID]int
	n        int
}

func (in *intake) walk() *walk {
	return &walk{in: in, setting: in.base, seen: map[memory.ID]int{}}
}

// drafted is a record in the making.
type drafted struct {
	piece
	place int // among the pieces of its entry
	rec   memory.Record
	id    memory.ID // that it gets unless it comes back as it was
	n     int       // which one it is
	tie   *tie      // nil: nothing is said of it
}

// since is when it began to hold, where the file says so.
func (d drafted) since() time.Time { return d.rec.Time.From() }

// drafts makes records of an entry without what ties them to others.
func (w *walk) drafts(e Entry) []drafted {
	w.enter(e)
	if !tellable(e) {
		return nil
	}
	var all []drafted
	for i, p := range partsOf(e, w.ordinals.name(e)).pieces {
		r, ok := w.draft(p)
		if !ok {
			continue
		}
		w.n++
		d := drafted{piece: p, place: i, rec: r, n: w.n}
		if p.name != "" && p.pair == nil {
			d.tie = w.in.ties[p.name]
		}
		d.id = w.identify(d)
		if _, is := e.(*Conversation); is {
			w.told = d.id
			if ride := w.in.rides.of(d); ride != nil {
				w.told = ride.id
			}
		}
		all = append(all, d)
	}
	return all
}

// enter moves on to where an entry stands.
func (w *walk) enter(e Entry) {
	switch e := e.(type) {
	case *Session:
		w.session, w.conversation, w.told = e, nil, ""
		if synthetic(e.Extra) {
			w.session = nil
		}
	case *Conversation:
		w.conversation, w.told = e, ""
		if synthetic(e.Extra) {
			w.session = nil
		}
	}
}

// tellable reports whether an entry makes records of its own.
func tellable(e Entry) bool {
	switch e := e.(type) {
	case *Session:
		return !synthetic(e.Extra)
	case *Conversation:
		return !synthetic(e.Extra)
	case *State, *Insight, *Decision, *Consolidation:
		return true
	}
	return false
}

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// identify derives an id from all that the file says of a record, so that it is the same
// whenever the file is read again, also when more was appended to it.
func (w *walk) identify(d drafted) memory.ID {
	r := d.rec
	said := []string{
		string(r.Kind), r.Body.Text, string(r.Body.Structured), r.Scope.User, r.Scope.Project, r.Scope.Agent, r.Scope.Session,
		formatStamp(r.Time.Observed), formatStamp(r.Time.ValidFrom), formatStamp(r.Time.ValidTo),
	}
	if d.tie != nil {
		said = append(said, d.tie.marks()...)
	}
	if c, ok := d.entry.(*Consolidation); ok {
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
func (in *intake) record(d drafted) (memory.Record, error) {
	r := d.rec
	r.ID = d.id
	r = in.ties.derive(r, d.entry)
	if d.tie != nil && d.tie.last == d.n {
		r = in.ties.bind(r, d.tie)
	}
	r.Consent = in.rides.consentFor(d)
	return in.complete(r, d.entry)
}

// complete dates a record that nothing dates, gives it its form and holds it to the limits.
func (in *intake) complete(r memory.Record, e Entry) (memory.Record, error) {
	if r.Time.Created.IsZero() {
		if in.dated.IsZero() {
			return r, refused(e, "AICF-VALM-1", "nothing dates the entry, nor the file")
		}
		r.Time.Created = in.dated
	}
	if !r.Time.ValidTo.IsZero() && r.Time.ValidTo.Before(r.Time.From()) {
		r.Time.ValidTo = r.Time.From()
	}
	if len(r.Relations) > in.limits.Items {
		return r, refused(e, "", "more relations than may be read")
	}
	made, err := in.forms.Author(r)
	if err != nil {
		return r, in.unmade(err, e)
	}
	if what := beyond(made, in.limits); what != "" {
		return r, refused(e, "AICF-SIZE-3", what)
	}
	return made, nil
}

func (in *intake) unmade(err error, e Entry) error {
	refusal := refused(e, "", "")
	refusal.Err = err
	return refusal
}
