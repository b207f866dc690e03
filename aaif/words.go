package aaif

// The words that members have for values. Documents may hold others; they are kept.

// Status says where a definition stands (section 4.1).
type Status string

// The three states of a definition.
const (
	Draft      Status = "draft"
	Active     Status = "active" // without a word
	Deprecated Status = "deprecated"
)

// Strategy chooses between models that are equally available (section 4.2).
type Strategy string

// The five strategies.
const (
	PreferredFirst Strategy = "preferred_first" // without a word
	Cheapest       Strategy = "cost"
	Fastest        Strategy = "latency"
	Best           Strategy = "quality"
	RoundRobin     Strategy = "round_robin"
)

// CustomProvider is the provider that provider_id names (section 4.2).
const CustomProvider = "custom"

// Role is what an agent does among others (section 4.3).
type Role string

// The five roles of agents, and the two that only subagents have.
const (
	Orchestrator Role = "orchestrator"
	Worker       Role = "worker"
	Evaluator    Role = "evaluator"
	Router       Role = "router"
	Synthesizer  Role = "synthesizer"
	Specialist   Role = "specialist"
	Fallback     Role = "fallback"
)

// Protocol is how a tool is called (section 4.4).
type Protocol string

// The four protocols.
const (
	FunctionTool Protocol = "function" // without a word
	MCPTool      Protocol = "mcp"
	HTTPTool     Protocol = "http"
	OpenAPITool  Protocol = "openapi"
)

// Language is what a condition is written in (section 5).
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

// IsPersonal reports whether memory of a scope is that of a person or of a session, and
// of nobody else. What is none of the four scopes is (AAIF-8.2-9, decision R26).
func (s Scope) IsPersonal() bool { return s != TaskScope && s != LongTermScope }

// Safety says what follows from what a platform cannot do (sections 4.9 and 7).
type Safety string

// The four safety levels.
const (
	Minimal   Safety = "minimal"
	Standard  Safety = "standard" // without a word
	Strict    Safety = "strict"
	Regulated Safety = "regulated"
)

// IsStrict reports whether what a platform lacks is refused. A level that is none is as
// good as the strictest; no level at all is standard (decision R17).
func (s Safety) IsStrict() bool { return s != "" && s != Minimal && s != Standard }

// Residency is the region that providers must be in (section 4.9).
type Residency string

// The regions that need no explanation by the operator, who has to give CustomRegion one.
const (
	Global       Residency = "global"
	CustomRegion Residency = "custom"
)

// PII says what is done with what identifies a person (section 4.9).
type PII string

// The five ways.
const (
	PIINone      PII = "none"
	PIIDetect    PII = "detect" // without a word
	PIIAnonymize PII = "anonymize"
	PIIEncrypt   PII = "encrypt"
	PIIReject    PII = "reject"
)

// RunStatus says where a run stands (section 8.1).
type RunStatus string

// The seven states of a run.
const (
	Running            RunStatus = "running"
	Paused             RunStatus = "paused"
	AwaitingApproval   RunStatus = "awaiting_approval"
	AwaitingToolResult RunStatus = "awaiting_tool_result"
	Completed          RunStatus = "completed"
	Failed             RunStatus = "failed"
	Migrating          RunStatus = "migrating"
)

// CallStatus says where a call of a tool stands (section 8.1).
type CallStatus string

// The three states of a call.
const (
	CallPending        CallStatus = "pending"
	CallInFlight       CallStatus = "in_flight"
	CallAwaitingResult CallStatus = "awaiting_result"
)
