package aaif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// Rules are what a run of an agent is held to: by its own definition, and by those of
// the agents that it works for (AAIF-4.3-26).
type Rules struct {
	Safety      Safety
	PII         PII
	AuditLog    bool
	Residencies []Residency // each of them holds; none: data may be anywhere
	Supervision Supervision
	Constraints []string // of whom it works for first
}

// Supervision says which calls wait for a person (section 4.9). The zero Supervision: none.
type Supervision struct {
	Needed   bool
	Triggers []Condition // a call waits where one of them holds; none: every call that writes
	Timeout  int         // seconds; 0: none given
}

// RulesOf returns what an agent is held to by its own definition.
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

// Under returns what a subagent is held to that works for another agent: its own rules
// and that one's, the stricter of each (AAIF-4.3-26). Of two regions none is stricter:
// both hold. Neither side is ever held to less, in whichever order they are given, and
// those of an agent that works for one that works for another are had by Under again.
func (r Rules) Under(parent Rules) Rules {
	return Rules{
		Safety: r.Safety.Stricter(parent.Safety), PII: r.PII.Stricter(parent.PII), AuditLog: r.AuditLog || parent.AuditLog,
		Residencies: union(parent.Residencies, r.Residencies),
		Supervision: r.Supervision.with(parent.Supervision),
		Constraints: union(parent.Constraints, r.Constraints),
	}
}

// with returns which calls wait where both approvals hold: those that either has wait, for
// no longer than either.
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

// conditions are conditions as they are written, each once, by their canonical forms. Two
// may share one of these that differ in the digits of a large integer.
type conditions map[string][]canon.Value

// add reports whether a condition was not among them before.
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

// union returns what is in either list, each once, nil where there is nothing.
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

// mostRegions is how many regions are named.
const mostRegions = 5

// Beyond says, rule by rule, what an agent is held to that its own rules do not ask for.
func (r Rules) Beyond(own Rules) []string {
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
	add(!r.Supervision.within(own.Supervision), "human_in_the_loop")
	switch n := len(missing(r.Constraints, own.Constraints)); {
	case n == 1:
		add(true, "a constraint")
	case n > 1:
		add(true, fmt.Sprintf("%d constraints", n))
	}
	return more
}

// within reports whether all calls that wait under an approval wait under another one, too,
// and no longer.
func (a Supervision) within(b Supervision) bool {
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

// Value returns the rules as data, in the words of the format, but that there may be
// several regions and several triggers.
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

// Words says the rules in one line.
func (r Rules) Words() string {
	return cmp.Or(strings.Join(r.Beyond(Rules{Safety: Minimal, PII: PIINone}), ", "), "nothing in particular")
}
