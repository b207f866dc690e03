package aaif

// The words that members have as values. Documents may hold others, which are kept.

// Status is the status of a definition (section 4.1).
type Status string

// The three statuses of a definition.
const (
	Draft      Status = "draft"
	Active     Status = "active" // default
	Deprecated Status = "deprecated"
)

// Strategy chooses between available models (section 4.2).
type Strategy string

// The five strategies.
const (
	PreferredFirst Strategy = "preferred_first" // default
	Cheapest       Strategy = "cost"
	Fastest        Strategy = "latency"
	Best           Strategy = "quality"
	RoundRobin     Strategy = "round_robin"
)

// CustomProvider is the provider that provider_id names (section 4.2).
const CustomProvider = "custom"

// Role is the role of an agent among others (section 4.3).
type Role string

// The five roles of agents, and the two of subagents only.
const (
	Orchestrator Role = "orchestrator"
	Worker       Role = "worker"
	Evaluator    Role = "evaluator"
	Router       Role = "router"
	Synthesizer  Role = "synthesizer"
	Specialist   Role = "specialist"
	Fallback     Role = "fallback"
)

// Protocol is the protocol of a tool (section 4.4).
type Protocol string

// The four protocols.
const (
	FunctionTool Protocol = "function" // default
	MCPTool      Protocol = "mcp"
	HTTPTool     Protocol = "http"
	OpenAPITool  Protocol = "openapi"
)

// Language is the language of a condition (section 5).
type Language string

// The six languages.
const (
	JSONPath  Language = "jsonpath"
	JMESPath  Language = "jmespath"
	CEL       Language = "cel"
	JSONLogic Language = "jsonlogic"
	Always    Language = "always"
	Never     Language = "never"
)

// Scope says how long memory lasts, and who shares it (section 4.5).
type Scope string

// The four scopes.
const (
	UserScope     Scope = "user"
	SessionScope  Scope = "session"
	TaskScope     Scope = "task"
	LongTermScope Scope = "long_term"
)

// IsPersonal reports whether memory of a scope belongs to one person or session. Memory
// of an unknown scope does (AAIF-8.2-9, decision R26).
func (s Scope) IsPersonal() bool { return s != TaskScope && s != LongTermScope }

// Safety decides what follows from a capability that a platform lacks (sections 4.9 and
// 7).
type Safety string

// The four safety levels.
const (
	Minimal   Safety = "minimal"
	Standard  Safety = "standard" // default
	Strict    Safety = "strict"
	Regulated Safety = "regulated"
)

// IsStrict reports whether a missing capability refuses the agent. An unknown level
// counts as the strictest, an empty one as standard (decision R17).
func (s Safety) IsStrict() bool { return s != "" && s != Minimal && s != Standard }

// Residency is the region in which providers must be (section 4.9).
type Residency string

// The regions without a place of their own. The operator says which region CustomRegion
// means.
const (
	Global       Residency = "global"
	CustomRegion Residency = "custom"
)

// PII is the policy for personal data (section 4.9).
type PII string

// The five policies.
const (
	PIINone      PII = "none"
	PIIDetect    PII = "detect" // default
	PIIAnonymize PII = "anonymize"
	PIIEncrypt   PII = "encrypt"
	PIIReject    PII = "reject"
)

// RunStatus is the status of a run (section 8.1).
type RunStatus string

// The seven statuses of a run.
const (
	Running            RunStatus = "running"
	Paused             RunStatus = "paused"
	AwaitingApproval   RunStatus = "awaiting_approval"
	AwaitingToolResult RunStatus = "awaiting_tool_result"
	Completed          RunStatus = "completed"
	Failed             RunStatus = "failed"
	Migrating          RunStatus = "migrating"
)

// CallStatus is the status of a tool call (section 8.1).
type CallStatus string

// The three statuses of a call.
const (
	CallPending        CallStatus = "pending"
	CallInFlight       CallStatus = "in_flight"
	CallAwaitingResult CallStatus = "awaiting_result"
)
