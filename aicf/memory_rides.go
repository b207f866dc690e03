package aicf

import (
	"crypto/sha256"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// ride is a record that rides along in a section of its own, without its JSON.
type ride struct {
	id      memory.ID
	since   time.Time
	entity  string // the piece that says the same; empty: none does
	says    [sha256.Size]byte
	consent *memory.Consent
	matched bool
	bad     string // why it cannot come back; empty: it can
}

// rides are the records that ride along, in the order of the file.
type rides struct {
	all   []*ride
	named map[string][]*ride // by entity
	by    map[int]*ride      // by the draft in whose place they come back
}

func newRides() rides { return rides{named: map[string][]*ride{}, by: map[int]*ride{}} }

// carriedRecord reads a record that rides along. The JSON must be JSON as everywhere; the
// record need not be one.
func (in *intake) carriedRecord(c *Carried) (r memory.Record, bad string, err error) {
	if _, err := canon.Parse([]byte(c.Record), canon.Options{Bytes: in.limits.Record, Depth: in.limits.Depth, Inexact: true}); err != nil {
		return r, "", in.unmade(withoutContent(err), c)
	}
	if r, err = in.forms.Decode([]byte(c.Record)); err != nil {
		return r, lossRide, nil
	}
	if what := beyond(r, in.limits); what != "" {
		return r, "", refused(c, "AICF-SIZE-3", what)
	}
	if r.Integrity != nil && in.forms.Verify(r.Form()) != nil {
		return r, lossTampered, nil
	}
	return r, "", nil
}

// withoutContent says where JSON is broken, and nothing of it.
func withoutContent(err error) error {
	if e, ok := errors.AsType[*canon.Error](err); ok {
		return e
	}
	return errors.New("the record that rides along is no JSON")
}

// ride takes down a record that rides along; false: it cannot come back.
func (in *intake) ride(c *Carried) (bool, error) {
	r, bad, err := in.carriedRecord(c)
	if err != nil {
		return false, err
	}
	to := &ride{id: r.ID, since: r.Time.From(), entity: c.Entity, consent: r.Consent, bad: bad}
	if p, ok := telling(r); bad == "" && ok && c.Entity != "" {
		to.says = p.digest()
	}
	in.rides.all = append(in.rides.all, to)
	if c.Entity != "" {
		in.rides.named[c.Entity] = append(in.rides.named[c.Entity], to)
	}
	return bad == "", nil
}

// match finds the record that comes back in the place of a draft: one that is named so
// and says what the piece does.
func (rs rides) match(d drafted) *ride {
	named := rs.named[d.call()]
	if len(named) == 0 {
		return nil
	}
	says := d.digest()
	for _, r := range named {
		if !r.matched && r.bad == "" && r.says == says {
			r.matched = true
			rs.by[d.n] = r
			return r
		}
	}
	return nil
}

// of returns the record that comes back in the place of a draft; nil: none.
func (rs rides) of(d drafted) *ride { return rs.by[d.n] }

// consentFor is the owner's policy in a record that does not come back because what the
// file says was edited: an edit takes back no consent.
func (rs rides) consentFor(d drafted) *memory.Consent {
	for _, r := range rs.named[d.call()] {
		if !r.matched && r.bad == "" {
			return r.consent
		}
	}
	return nil
}

// back returns the n-th record that rides along, if it comes back.
func (in *intake) back(n int, c *Carried) (memory.Record, bool, error) {
	if n >= len(in.rides.all) {
		return memory.Record{}, false, &codec.ParseError{Format: formatName, Rule: "AICF-WRITE-7", Err: errors.New("the file was changed while it was read; read it again")}
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
