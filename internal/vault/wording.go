package vault

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// A record exported from here may return in any format, with less beside its text. The
// import recognises it by its id, where the format keeps one, or else by its text. That
// serves documents whose names mean nothing elsewhere, or without names; where a program
// has names of its own, those identify things.

// Bounds of the search for a text: terms to look at, the rarest of them, documents with one
// of these, and records to read. Most new texts have a new word among the saidFirst longest.
// A further term takes less time than a record, which is verified.
const (
	saidTerms  = 64
	saidFirst  = 4
	saidRarest = 8
	saidHolds  = 4096
	saidReads  = 64
	saidOlder  = 8 // of the terms, where an older release made the index
)

// person is the entity of statements about the memories' owner.
const person = "User"

// wording is one way in which a record here may express a draft.
type wording struct {
	text  string
	about string // what the record here has to be about; empty: anything
}

// wordings returns the text of a draft, and the text without the leading name of its
// subject, which formats add that know only entities.
func wordings(rec memory.Record) []wording {
	all := []wording{{text: ump.MergeText(rec.Body.Text)}}
	for _, rel := range rec.Relations {
		name, ok := strings.CutPrefix(rel.Target, "entity:")
		rest, begins := strings.CutPrefix(rec.Body.Text, name+": ")
		if !ok || !begins || rel.Type != memory.About {
			continue
		}
		w := wording{text: ump.MergeText(rest), about: rel.Target}
		if name == person {
			w.about = ""
		}
		return append(all, w)
	}
	return all
}

// of reports whether a record has this wording.
func (w wording) of(rec memory.Record) bool {
	about := memory.Relation{Type: memory.About, Target: w.about}
	return ump.MergeText(rec.Body.Text) == w.text && (w.about == "" || slices.Contains(rec.Relations, about))
}

// saidHere decides about an imported draft that matches no record in every member, by
// the record it was exported from.
func (a *arbiter) saidHere(r store.Reader, p Prepared, told *importedBefore, now time.Time) (Verdict, error) {
	if id := hereID(p.Rec); id != "" {
		found, err := a.returned(r, p, id, now)
		if err != nil || found.Outcome != "" {
			return found, err
		}
	}
	if told.there || told.named && p.place == "" {
		return Verdict{}, nil
	}
	for _, w := range wordings(p.Rec) {
		found, err := a.worded(r, p, w, told.named, now)
		if err != nil || found.Outcome != "" {
			return found, err
		}
	}
	return Verdict{}, nil
}

// worded decides about a draft by the records with its wording: one in force, or else a
// forgotten one.
func (a *arbiter) worded(r store.Reader, p Prepared, w wording, named bool, now time.Time) (Verdict, error) {
	rows, err := a.rowsWorded(r, w)
	if err != nil {
		return Verdict{}, err
	}
	var found Verdict
	for _, row := range rows {
		target, damage, err := a.read(r, row)
		switch {
		case err != nil:
			return Verdict{}, err
		case damage != nil || Foreign(target, r.Owner()) || !resembles(target, p, named):
		case a.ownersGate(target.Scope.Owner, now).status(target) == memory.Tombstoned:
			found = Verdict{Outcome: memory.Rejected, id: target.ID, Why: forgottenBefore, conflict: true}
		case a.holdsStill(target, p.asked, now):
			return Verdict{Outcome: memory.Merged, id: target.ID}, nil
		}
	}
	return found, nil
}

// hereID returns the id of the record here that a document gives for a draft; empty:
// none.
func hereID(rec memory.Record) memory.ID {
	ref := sourceRef(rec)
	id := memory.ID(ref[strings.LastIndexByte(ref, '/')+1:])
	if !ump.ValidID(id) {
		return ""
	}
	return id
}

