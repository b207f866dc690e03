package engram

// The words that members of section 3 have for values.

// Scope says which part of a memory an export holds (section 3.7).
type Scope string

// The six scopes.
const (
	Full         Scope = "full"
	Professional Scope = "professional"
	Personal     Scope = "personal"
	Financial    Scope = "financial"
	Minimal      Scope = "minimal"
	Custom       Scope = "custom" // a list of categories
)

// Category is what a belief is about, broadly (section 3.4).
type Category string

// The ten standard categories. Others are kept, and count as CustomCategory where
// scopes are concerned (decision E-18).
const (
	Communication  Category = "communication"
	WorkStyle      Category = "work_style"
	DecisionMaking Category = "decision_making"
	Relationships  Category = "relationships"
	Projects       Category = "projects"
	Values         Category = "values"
	Learning       Category = "learning"
	Health         Category = "health"
	Finances       Category = "financial"
	CustomCategory Category = "custom"
)

// Source says where a belief comes from (section 3.4).
type Source string

// The three sources.
const (
	UserStated Source = "user_stated"
	Inferred   Source = "inferred"
	Corrected  Source = "corrected"
)

// Status says where a belief stands (section 3.4).
type Status string

// The three states.
const (
	Active   Status = "active"
	Archived Status = "archived"
	Deleted  Status = "deleted"
)

// Trigger says why a belief changed (section 3.5).
type Trigger string

// The four triggers.
const (
	UserCorrection          Trigger = "user_correction"
	ContradictionResolution Trigger = "contradiction_resolution"
	NaturalUpdate           Trigger = "natural_update"
	Expiry                  Trigger = "expiry"
)

// Corrector says who corrected a belief (section 3.6, decision E-10).
type Corrector string

// The four who may.
const (
	ByUser    Corrector = "user"
	BySystem  Corrector = "system"
	ByRule    Corrector = "governance_rule"
	ByRuntime Corrector = "runtime"
)

// Method says how a correction came about (section 3.6).
type Method string

// The three methods.
const (
	Explicit Method = "explicit" // the user typed it
	Implicit Method = "implicit" // somebody inferred it
	Approved Method = "approved" // the user approved a proposal or a rule
)

// Resolution is what became of a proposed correction (decision E-11).
type Resolution string

// The three states of a proposal.
const (
	Pending   Resolution = "pending_user_confirmation"
	Confirmed Resolution = "confirmed"
	Rejected  Resolution = "rejected"
)
