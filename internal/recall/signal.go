package recall

import (
	"math"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// How much of a score depends on the signals beside similarity, from 0 to 1. A ranking hint
// that prefers a signal gives it the last.
const (
	recencyShare   = .1
	salienceShare  = .1
	scopeShare     = .3
	preferredShare = .85

	othersShare   = .1 // records of others than the owner lose this much, as much as age can take
	feedbackShare = .3 // feedback raises or lowers a score by up to this
)

// neutralSalience is the salience of a record without one.
const neutralSalience = .5

// signals returns the five signals of UMP 3.2.
func (s *search) signals(r *reading, like likeness) memory.Signals {
	return memory.Signals{
		Similarity:      like.with,
		Recency:         recency(learnt(r.seen), s.opt.Now),
		Salience:        salience(r.seen.Lifecycle),
		ScopeMatch:      scopeMatch(s.query.Scope, r.seen.Scope),
		ProvenanceDepth: provenanceDepth(r.seen),
	}
}

// fresh is the age at which a memory's recency is one half.
const fresh = 30 * 24 * time.Hour

// recency falls from 1 for a record learnt just now towards 0, slowly: a year is far from a
// week, but not from two years.
func recency(learnt, now time.Time) float64 {
	if now.IsZero() || learnt.IsZero() {
		return 0
	}
	age := max(0, now.Sub(learnt))
	return float64(fresh) / float64(fresh+age)
}

// salience returns the salience of the record's lifecycle, within 0 to 1 (UMP 2.4).
func salience(l memory.Lifecycle) float64 {
	if l.Salience == nil || math.IsNaN(*l.Salience) {
		return neutralSalience
	}
	return min(max(*l.Salience, 0), 1)
}

// scopeMatch is the mean over the request's scope keys: 1 if the record has the same value,
// .5 if it has none, and 0 if it differs. It is 1 if the request gives no key (decision
// UD-16).
func scopeMatch(want, have memory.Scope) float64 {
	sum, keys := 0.0, 0.0
	for _, k := range [...]struct{ want, have string }{
		{want.User, have.User}, {want.Project, have.Project},
		{want.Agent, have.Agent}, {want.Session, have.Session},
	} {
		switch {
		case k.want == "":
			continue
		case k.have == "":
			sum += .5
		case k.have == k.want:
			sum++
		}
		keys++
	}
	if keys == 0 {
		return 1
	}
	return sum / keys
}

// provenanceDepth counts the derivations behind a record: its evidence and the records it
// derives from.
func provenanceDepth(r *memory.Record) int {
	n := 0
	if r.Provenance != nil {
		n = len(r.Provenance.Evidence)
	}
	for _, rel := range r.Relations {
		if rel.Type == memory.DerivedFrom {
			n++
		}
	}
	return n
}

// preferDepth is the ranking hint that prefers derived records.
const preferDepth = "provenance_depth"

// preference is the weight of each signal.
type preference struct {
	recency, salience, scope, depth float64
}

// newPreference reads ranking hints: names of signals. It ignores others.
func newPreference(hints []string) preference {
	p := preference{recency: recencyShare, salience: salienceShare, scope: scopeShare}
	for _, h := range hints {
		switch h {
		case "recency":
			p.recency = preferredShare
		case "salience":
			p.salience = preferredShare
		case "scope_match":
			p.scope = preferredShare
		case preferDepth:
			p.depth = preferredShare
		}
	}
	return p
}

// score combines the signals. Each takes at most its share of the similarity away, so that
// recency alone finds no record that does not match.
func (p preference) score(s memory.Signals, r *reading) float64 {
	take := func(share, signal float64) float64 { return 1 - share*(1-signal) }
	if r.Protected {
		p.recency = 0
	}
	depth := float64(s.ProvenanceDepth)
	return s.Similarity *
		take(p.recency, s.Recency) *
		take(p.salience, s.Salience) *
		take(p.scope, s.ScopeMatch) *
		take(p.depth, depth/(1+depth)) *
		(1 + feedbackShare*min(max(r.Feedback, -1), 1))
}

// ownership is the factor for the record's owner.
func (s *search) ownership(r *reading) float64 {
	if s.opt.Owner == "" || r.seen.Scope.Owner == s.opt.Owner {
		return 1
	}
	return 1 - othersShare
}
