package memory

import (
	"slices"
	"time"
)

// Verb is an action that a capability token may allow (UMP 5.2).
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

// Grant holds the permissions of a capability token: verbs × scope × time.
type Grant struct {
	ID    string // the token's identifier, for revocation
	Verbs []Verb
	// Scope limits the token to some records. Project and Agent select records that have
	// them; Visibility is the most private kind of record that the token reaches, empty:
	// shared.
	Scope Scope
	// Projects, if there are any, are the only projects that the token reaches, instead of
	// the one of Scope; "" stands for the records without a project.
	Projects []string
	Expires  time.Time
	// Runtime is set if the token was made for one assistant. Such a token opens only the
	// context that the assistant starts from (Engram 3.9).
	Runtime *Runtime
}

// Runtime names the assistant that a token was made for, and the part of the memory that
// the assistant may read.
type Runtime struct {
	Name string // shown to the owner when the assistant proposes a correction
	// Scope is a standard scope of Engram 3.7; empty if Categories are listed.
	Scope      string
	Categories []string
	Purpose    string
	IssuedTo   string // URI of the assistant; empty: unknown
}

// EveryProject reports whether g is not limited to some projects.
func (g *Grant) EveryProject() bool {
	return g == nil || g.Scope.Project == "" && len(g.Projects) == 0
}

// Allows reports whether g grants the verb.
func (g *Grant) Allows(v Verb) bool { return g != nil && slices.Contains(g.Verbs, v) }

// ClockSkew is how far two clocks may differ. A server accepts a capability token for this
// long after its expiry and this long before its start (UMP 5.2, decision UD-25).
const ClockSkew = time.Minute

// End returns the latest time at which a request that started at now under grant g may
// still run; the zero time means no limit. That is the grant's expiry. A request that the
// server accepted after the expiry, because of [ClockSkew], may run until the skew is over.
func (g *Grant) End(now time.Time) time.Time {
	switch {
	case g == nil:
		return time.Time{}
	case g.Expires.IsZero() || now.Before(g.Expires):
		return g.Expires
	}
	return g.Expires.Add(ClockSkew)
}
