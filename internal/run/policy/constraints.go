package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Judge says whether a text violates a constraint. It asks a model, whose word is no proof.
// why is for people, in one line; text is untrusted, and Violates must frame it ([Data]).
// An error means that nothing is known.
type Judge interface {
	// Violates reports whether a text violates a constraint, and why.
	Violates(ctx context.Context, constraint, text string) (bool, string, error)
}

// Constraints checks what a model says, and its calls, against the constraints of an agent and
// of the agents it works for (AAIF-3-3, AAIF-12-5, AAIF-12-6). It is safe for concurrent use if
// its judge is.
type Constraints struct {
	safety aaif.Safety
	list   []constraint
	judge  Judge
	unused []string
}

// constraint is a constraint with what is known of its meaning.
type constraint struct {
	text    string
	pointer string // into the agent's own definition; "" if it is another's
	rules   []Rule
}

// NewConstraints returns the constraints of an agent and of the agents it works for. rules
// are the operator's; judge decides about what no rule covers, nil: nobody does.
func NewConstraints(rules []Rule, judge Judge, own aaif.Definition, over ...aaif.Definition) *Constraints {
	all := aaif.RulesUnder(own, over)
	c := &Constraints{safety: all.Safety, judge: judge, unused: unused(rules, all.Constraints, own.Agent.Constraints)}
	for _, text := range all.Constraints {
		one := constraint{text: text}
		index := slices.Index(own.Agent.Constraints, text)
		if index >= 0 {
			one.pointer = fmt.Sprintf("/agent/constraints/%d", index)
		}
		one.rules = rulesAbout(rules, text, index)
		c.list = append(c.list, one)
	}
	return c
}

// Violation is a constraint that a text violates, or about which nobody could decide.
type Violation struct {
	Constraint string // verbatim
	Pointer    string // into the agent's own definition; "" if it is another's
	By         string // "rule" or "judge"
	Why        string // for people, in one line; a judge's may quote what it judged
	Unjudged   bool   // the judge failed: nothing is known

	rule      *Rule // whose pattern it matches; nil: no pattern can be taken out
	forbidden bool  // the operator forbids the tool
}

// event returns the code of the event that a run reports.
func (v Violation) event() string {
	if v.Unjudged {
		return eventUnjudged
	}
	return EventViolation
}

// Check checks a text against all constraints: what the model says, or the arguments of a call
// as JSON. A constraint with rules is checked by them, and the judge is not asked. A judge that
// fails gives a violation with Unjudged. The error is that of the context: then nothing is
// known, and the text must not be used.
func (c *Constraints) Check(ctx context.Context, where Where, text string) ([]Violation, error) {
	seen := views(text)
	var found []Violation
	for _, one := range c.list {
		if v, broken := one.byRule(where, seen); broken {
			found = append(found, v)
			continue
		}
		if c.judge == nil || one.covered(where) || strings.TrimSpace(text) == "" {
			continue
		}
		broken, why, err := c.judge.Violates(ctx, one.text, text)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		switch {
		case err != nil:
			found = append(found, one.violation("judge", "the judge could not decide"))
			found[len(found)-1].Unjudged = true
		case broken:
			found = append(found, one.violation("judge", shown(why)))
		}
	}
	return found, ctx.Err()
}

// CheckCall checks a call against all constraints: its tool, and its arguments as Check does. ask
// says why the call waits for a person, "" if no rule wants that.
func (c *Constraints) CheckCall(ctx context.Context, call aaif.Call) (found []Violation, ask string, err error) {
	for _, one := range c.list {
		for _, r := range one.rules {
			if slices.Contains(r.ForbidTool, call.Tool) {
				v := one.violation("rule", "the operator forbids calls of this tool")
				v.forbidden = true
				found = append(found, v)
			}
			if ask == "" && slices.Contains(r.RequireApproval, call.Tool) {
				ask = "a constraint wants a person to be asked: " + shown(one.text)
			}
		}
	}
	args := call.Arguments
	if args.Type() == canon.TypeUndefined {
		args = canon.Object()
	}
	more, err := c.Check(ctx, Arguments, string(args.AppendCanonical(nil)))
	return append(found, more...), ask, err
}

// unenforced returns the constraints that neither a rule nor a judge checks. The model reads
// them, and nothing else is done (decision R36).
func (c *Constraints) unenforced() []constraint {
	if c.judge != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.list), func(one constraint) bool { return len(one.rules) > 0 })
}

func (one constraint) violation(by, why string) Violation {
	return Violation{Constraint: one.text, Pointer: one.pointer, By: by, Why: why}
}

// covered reports whether rules decide about a place.
func (one constraint) covered(where Where) bool {
	return slices.ContainsFunc(one.rules, func(r Rule) bool { return r.covers(where) })
}

// byRule returns the violation of the first rule that a text breaks.
func (one constraint) byRule(where Where, seen []string) (Violation, bool) {
	for i, r := range one.rules {
		if !r.holds(where) {
			continue
		}
		v := one.violation("rule", "it has what the operator's rule forbids")
		if r.Forbid != nil && slices.ContainsFunc(seen, r.Forbid.MatchString) {
			v.rule = &one.rules[i]
			return v, true
		}
		if r.Require != nil && (r.In != "" || where == Output) && !r.Require.MatchString(seen[0]) {
			v.Why = "it lacks what the operator's rule requires"
			return v, true
		}
	}
	return Violation{}, false
}

// views returns a text as it is, as it reads without disguise, and if it is JSON, with the
// escapes of its texts undone.
func views(text string) []string {
	all := []string{text}
	add := func(other string) {
		if !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	add(plainly(text))
	if v, err := aaif.FromJSON([]byte(text), aaif.ReadOptions{}); err == nil {
		canonical := string(v.AppendCanonical(nil))
		add(canonical)
		add(plainly(canonical))
		add(strings.Join(texts(nil, v), "\n"))
	}
	return all
}

// plainly returns a text without invisible characters, and with ASCII for wide and small
// forms.
func plainly(text string) string { return strings.Map(narrow, withoutJoiners(Cleaned(text))) }

func withoutJoiners(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\u200c' || r == '\u200d' || r == '\ufe0f' {
			return -1
		}
		return r
	}, text)
}

// texts appends the texts in a value, those of member names included.
func texts(list []string, v canon.Value) []string {
	if v.Type() == canon.TypeString {
		list = append(list, v.Text())
	}
	for _, item := range v.Items() {
		list = texts(list, item)
	}
	for _, m := range v.Members() {
		list = texts(append(list, m.Name), m.Value)
	}
	return list
}
