package mapping

import (
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// carriedRecord is a record that the file carries in a section of its own, without its
// JSON.
type carriedRecord struct {
	id      memory.ID
	since   time.Time
	entity  string              // the piece that says the same; empty: none
	says    [][sha256.Size]byte // what pieces that say the same consist of
	consent *memory.Consent
	matched bool
	bad     string // why it cannot come back; empty: it can
}

// carriedRecords are the records that a file carries, in order.
type carriedRecords struct {
	all   []*carriedRecord
	named map[string][]*carriedRecord // by entity
	by    map[int]*carriedRecord      // by the draft that the record replaces
}

func newRides() carriedRecords {
	return carriedRecords{named: map[string][]*carriedRecord{}, by: map[int]*carriedRecord{}}
}

// carriedRecord reads a carried record. Broken JSON is an error; JSON that is no record
// gives a reason.
func (in *recordBuilder) carriedRecord(c *aicf.Carried) (r memory.Record, bad string, err error) {
	if _, err := canon.Parse([]byte(c.Record), canon.Options{Bytes: in.limits.Record, Depth: in.limits.Depth, Inexact: true}); err != nil {
		return r, "", in.authorError(withoutContent(err), c)
	}
	if r, err = in.forms.Decode([]byte(c.Record)); err != nil {
		return r, lossRide, nil
	}
	if what := overLimit(r, in.limits); what != "" {
		return r, "", refusal(c, "AICF-SIZE-3", what)
	}
	if r.Integrity != nil && in.forms.Verify(r.Form()) != nil {
		return r, lossTampered, nil
	}
	return r, "", nil
}

// withoutContent says where JSON is broken, without repeating it.
func withoutContent(err error) error {
	if e, ok := errors.AsType[*canon.Error](err); ok {
		return e
	}
	return errors.New("the record that rides along is no JSON")
}

// ride adds a carried record; false: it cannot come back.
func (in *recordBuilder) ride(c *aicf.Carried) (bool, error) {
	r, bad, err := in.carriedRecord(c)
	if err != nil {
		return false, err
	}
	to := &carriedRecord{id: r.ID, since: r.Time.From(), entity: c.Entity, consent: r.Consent, bad: bad}
	if p, ok := newPiece(r); bad == "" && ok && c.Entity != "" {
		to.says = p.digests(r)
	}
	in.rides.all = append(in.rides.all, to)
	if c.Entity != "" {
		in.rides.named[c.Entity] = append(in.rides.named[c.Entity], to)
	}
	return bad == "", nil
}

// match returns the carried record that replaces a draft: it names the piece and says the
// same.
func (rs carriedRecords) match(d recordDraft) *carriedRecord {
	named := rs.named[d.call()]
	if len(named) == 0 {
		return nil
	}
	says := d.digest()
	for _, r := range named {
		if !r.matched && r.bad == "" && slices.Contains(r.says, says) {
			r.matched = true
			rs.by[d.n] = r
			return r
		}
	}
	return nil
}

// of returns the carried record that replaces a draft; nil: none.
func (rs carriedRecords) of(d recordDraft) *carriedRecord { return rs.by[d.n] }

// consentFor returns the owner's consent from a carried record whose piece was edited: an
// edit withdraws no consent.
func (rs carriedRecords) consentFor(d recordDraft) *memory.Consent {
	for _, r := range rs.named[d.call()] {
		if !r.matched && r.bad == "" {
			return r.consent
		}
	}
	return nil
}

// back returns the n-th carried record, if it comes back.
func (in *recordBuilder) back(n int, c *aicf.Carried) (memory.Record, bool, error) {
	if n >= len(in.rides.all) {
		return memory.Record{}, false, &codec.ParseError{Format: aicf.Name, Rule: "AICF-WRITE-7", Err: errors.New("the file was changed while it was read; read it again")}
	}
	to := in.rides.all[n]
	switch {
	case to.bad != "":
		in.losses.Add(lossOf(to.id, c, to.bad))
		return memory.Record{}, false, nil
	case to.entity != "" && !to.matched:
		in.losses.Add(lossOf(to.id, c, lossOverruled))
		return memory.Record{}, false, nil
	}
	r, _, err := in.carriedRecord(c)
	return r, err == nil, err
}
