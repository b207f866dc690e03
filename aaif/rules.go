package aaif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// Rules bind a run of an agent: those of its own definition, and those of the agents it
// works for (AAIF-4.3-26).
type Rules struct {
	Safety      Safety
	PII         PII
	AuditLog    bool
	Residencies []Residency // all of them hold; none: data may be anywhere
	Supervision Supervision
	Constraints []string // those of its parent first
}

// Supervision says which calls wait for a person (section 4.9). Under the zero
// Supervision none waits.
type Supervision struct {
	Needed   bool
	Triggers []Condition // a call waits if one of them holds; none: every call that writes
	Timeout  int         // seconds; 0: no limit given
}

// RulesOf returns the rules of an agent's own definition.
func RulesOf(a Agent) Rules {
	c := a.Compliance
	r := Rules{Safety: cmp.Or(c.Safety, Standard), PII: cmp.Or(c.PII, PIIDetect), AuditLog: c.AuditLog, Constraints: slices.Clone(a.Constraints)}
	if c.Residency != "" && c.Residency != Global {
		r.Residencies = []Residency{c.Residency}
	}
	if c.Oversight.Enabled {
		r.Supervision = Supervision{Needed: true, Timeout: c.Oversight.Timeout}
		if !c.Oversight.Trigger.IsZero() {
			r.Supervision.Triggers = []Condition{c.Oversight.Trigger}
		}
	}
	return r
}

// WithParent returns the rules of a subagent that works for another agent: the stricter
// of each rule (AAIF-4.3-26). Of two regions neither is stricter, so both hold. The order
// of the two makes no difference to strictness. For several generations call WithParent
// again.
func (r Rules) WithParent(parent Rules) Rules {
	return Rules{
		Safety: r.Safety.Stricter(parent.Safety), PII: r.PII.Stricter(parent.PII), AuditLog: r.AuditLog || parent.AuditLog,
		Residencies: union(parent.Residencies, r.Residencies),
		Supervision: r.Supervision.with(parent.Supervision),
		Constraints: union(parent.Constraints, r.Constraints),
	}
}

// RulesUnder returns the rules that bind an agent: its own, and those of the agents that it works
// for (AAIF-4.3-26, AAIF-12-6).
func RulesUnder(d Definition, over []Definition) Rules {
	rules := RulesOf(d.Agent)
	for _, one := range over {
		rules = rules.WithParent(RulesOf(one.Agent))
	}
	return rules
}

// with combines two supervisions: a call waits if either makes it wait, and for the
// shorter time.
func (a Supervision) with(b Supervision) Supervision {
	switch {
	case !b.Needed:
		return a
	case !a.Needed:
		return b
	}
	both := Supervision{Needed: true, Timeout: min(a.Timeout, b.Timeout)}
	if both.Timeout == 0 {
		both.Timeout = max(a.Timeout, b.Timeout)
	}
	if len(a.Triggers) > 0 && len(b.Triggers) > 0 {
		known := conditions{}
		for _, c := range slices.Concat(b.Triggers, a.Triggers) {
			if known.add(c) {
				both.Triggers = append(both.Triggers, c)
			}
		}
	}
	return both
}

// conditions is a set of conditions by their canonical forms. Two conditions with the
// same canonical form may differ in the digits of a large integer.
type conditions map[string][]canon.Value

// add adds a condition, and reports whether it was new.
func (s conditions) add(c Condition) bool {
	v := c.write()
	key := string(v.AppendCanonical(nil))
	if s.hold(key, v) {
		return false
	}
	s[key] = append(s[key], v)
	return true
}

func (s conditions) has(c Condition) bool {
	v := c.write()
	return s.hold(string(v.AppendCanonical(nil)), v)
}

func (s conditions) hold(key string, v canon.Value) bool {
	return slices.ContainsFunc(s[key], func(other canon.Value) bool { return canon.Identical(v, other) })
}

