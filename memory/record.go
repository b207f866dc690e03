package memory

import (
	"encoding/json"
	"time"
)

// ID names a record for ever: "urn:ump:" and an opaque, case-sensitive rest (UMP 6.2). It
// never changes, also when the record does (decision UD-5).
type ID string

// DID is the decentralised identifier of a person or a program, such as
// "did:key:z6Mk…". An owner without one may be an opaque string (UMP 5.1).
type DID string

// Record is one memory. The exported members hold its present, visible state; Origin and
// Current are the documents that the state comes from.
//
// The zero time in Observed, ValidFrom, ValidTo and a nil pointer in an optional number
// mean "not said".
type Record struct {
	Version string // edition of UMP that the record uses: "0.1" or "1.0"
	ID      ID
	Kind    Kind
	Body    Body
	Scope   Scope
	Time    Times

	Lifecycle Lifecycle

	Supersedes   []ID // records that this one replaces
	SupersededBy []ID // set by the engine, never by an author

	Relations  []Relation
	Provenance *Provenance // required in a stored record (UMP 2.6, level 2)
	Consent    *Consent
	Integrity  *Integrity

	// Origin is the record as its author wrote it, in UMP JSON: immutable bytes that verify
	// until the record is forgotten. A draft has none.
	Origin []byte
	// Current is the complete present form, in UMP JSON, once the engine has changed the
	// record. It is nil while Origin still is the present form (decision UD-6).
	Current []byte
}

// Form returns the present form of the record: Current, or Origin if the record has not
// changed since its author wrote it. The caller must not modify the bytes.
func (r Record) Form() []byte {
	if r.Current != nil {
		return r.Current
	}
	return r.Origin
}

// Kind sorts memories into the five kinds of UMP 2.1.
type Kind string

// The five kinds. A consumer accepts all of them.
const (
	Semantic   Kind = "semantic"   // a durable fact or preference
	Episodic   Kind = "episodic"   // a specific past event
	Procedural Kind = "procedural" // how to do something, a rule of behaviour
	Working    Kind = "working"    // short-lived task context
	Identity   Kind = "identity"   // who the user or the agent is
)

// Kinds returns the five kinds in the specification's order.
func Kinds() []Kind { return []Kind{Semantic, Episodic, Procedural, Working, Identity} }

// Valid reports whether k is one of the five kinds.
func (k Kind) Valid() bool {
	switch k {
	case Semantic, Episodic, Procedural, Working, Identity:
		return true
	}
	return false
}

// Body is the content of a memory: a text, never empty, and an optional JSON object for
// machines.
type Body struct {
	Text string
	// Structured is a JSON object or nil. A member with the name of a format holds the data
	// of that format that the model has no field for.
	Structured json.RawMessage
}

// Scope says which person, project and agent a record is about (UMP 2.2). Empty members are
// absent: a record without a project applies everywhere.
type Scope struct {
	Owner      DID
	User       string // the subject, if it is not the owner
	Project    string // canonical project name, such as "github.com/owner/repo"
	Agent      string
	Session    string
	Visibility Visibility
}

// Visibility says who may read a record. The empty value means private.
type Visibility string

// The three visibilities of UMP 2.2, from narrow to wide.
const (
	Private Visibility = "private" // the owner's agents only
	Shared  Visibility = "shared"  // peers the owner has granted access
	Public  Visibility = "public"  // anyone
)

// Valid reports whether v is one of the three visibilities.
func (v Visibility) Valid() bool { return v == Private || v == Shared || v == Public }

// WiderThan reports whether v lets more people read than w.
func (v Visibility) WiderThan(w Visibility) bool { return v.rank() > w.rank() }

func (v Visibility) rank() int {
	switch v {
	case Shared:
		return 1
	case Public:
		return 2
	}
	return 0
}

// Times holds both timelines of UMP 2.3: when the system learned something
// (Created, Observed) and when it is true in the world (ValidFrom, ValidTo).
type Times struct {
	Created   time.Time
	Observed  time.Time
	ValidFrom time.Time
	ValidTo   time.Time // zero: still valid
}

// From returns the instant from which the fact counts as true: ValidFrom, else Observed,
// else Created (decision UD-18).
func (t Times) From() time.Time {
	switch {
	case !t.ValidFrom.IsZero():
		return t.ValidFrom
	case !t.Observed.IsZero():
		return t.Observed
	}
	return t.Created
}

// ValidAt reports whether the fact is true at an instant. Valid time is half-open: it
// includes its first instant and excludes its end.
func (t Times) ValidAt(at time.Time) bool {
	return !at.Before(t.From()) && (t.ValidTo.IsZero() || at.Before(t.ValidTo))
}

// Lifecycle holds hints for engines (UMP 2.4). They influence ranking, nothing else.
type Lifecycle struct {
	Confidence *float64 // 0 to 1
	Salience   *float64 // 0 to 1
	Decay      string   // opaque
	Status     Status   // empty: active
}

// Status is a record's state: active, candidate or tombstoned.
type Status string

// The three states of UMP 2.4.
const (
	Active     Status = "active"
	Candidate  Status = "candidate" // proposed; not authoritative until the owner confirms it
	Tombstoned Status = "tombstoned"
)

// Valid reports whether s is one of the three states.
func (s Status) Valid() bool { return s == Active || s == Candidate || s == Tombstoned }

// Or returns s, or Active when s is empty.
func (s Status) Or() Status {
	if s == "" {
		return Active
	}
	return s
}

// Relation is a typed link to a record ("urn:ump:…") or an entity
// ("entity:<name>"). The vocabulary is open (UMP 2.5).
type Relation struct {
	Type   string
	Target string
}

// The relation types that UMP 2.5 reserves.
const (
	About       = "about"        // the subject of the record, often an entity
	Contradicts = "contradicts"  // both cannot be true
	DependsOn   = "depends_on"   // makes sense only together with the target
	DerivedFrom = "derived_from" // a conclusion from the target
	DuplicateOf = "duplicate_of" // says the same as the target
)

// Provenance says who asserted a record and how, after W3C PROV: Actor is the
// Agent, Method and Source describe the Activity, Evidence the derivation
// (UMP 2.6).
type Provenance struct {
	Actor     string
	ActorKind ActorKind
	Method    string
	Source    *Source
	Evidence  []Evidence
}

// ActorKind is the kind of party that asserted a record.
type ActorKind string

// The kinds of actor of UMP 2.6.
const (
	ByUser   ActorKind = "user"
	ByAgent  ActorKind = "agent"
	ByModel  ActorKind = "model"
	ByImport ActorKind = "import" // needs Source.Provider
	ByScan   ActorKind = "scan"
)

// Valid reports whether k is one of the kinds of actor of UMP 2.6.
func (k ActorKind) Valid() bool {
	switch k {
	case ByUser, ByAgent, ByModel, ByImport, ByScan:
		return true
	}
	return false
}

// Source says where a record comes from.
type Source struct {
	Ref      string // for example "sess_abc#turn_12"
	Provider string // the system that an import comes from
}

// Evidence supports a record. Weight, if present, lies in 0 to 1.
type Evidence struct {
	Ref    string
	Weight *float64
}

// Consent is the owner's policy, carried in the record itself (UMP 2.7).
type Consent struct {
	Retention  string   // ISO 8601 duration counted from Created; empty: no limit
	Exportable *bool    // nil: may be exported
	Redact     []string // paths to remove at a visibility boundary (decision UD-12)
}

// Integrity makes a record tamper-evident (UMP 2.8).
type Integrity struct {
	ContentHash string // "blake3:…"
	Signature   string // "ed25519:…"
	Signer      DID
}
