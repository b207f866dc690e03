package aaif

import "github.com/satchel-memory/satchel/canon"

// Orchestration says how agents work together (section 4.3).
type Orchestration struct {
	Role          Role       `aaif:"role"`
	Subagents     []Subagent `aaif:"subagents"`
	Handoffs      []Handoff  `aaif:"handoff"`
	Pipeline      []string   `aaif:"pipeline"` // aliases or refs, in order
	Parallel      bool       `aaif:"parallel_execution"`
	MaxIterations int        `aaif:"max_iterations=10"`
	Consensus     Consensus  `aaif:"consensus"`
	Value         canon.Value
}

// Subagent is an agent that works for another (section 4.3).
type Subagent struct {
	Ref        string    `aaif:"ref!"` // UUID or URI of its definition
	Alias      string    `aaif:"alias"`
	Role       Role      `aaif:"role"`
	When       Condition `aaif:"when"` // absent: always
	MemoryKeys []string  `aaif:"pass_memory_keys"`
	Value      canon.Value
}

// Handoff passes a run to another agent (section 4.3).
type Handoff struct {
	Condition   Condition `aaif:"condition!"`
	Target      string    `aaif:"target_agent!"`
	PassContext *bool     `aaif:"pass_context"` // nil: true
	PassMemory  bool      `aaif:"pass_memory"`
	Value       canon.Value
}

// PassesContext reports whether the conversation goes along.
func (h Handoff) PassesContext() bool { return h.PassContext == nil || *h.PassContext }

// Consensus says how subagents settle a disagreement (section 4.3).
type Consensus struct {
	Strategy string `aaif:"strategy"`  // majority_vote, best_of_n, referee, first_success
	MinVotes int    `aaif:"min_votes"` // 0: more than half (decision R38)
	Referee  string `aaif:"referee_agent"`
	Value    canon.Value
}

// Condition decides whether something happens (section 5). It is an expression in a
// language, or a hint in words, on which portable agents do not rely. The zero Condition
// is absent.
type Condition struct {
	Lang  Language
	Expr  canon.Value // a string, or a JsonLogic rule
	NL    string      // for people
	Hint  string      // the condition in words, without a language
	Value canon.Value
}

// IsZero reports whether there is no condition.
func (c Condition) IsZero() bool {
	return c.Lang == "" && c.Hint == "" && c.Value.Type() == canon.TypeUndefined
}

func (c *Condition) read(v canon.Value) {
	*c = Condition{Value: v, Hint: v.Text(), Lang: Language(v.Get("lang").Text()), Expr: v.Get("expr"), NL: v.Get("nl").Text()}
}

func (c *Condition) write() canon.Value {
	var was Condition
	was.read(c.Value)
	switch {
	case c.Lang == was.Lang && c.Hint == was.Hint && c.NL == was.NL && canon.Identical(c.Expr, was.Expr):
		return c.Value
	case c.Lang == "":
		return canon.String(c.Hint)
	}
	out := c.Value.With("lang", canon.String(string(c.Lang))).With("expr", c.Expr)
	if c.NL == "" {
		return out.Without("nl")
	}
	return out.With("nl", canon.String(c.NL))
}

// Events start an agent and report its run (section 4).
type Events struct {
	Triggers   []Trigger `aaif:"triggers"`
	OnStart    string    `aaif:"on_start"` // hooks name functions that the runtime registered
	OnComplete string    `aaif:"on_complete"`
	OnError    string    `aaif:"on_error"`
	OnToolCall string    `aaif:"on_tool_call"`
	Value      canon.Value
}

// Trigger starts a run (section 4).
type Trigger struct {
	Type     string    `aaif:"type!"`    // manual, schedule, webhook, message, event, agent_handoff, file_change
	Schedule string    `aaif:"schedule"` // cron, UTC
	Event    string    `aaif:"event_name"`
	Webhook  string    `aaif:"webhook_path"`
	Filter   Condition `aaif:"filter"`
	Value    canon.Value
}
