package aaif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Weakenings says in lines of text where a definition has weaker rules, or a weaker
// signature, than another definition of the same agent. A person must not overlook them
// when one replaces the other.
func Weakenings(was, is Definition) []string {
	w := warningList{}
	w.add(older(was.Agent.Version, is.Agent.Version), "an older version than the one that is here")
	w.add(was.Provenance.Signature != "" && is.Provenance.Signature == "", "the one that is here has a signature, and this has none")
	one, other := was.Agent.Compliance, is.Agent.Compliance
	w.add(other.Safety.rank() < one.Safety.rank(), "SAFETY LEVEL LOWERED")
	w.add(other.PII.rank() < one.PII.rank(), "PERSONAL DATA PROTECTED LESS")
	w.add(one.Residency != "" && one.Residency != Global && other.Residency != one.Residency, "DATA MAY GO ELSEWHERE")
	w.add(one.AuditLog && !other.AuditLog, "AUDIT LOG SWITCHED OFF")
	w.add(one.Oversight.Enabled && !other.Oversight.Enabled, "NOBODY IS ASKED ANY MORE")
	w.add(one.Oversight.Enabled && other.Oversight.Enabled && !canon.Equal(one.Oversight.Trigger.Value, other.Oversight.Trigger.Value), "PEOPLE ARE ASKED ABOUT SOMETHING ELSE")
	w.add(was.Agent.Events.OnToolCall != "" && is.Agent.Events.OnToolCall != was.Agent.Events.OnToolCall, "ITS CALLS OF TOOLS ARE WATCHED DIFFERENTLY")
	w.add(was.Agent.Model.BaseURL != is.Agent.Model.BaseURL, "ANOTHER ADDRESS OF THE MODEL")
	for _, c := range missing(was.Agent.Constraints, is.Agent.Constraints) {
		w.add(true, fmt.Sprintf("CONSTRAINT REMOVED: %q", Shown(c)))
	}
	called := map[string]string{}
	for _, t := range slices.Backward(was.Agent.Tools) { // of several tools with one name the first counts
		called[t.Name] = t.Endpoint
	}
	for _, t := range is.Agent.Tools {
		endpoint, known := called[t.Name]
		w.add(known && endpoint != t.Endpoint, "TOOL CALLS SOMEBODY ELSE: "+Shown(t.Name))
	}
	if w.more > 0 { // nothing hides behind many lines
		w.lines = append(w.lines, fmt.Sprintf("AND %d MORE THAT ARE WEAKER: satchel agent diff shows them", w.more))
	}
	return w.lines
}

// mostWeakened is how many lines name a weakening each. One more line counts the rest.
const mostWeakened = 20

type warningList struct {
	lines []string
	more  int // weakenings without a line
}

func (w *warningList) add(yes bool, line string) {
	switch {
	case !yes || slices.Contains(w.lines, line):
	case len(w.lines) == mostWeakened:
		w.more++
	default:
		w.lines = append(w.lines, line)
	}
}

// versionForm is the form of agent.version.
var versionForm = pattern.New(`^\d+\.\d+\.\d+$`)

// older reports whether a version precedes another. A missing version precedes every
// other.
func older(was, is string) bool {
	if !versionForm.MatchString(was) || !versionForm.MatchString(is) {
		return versionForm.MatchString(was) && is == ""
	}
	return slices.CompareFunc(strings.Split(is, "."), strings.Split(was, "."), func(a, b string) int {
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}) < 0
}

// Stricter returns the policy that protects personal data more.
func (p PII) Stricter(other PII) PII {
	if other.rank() > p.rank() {
		return other
	}
	return p
}

// Stricter returns the level that requires more.
func (s Safety) Stricter(other Safety) Safety {
	if other.rank() > s.rank() {
		return other
	}
	return s
}

// rank orders policies by protection. An unknown policy ranks highest, an empty one as
// the default.
func (p PII) rank() int {
	if p == "" {
		p = PIIDetect
	}
	return rankOf(p, PIINone, PIIDetect, PIIAnonymize, PIIEncrypt, PIIReject)
}

// rank orders levels by strictness. An unknown level ranks highest, an empty one as the
// default.
func (s Safety) rank() int {
	if s == "" {
		s = Standard
	}
	return rankOf(s, Minimal, Standard, Strict, Regulated)
}

func rankOf[T comparable](word T, order ...T) int {
	if i := slices.Index(order, word); i >= 0 {
		return i
	}
	return len(order)
}
