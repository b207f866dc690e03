package policy

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/codec"
)

// PreflightOptions say what a run has here. The zero PreflightOptions have neither rules, nor
// a judge, nor context but text.
type PreflightOptions struct {
	Over    []aaif.Definition // the agents that the agent works for
	Rules   []Rule            // the operator's, see [ReadRules]
	Judge   bool              // whether there is a judge
	Context *Prompter         // what can be read; nil: text alone
	Hook    func(string) bool // whether a hook of a name is registered; nil: none is
}

// preflight collects what keeps a run from starting, and what it reports when it starts.
type preflight struct {
	PreflightOptions
	d       aaif.Definition
	strict  bool
	reasons []*codec.ParseError
	notices []Notice
}

// Preflight returns the reasons why an agent cannot run here, nil if it can, and what its
// run reports when it starts. A run with a reason must not start. Events of conditions in
// words are among the notices, once per place (AAIF-5-14).
func Preflight(d aaif.Definition, o PreflightOptions) ([]*codec.ParseError, []Notice) {
	p := &preflight{PreflightOptions: o, d: d, strict: aaif.RulesUnder(d, o.Over).Safety.IsStrict()}
	p.status()
	p.constraints()
	p.conditions()
	p.hooks()
	p.shapes()
	p.context()
	return p.reasons, p.notices
}

func (p *preflight) refuse(reason *codec.ParseError) { p.reasons = append(p.reasons, reason) }

func (p *preflight) report(event, pointer, text string, args ...any) {
	p.notices = append(p.notices, Notice{event, pointer, fmt.Sprintf(text, args...)})
}

// lacking refuses at the levels strict and regulated, and reports at others (AAIF-7-6).
func (p *preflight) lacking(event string, reason *codec.ParseError) {
	if p.strict {
		p.refuse(reason)
		return
	}
	p.report(event, reason.Path, "%v", reason.Err)
}

// status reports a definition that is deprecated or a draft (AAIF-4.1-8, AAIF-4.1-9).
func (p *preflight) status() {
	switch p.d.Status {
	case aaif.Deprecated:
		p.report(eventStatus, "/status", "the agent is deprecated")
	case aaif.Draft:
		p.report(eventStatus, "/status", "the agent is a draft")
	}
}

// Disabled reports that what needs a capability is off (AAIF-7-6).
func Disabled(capability, pointer string) Notice {
	return Notice{eventDisabled, pointer, fmt.Sprintf("this platform lacks %s: what needs it is off", aaif.Shown(capability))}
}

// constraints looks for constraints that nothing enforces (decision R36).
func (p *preflight) constraints() {
	c := NewConstraints(p.Rules, nil, p.d, p.Over...)
	for _, text := range c.unused {
		p.report(eventUnenforced, "", "the operator has a rule about a constraint that the agent does not have: %s", shown(text))
	}
	if p.Judge {
		return
	}
	for _, one := range c.unenforced() {
		p.lacking(eventUnenforced, fault(aaif.ConstraintUnenforced, "3-3", one.pointer,
			"neither a rule of the operator nor a judge can tell whether it is kept: %s; rules.json may have a rule of this name, or the definition a judge_model", shown(one.text)))
	}
}

// conditions compiles the conditions, and reports those in words.
func (p *preflight) conditions() {
	compiler := condition.NewCompiler(condition.Options{})
	for _, g := range p.d.Conditions() {
		c, err := compiler.Compile(g.Condition.Value, g.Pointer)
		var wrong *codec.ParseError
		switch {
		case errors.As(err, &wrong):
			p.refuse(fault(aaif.Code(condition.CodeOf(err)), "5-19", wrong.Path, "%v", wrong.Err))
		case c.Hint != "":
			p.report(condition.EventHint, g.Pointer, "a condition in words, which no platform decides as another does: %s", hintEffect(g.Gate))
		}
	}
}

// hintEffect says how a condition in words is decided (decision R18).
func hintEffect(gate aaif.Gate) string {
	switch gate {
	case condition.Approval:
		return "every write waits for a person"
	case condition.Handoff:
		return "it is never satisfied"
	}
	return "it is always satisfied"
}

// hooks reports every hook that is not registered here (AAIF-4-21).
func (p *preflight) hooks() {
	e := p.d.Agent.Events
	for _, h := range []struct{ member, name string }{
		{"on_start", e.OnStart}, {"on_complete", e.OnComplete}, {"on_error", e.OnError}, {"on_tool_call", e.OnToolCall},
	} {
		if h.name != "" && (p.Hook == nil || !p.Hook(h.name)) {
			p.lacking(eventHook, fault(aaif.HookUnresolved, "4-21", "/agent/events/"+h.member, "no hook %q is registered here: it is off", aaif.Shown(h.name)))
		}
	}
}

// shapes looks at the schemas of input and output.
func (p *preflight) shapes() {
	var unusable *codec.ParseError
	if _, err := NewShapes(p.d); errors.As(err, &unusable) {
		p.refuse(unusable)
	}
}

// context looks for entries that may not be read here.
func (p *preflight) context() {
	from := p.Context
	if from == nil {
		from = &Prompter{}
	}
	for i, entry := range p.d.Agent.Context {
		if entry.Type != "text" && !from.allows(entry) {
			p.refuse(fault(aaif.ContextDenied, "4-17", fmt.Sprintf("/agent/context/%d", i), "%s %v", aaif.Shown(entry.Type), errDenied))
		}
	}
}
