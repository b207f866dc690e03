package belief

import (
	"cmp"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// passport is an owner's memory in Engram's terms, as it is collected.
type passport struct {
	was, is *cachedRecords                    // see lineageSet
	learn   func(belief string, number int64) // notes where a belief is; nil: not needed

	mapper  engram.Mapper
	history bool // for the owner's own files
	moment  moment
	gone    map[memory.ID]bool // lineages whose tombstones stand beside the records

	told        []engram.BeliefHistory
	taken       map[string]idClaim // the beliefs in told, by id
	twins       []Twin             // later beliefs with the id of one in told
	identities  []memory.Record
	constraints []engram.Constraint
}

// idClaim is the first claim to a belief id: the belief's index in told, and its record.
type idClaim struct {
	at     int
	record memory.ID
}

func (b *beliefs) passport(owner memory.DID, m moment, history bool) *passport {
	return &passport{
		mapper:  engram.Mapper{Forms: ump.Forms(), Owner: owner, Residue: history, Now: func() time.Time { return m.at }},
		history: history, moment: m, gone: map[memory.ID]bool{}, taken: map[string]idClaim{},
	}
}

// add adds a lineage, if any of it may be shown.
func (p *passport) add(l *lineage) error {
	head := l.head(p.moment)
	if head < 0 {
		return nil
	}
	ver := &l.versions[head]
	switch is := ver.role(); {
	case is == identityRole:
		p.identify(ver)
		return nil
	case is == constraintRole:
		p.constrain(ver)
		return nil
	case p.moment.gone(ver) && ver.swept() && p.gone[l.root]:
		return nil // its tombstone stands beside the records
	}
	told, err := p.belief(l, head)
	if err != nil {
		return err
	}
	if first, ok := p.taken[told.ID]; ok { // a later claim to an id does not count (ENGRAM-3.4-1)
		p.isTwin(first, told, ver)
		return nil
	}
	p.taken[told.ID] = idClaim{at: len(p.told), record: ver.id}
	told.Category = cmp.Or(l.category(head), told.Category)
	told.Belief = ver.keyless(told.Belief)
	if p.moment.gone(ver) {
		told.Belief = told.Belief.Bare()
		told.Status, told.DeletedAt = engram.Deleted, ver.goneAt(p.moment)
		told.Evolution, told.Corrections = nil, nil
	}
	p.told = append(p.told, told)
	return nil
}

// identify adds an identity in force at the moment, whatever came later.
func (p *passport) identify(ver *version) {
	rec := ver.rec
	if p.moment.gone(ver) || !rec.Time.ValidAt(p.moment.at) {
		return
	}
	rec.Lifecycle.Status, rec.SupersededBy, rec.Time.ValidTo = memory.Active, nil, time.Time{}
	p.identities = append(p.identities, rec)
}

// constrain adds a constraint, or the tombstone of one.
func (p *passport) constrain(ver *version) {
	rec := ver.rec
	if p.moment.gone(ver) {
		rec.Lifecycle.Status = memory.Tombstoned
	} else {
		rec.Lifecycle.Status = memory.Active
	}
	k, ok := p.mapper.Constraint(rec)
	if !ok {
		return
	}
	if p.moment.gone(ver) {
		k.Status, k.DeletedAt = string(engram.Deleted), ver.goneAt(p.moment)
		k = k.Bare()
	}
	p.constraints = append(p.constraints, k)
}

// memory returns everything collected, always with an identity.
func (p *passport) memory(label string) engram.Memory {
	m := engram.Collect(p.told)
	if id, ok := p.mapper.Identity(p.identities); ok {
		m.Identity = id
	} else {
		m.Identity = engram.Identity{DisplayName: label, Timezone: "UTC"}
	}
	if m.Identity.DisplayName == "" {
		m.Identity.DisplayName = "Owner"
	}
	m.Constraints = append([]engram.Constraint{}, p.constraints...)
	return m
}

// role is the kind of thing that a lineage states.
type role int

const (
	beliefRole role = iota
	identityRole
	constraintRole
)

// roleOf tells a belief from the identity and from a constraint.
func roleOf(rec memory.Record) role {
	if len(rec.Body.Structured) == 0 {
		return beliefRole
	}
	if engram.IsIdentity(rec) {
		return identityRole
	}
	if vault.StatesConstraint(rec) {
		return constraintRole
	}
	return beliefRole
}

// swept reports whether the content of a version is gone from the store.
func (ver *version) swept() bool {
	return ver.rec.Lifecycle.Status == memory.Tombstoned && ver.rec.Body.Text == ump.ErasedExpired
}

// goneAt returns when a version was forgotten.
func (ver *version) goneAt(m moment) time.Time { return forgottenAt(ver.rec, ver.expires, m.keeping()) }

// forgottenAt returns when a record was forgotten, or its retention ended.
func forgottenAt(rec memory.Record, expires, now time.Time) time.Time {
	own, _ := codec.Residue(rec, "satchel")
	if at, ok := memory.ParseInstant(own.Get("forgotten").Get("at").Text()); ok {
		return at
	}
	if !expires.IsZero() && !now.Before(expires) {
		return expires
	}
	return rec.Time.ValidTo
}
