package engram

// The values of members in section 3.

// Scope names the part of a memory that an export holds (section 3.7).
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

// Category is the broad topic of a belief (section 3.4).
type Category string

// The ten standard categories. Others are kept, and count as CustomCategory for scopes
// (decision E-18).
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

// Source is where a belief comes from (section 3.4).
type Source string

// The three sources.
const (
	UserStated Source = "user_stated"
	Inferred   Source = "inferred"
	Corrected  Source = "corrected"
)

// Status is the state of a belief (section 3.4).
type Status string

// The three states.
const (
	Active   Status = "active"
	Archived Status = "archived"
	Deleted  Status = "deleted"
)

// Trigger is why a belief changed (section 3.5).
type Trigger string

// The four triggers.
const (
	UserCorrection          Trigger = "user_correction"
	ContradictionResolution Trigger = "contradiction_resolution"
	NaturalUpdate           Trigger = "natural_update"
	Expiry                  Trigger = "expiry"
)

// Corrector is who corrected a belief (section 3.6, decision E-10).
type Corrector string

// The four correctors.
const (
	ByUser    Corrector = "user"
	BySystem  Corrector = "system"
	ByRule    Corrector = "governance_rule"
	ByRuntime Corrector = "runtime"
)

// Method is how a correction came about (section 3.6).
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
