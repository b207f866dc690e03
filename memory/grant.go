package memory

import (
	"slices"
	"time"
)

// Verb is an act that a capability token may allow (UMP 5.2).
type Verb string

// The four verbs.
const (
	ReadVerb   Verb = "read"
	WriteVerb  Verb = "write"
	DeriveVerb Verb = "derive" // make new memories from these
	ExportVerb Verb = "export"
)

// Verbs returns the four verbs in the order of the specification.
func Verbs() []Verb { return []Verb{ReadVerb, WriteVerb, DeriveVerb, ExportVerb} }

// Valid reports whether v is one of the four verbs.
func (v Verb) Valid() bool { return slices.Contains(Verbs(), v) }

// Grant is what a capability token allows its bearer: verbs × scope × time.
type Grant struct {
	ID    string // names the token, so that it can be revoked
	Verbs []Verb
	// Scope is what the token is about. Project and Agent limit it to records
	// that have them; Visibility is the most private kind of record it reaches,
	// empty: shared.
	Scope   Scope
	Expires time.Time
	// Runtime is set where the token was made for one assistant and opens nothing but
	// the context it starts from (Engram 3.9).
	Runtime *Runtime
}

// Runtime says for which assistant a token was made and which part of the memory it
// may have.
type Runtime struct {
	Name string // shown to the owner when it proposes a correction
	// Scope is a standard scope of Engram 3.7; empty where Categories are listed.
	Scope      string
	Categories []string
	Purpose    string
	IssuedTo   string // URI of the assistant; empty: not said
}

// Allows reports whether g grants the verb.
func (g *Grant) Allows(v Verb) bool { return g != nil && slices.Contains(g.Verbs, v) }

// ClockSkew is how far two clocks may differ: for so long after it has expired a
// capability token is still taken, and so long before its time (UMP 5.2, decision
// UD-25).
const ClockSkew = time.Minute

// End returns when that which is under way with g at now has to end, the zero
// time for never: when g expires; or, where it was let in later because clocks
// may differ, when nobody is let in any more.
func (g *Grant) End(now time.Time) time.Time {
	switch {
	case g == nil:
		return time.Time{}
	case g.Expires.IsZero() || now.Before(g.Expires):
		return g.Expires
	}
	return g.Expires.Add(ClockSkew)
}
