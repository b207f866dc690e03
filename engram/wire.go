package engram

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Version is the edition on the wire, and SchemaURL the name of its schema (section 3.2).
// Later editions of 2026 carry the same version (decision E-46).
const (
	Version   = "0.1"
	SchemaURL = "https://engramspec.org/schema/v0.1"
)

// Unsigned is the signature of an unsigned export (section 12.6).
const Unsigned = "unsigned-v1"

// Document is an export (section 3.2).
type Document struct {
	Version    string // engram_version
	Schema     string
	IssuedAt   time.Time
	ExpiresAt  time.Time // zero: absent or null, which counts as expired
	Kid        string
	Issuer     Issuer
	Subject    Subject
	Scope      Scope
	Definition *Definition // scope_definition; nil: absent
	Signature  Signature
	// Consents are written into a new document; a document that was read has them in Value.
	Consents []Consent
	Memory
	// Value is the document as received; zero for a new document.
	Value canon.Value
}

// Memory is what an export says about a person: the four core objects, and the constraints
// of edition 0.1.2.
type Memory struct {
	Identity    Identity
	Beliefs     []Belief
	Evolution   []Change
	Corrections []Correction
	// Constraints is nil without the member, as in documents of the first edition.
	Constraints []Constraint
}

// Issuer is the system that issued an export.
type Issuer struct {
	Name string
	URL  string // absolute
	DID  string // empty: absent
}

// Subject is the person of the memory.
type Subject struct {
	ID          string // UUIDv4 or a URI that reveals nothing about the person
	DisplayName string // empty: absent
}

// Definition says how a scoped export was narrowed (section 3.7).
type Definition struct {
	Included   []Category
	Excluded   []Category
	Purpose    string
	IssuedTo   string // a URI of scheme https, did or urn
	ValidUntil time.Time
}

// Signature is the member signature in either shape (decision E-04).
type Signature struct {
	Value     string // base64url, or [Unsigned]
	Kid       string // in the object shape; empty: absent
	Algorithm string // in the object shape
	Object    bool   // whether it is an object
}

// Identity holds the stable facts (section 3.3).
type Identity struct {
	DisplayName string
	Timezone    string // IANA name
	Locale      string // BCP 47; empty: absent
	Role        string
	Domains     []string
	Bio         string
	CreatedAt   time.Time // zero: absent
	LastUpdated time.Time
	Value       canon.Value // as received
}

// Belief is a dynamic fact (section 3.4).
type Belief struct {
	ID            string // UUIDv4, never used again
	Category      Category
	Key           string
	Text          string // value
	ValueType     string // string, boolean, number, enum; empty: absent
	Confidence    float64
	Source        Source
	Status        Status
	CreatedAt     time.Time
	LastConfirmed time.Time // zero: absent
	StaleAfter    *int      // stale_after_days; nil: absent
	Tags          []string  // nil: absent
	DeletedAt     time.Time // of a tombstone (decision E-13)
	Value         canon.Value
}

// Change is one entry of evolution (section 3.5).
type Change struct {
	ID        string
	Belief    string // belief_id
	Old, New  string
	ChangedAt time.Time
	Trigger   Trigger
	Context   string // empty: absent
	Note      string
	Value     canon.Value
}

// Correction is one entry of corrections (section 3.6).
type Correction struct {
	ID          string
	Belief      string // belief_id
	By          Corrector
	CorrectedAt time.Time
	Old, New    string
	Method      Method
	Note        string
	// Status, Runtime and ObservedAt belong to proposals alone (decision E-11): members
	// status, runtime_id and observed_at.
	Status     Resolution
	Runtime    string
	ObservedAt time.Time
	Value      canon.Value
}

// Constraint is a hard rule (edition 0.1.2, section 3.7).
type Constraint struct {
	ID        string
	Rule      string
	Category  string // communication, content, data, behaviour, safety, custom
	Scope     string // URI of the runtimes it binds; empty: all
	CreatedAt time.Time
	SetBy     string // user_stated, user_confirmed; legal and operator are reserved
	Status    string // active, suspended, deleted
	Note      string
	DeletedAt time.Time // of a tombstone
	Value     canon.Value
}

// Delta is the answer of the diff endpoint (section 3.9).
type Delta struct {
	Since, GeneratedAt time.Time
	Added, Updated     []Belief
	Deleted            []Tombstone
	Corrections        []Correction
	Evolution          []Change
	// Identity is the new identity (decision E-30); nil: unchanged.
	Identity *Identity
	// The constraints of edition 0.1.2.
	NewConstraints     []Constraint
	DeletedConstraints []Tombstone
}

// Tombstone says that an object was deleted for good.
type Tombstone struct {
	ID        string
	DeletedAt time.Time
}