// union returns the items of both lists, each once; nil if there are none.
func union[T comparable](a, b []T) (all []T) {
	known := make(map[T]bool, len(a)+len(b))
	for _, item := range slices.Concat(a, b) {
		if !known[item] {
			known[item] = true
			all = append(all, item)
		}
	}
	return all
}

// mostRegions is the most regions that are named.
const mostRegions = 5

// StricterThan says, rule by rule, where an agent's rules go beyond its own.
func (r Rules) StricterThan(own Rules) []string {
	var more []string
	add := func(yes bool, text string) {
		if yes {
			more = append(more, text)
		}
	}
	add(r.Safety.rank() > own.Safety.rank(), "safety_level "+Shown(string(r.Safety)))
	for i, region := range missing(r.Residencies, own.Residencies) {
		add(i < mostRegions, "data_residency "+Shown(string(region)))
	}
	add(r.PII.rank() > own.PII.rank(), "pii_handling "+Shown(string(r.PII)))
	add(r.AuditLog && !own.AuditLog, "audit_log")
	add(!r.Supervision.noStricterThan(own.Supervision), "human_in_the_loop")
	switch n := len(missing(r.Constraints, own.Constraints)); {
	case n == 1:
		add(true, "a constraint")
	case n > 1:
		add(true, fmt.Sprintf("%d constraints", n))
	}
	return more
}

// noStricterThan reports whether another supervision makes all these calls wait, too, and
// no longer.
func (a Supervision) noStricterThan(b Supervision) bool {
	if !a.Needed {
		return true
	}
	longer := a.Timeout != 0 && (b.Timeout == 0 || b.Timeout > a.Timeout)
	if !b.Needed || longer || len(a.Triggers) == 0 && len(b.Triggers) > 0 {
		return false
	}
	known := conditions{}
	for _, c := range b.Triggers {
		known.add(c)
	}
	return len(b.Triggers) == 0 || !slices.ContainsFunc(a.Triggers, func(c Condition) bool { return !known.has(c) })
}

func missing[T comparable](all, from []T) []T {
	known := setOf(from)
	return slices.DeleteFunc(slices.Clone(all), func(item T) bool { return known[item] })
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, item := range list {
		set[item] = true
	}
	return set
}

// Value returns the rules as data in the format's words, but with several regions and
// triggers.
func (r Rules) Value() canon.Value {
	texts := func(list []string) canon.Value {
		items := make([]canon.Value, len(list))
		for i, s := range list {
			items[i] = canon.String(s)
		}
		return canon.Array(items...)
	}
	var regions []string
	for _, region := range r.Residencies {
		regions = append(regions, string(region))
	}
	members := []canon.Member{
		{Name: "safety_level", Value: canon.String(string(r.Safety))},
		{Name: "data_residency", Value: texts(regions)},
		{Name: "pii_handling", Value: canon.String(string(r.PII))},
		{Name: "audit_log", Value: canon.Bool(r.AuditLog)},
		{Name: "human_in_the_loop", Value: r.Supervision.value()},
		{Name: "constraints", Value: texts(r.Constraints)},
	}
	return canon.Object(members...)
}

func (a Supervision) value() canon.Value {
	members := []canon.Member{{Name: "enabled", Value: canon.Bool(a.Needed)}}
	if len(a.Triggers) > 0 {
		var list []canon.Value
		for _, c := range a.Triggers {
			list = append(list, c.write())
		}
		members = append(members, canon.Member{Name: "triggers", Value: canon.Array(list...)})
	}
	if a.Timeout > 0 {
		members = append(members, canon.Member{Name: "timeout_seconds", Value: canon.Int(int64(a.Timeout))})
	}
	return canon.Object(members...)
}

// Words describes the rules in one line.
func (r Rules) Words() string {
	return cmp.Or(strings.Join(r.StricterThan(Rules{Safety: Minimal, PII: PIINone}), ", "), "nothing in particular")
}