// returned decides about a draft that a document gives as a record of here: unchanged,
// or forgotten or erased since.
func (a *arbiter) returned(r store.Reader, p Prepared, id memory.ID, now time.Time) (Verdict, error) {
	row, err := holder(r, id, p.Imp)
	if errors.Is(err, store.ErrNotFound) {
		if !p.denies || p.Restores {
			return Verdict{}, nil
		}
		erased, err := a.isDenied(r, p.Rec.Scope.Owner, string(id))
		if err != nil || !erased {
			return Verdict{}, err
		}
		return Verdict{Outcome: memory.Rejected, id: id, Why: erasedBefore, conflict: true}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	target, damage, err := a.read(r, row)
	if err != nil || damage != nil || Foreign(target, r.Owner()) {
		return Verdict{}, err
	}
	if a.ownersGate(target.Scope.Owner, now).status(target) == memory.Tombstoned {
		return Verdict{Outcome: memory.Rejected, id: id, Why: forgottenBefore, conflict: true}, nil
	}
	same := func(w wording) bool { return w.of(target) }
	if slices.ContainsFunc(wordings(p.Rec), same) && endsLike(target, p.asked) {
		return Verdict{Outcome: memory.Merged, id: id}, nil
	}
	return Verdict{}, nil
}

// endsLike reports whether a draft ends when the record does, or gives no end.
func endsLike(target, asked memory.Record) bool {
	return asked.Time.ValidTo.IsZero() || asked.Time.ValidTo.Equal(target.Time.ValidTo)
}

// holdsStill reports whether a record is in force and allows no less than a draft, in
// duration and audience.
func (a *arbiter) holdsStill(target, asked memory.Record, now time.Time) bool {
	return a.ownersGate(target.Scope.Owner, now).status(target) == memory.Active && len(target.SupersededBy) == 0 &&
		target.Time.ValidAt(now) && endsLike(target, asked) && asked.Lifecycle.Status.Or() == memory.Active &&
		(asked.Consent == nil && mayLeave(target.Consent) || sameConsent(target.Consent, asked.Consent))
}

// mayLeave reports whether a record is exported at all.
func mayLeave(c *memory.Consent) bool { return c == nil || c.Exportable == nil || *c.Exportable }

// resembles reports whether a draft with the text of target may have been exported from
// it, as far as its format shows. An unnamed semantic draft may have any kind, and one
// without a project any project: formats without kinds or projects write such drafts.
func resembles(target memory.Record, p Prepared, named bool) bool {
	asked, s, t := p.asked, p.asked.Scope, target.Scope
	switch {
	case !given(s.User, t.User) || !given(s.Agent, t.Agent) || !given(s.Session, t.Session):
		return false
	case !named:
		return (asked.Kind == target.Kind || asked.Kind == memory.Semantic) && given(s.Project, t.Project)
	}
	return asked.Kind == target.Kind && s.Project == t.Project &&
		containsAll(target.Relations, asked.Relations) && labelled(target, asked) &&
		(asked.Kind != memory.Episodic || p.Rec.Time.Observed.Equal(target.Time.Observed))
}

// labelled reports whether a record has the draft's machine-readable members.
func labelled(target, asked memory.Record) bool {
	have := codec.Structured(target)
	for _, m := range codec.Structured(asked).Members() {
		if !codec.IsResidue(m.Name) && string(have.Get(m.Name).AppendCanonical(nil)) != string(m.Value.AppendCanonical(nil)) {
			return false
		}
	}
	return true
}

// rowsWorded returns the rows with a wording. What they say is read before they are verified,
// which takes several times as long.
func (a *arbiter) rowsWorded(r store.Reader, w wording) ([]store.Row, error) {
	rows, err := rowsSaying(r, w.text)
	if err != nil {
		return nil, err
	}
	older, err := a.hasOlderIndex(r)
	if err == nil && older {
		var more []store.Row
		more, err = rowsLike(r, w.text)
		rows = append(rows, more...)
	}
	return slices.DeleteFunc(rows, func(row store.Row) bool {
		rec, err := Decoded(row)
		return err != nil || !w.of(rec)
	}), err
}

// saidTermsOf returns the terms by which a text is looked for, the longest first, and the
// number of its words.
func saidTermsOf(text string) (terms []string, length int) {
	terms, length = recall.TextTerms(text)
	slices.SortStableFunc(terms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return terms[:min(len(terms), saidTerms)], length
}

// rowsSaying returns rows that may have a text: those of the same length with its rarest
// terms.
func rowsSaying(r store.Reader, text string) ([]store.Row, error) {
	terms, length := saidTermsOf(text)
	var counts []int
	first := min(len(terms), saidFirst)
	for _, some := range [][]string{terms[:first], terms[first:]} {
		n, err := r.Frequencies(some)
		if err != nil || len(n) > 0 && slices.Min(n) == 0 {
			return nil, err
		}
		counts = append(counts, n...)
	}
	var numbers []int64
	for i, at := range byCount(counts) {
		if i > 0 && (len(numbers) == 0 || i == saidRarest || counts[at] > saidHolds) {
			break
		}
		postings, err := r.Postings(terms[at], saidHolds)
		if err != nil {
			return nil, err
		}
		var also []int64
		for _, p := range postings {
			_, had := slices.BinarySearchFunc(numbers, p.Document, newestFirst)
			if int(p.Length) == min(length, math.MaxUint16) && (i == 0 || had) {
				also = append(also, p.Document)
			}
		}
		numbers = also
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	return r.Numbered(numbers[:min(len(numbers), saidReads)])
}

// newestFirst is the order of postings.
func newestFirst(a, b int64) int { return cmp.Compare(b, a) }

// byCount returns the places of terms that occur, the rarest first.
func byCount(counts []int) (places []int) {
	for i, n := range counts {
		if n > 0 {
			places = append(places, i)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(counts[a], counts[b]) })
	return places
}

// rowsLike returns rows that may have a text although an older release indexed them, which
// made some terms of the same words in another way, and counted words in another way: those
// with half of the rarest terms that there are, first those with most of them.
func rowsLike(r store.Reader, text string) ([]store.Row, error) {
	terms, _ := saidTermsOf(text)
	counts, err := r.Frequencies(terms)
	if err != nil {
		return nil, err
	}
	known := byCount(counts)
	known = known[:min(len(known), saidOlder)]
	has := make(map[int64]int)
	for _, i := range known {
		postings, err := r.Postings(terms[i], saidHolds)
		if err != nil {
			return nil, err
		}
		for _, p := range postings {
			has[p.Document]++
		}
	}
	maps.DeleteFunc(has, func(_ int64, n int) bool { return 2*n < len(known) })
	numbers := slices.SortedFunc(maps.Keys(has), func(a, b int64) int { return cmp.Or(cmp.Compare(has[b], has[a]), cmp.Compare(a, b)) })
	if len(numbers) == 0 {
		return nil, nil
	}
	return r.Numbered(numbers[:min(len(numbers), saidReads)])
}

// hasOlderIndex reports whether an older release indexed any of an owner's rows. It looks
// through the rows once, from the mark of [Vault.ReindexAll] on, and remembers how far there
// is none.
func (a *arbiter) hasOlderIndex(r store.Reader) (bool, error) {
	const none = math.MaxInt64
	last, known := a.indexed.Load(r.Owner())
	at, _ := last.(int64)
	if !known {
		var err error
		if at, err = indexedTo(r); err != nil {
			return false, err
		}
	}
	for looked, most := int64(0), 1; at < none; most = reindexLook {
		old, next, err := r.Outdated(recall.Version, at, most)
		if err != nil {
			return false, err
		}
		if len(old) > 0 {
			a.indexed.Store(r.Owner(), old[0]-1)
			return true, nil
		}
		if looked += int64(most); next == 0 || looked > reindexMark+reindexLook { // marks are no further apart
			next = none
		}
		at = next
	}
	a.indexed.Store(r.Owner(), at)
	return false, nil
}
