package engram

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Consent is what an owner granted to an assistant: an entry of the member consents, which
// the roadmap for version 0.2 promises (section 12.1). It stands in an owner's own full export.
// Readers ignore the member: what it says is in force at the store that issued the export,
// and nowhere else.
type Consent struct {
	ID         string // of the grant at its store
	GrantedTo  string // URI of the assistant; empty: unknown
	Name       string // of the assistant, for people
	Scope      Scope  // [Custom] with Categories
	Categories []Category
	Purpose    string
	GrantedAt  time.Time
	ExpiresAt  time.Time
	RevokedAt  time.Time // zero: not revoked
}

// memberConsents is the name of the member.
const memberConsents = "consents"

// HasConsents reports whether a document that was read lists consents.
func (d Document) HasConsents() bool { return d.Value.Has(memberConsents) }

// Wire returns the consent as written.
func (c Consent) Wire() canon.Value {
	var o object
	o.must("id", c.ID)
	o.may("granted_to", c.GrantedTo)
	o.may("name", c.Name)
	o.must("scope", string(c.Scope))
	if len(c.Categories) > 0 {
		o.add("categories", stringsOf(c.Categories))
	}
	o.may("purpose", c.Purpose)
	o.time("granted_at", c.GrantedAt)
	o.time("expires_at", c.ExpiresAt)
	o.time("revoked_at", c.RevokedAt)
	return o.value()
}
