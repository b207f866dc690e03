package aaif

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// Weakened says line by line what a definition holds an agent less to than another one of
// the same agent, or vouches less for: what must not be overlooked where it is put into
// that one's place.
func Weakened(was, is Definition) []string {
	w := weakened{}
	w.add(older(was.Agent.Version, is.Agent.Version), "an older version than the one that is here")
	w.add(was.Provenance.Signature != "" && is.Provenance.Signature == "", "the one that is here has a signature, and this has none")
	one, other := was.Agent.Compliance, is.Agent.Compliance
	w.add(other.Safety.rank() < one.Safety.rank(), "SAFETY LEVEL LOWERED")
	w.add(other.PII.rank() < one.PII.rank(), "PERSONAL DATA PROTECTED LESS")
	w.add(one.Residency != "" && one.Residency != Global && other.Residency != one.Residency, "DATA MAY GO ELSEWHERE")
	w.add(one.AuditLog && !other.AuditLog, "AUDIT LOG SWITCHED OFF")
	w.add(one.Oversight.Enabled && !other.Oversight.Enabled, "NOBODY IS ASKED ANY MORE")
	w.add(one.Oversight.Enabled && other.Oversight.Enabled && !canon.Equal(one.Oversight.Trigger.Value, other.Oversight.Trigger.Value), "PEOPLE ARE ASKED ABOUT SOMETHING ELSE")
	w.add(was.Agent.Model.BaseURL != is.Agent.Model.BaseURL, "ANOTHER ADDRESS OF THE MODEL")
	called := map[string]string{}
	for _, t := range slices.Backward(was.Agent.Tools) { // of several of one name the first counts
		called[t.Name] = t.Endpoint
	}
	for _, t := range is.Agent.Tools {
		endpoint, known := called[t.Name]
		w.add(known && endpoint != t.Endpoint, "TOOL CALLS SOMEBODY ELSE: "+Shown(t.Name))
	}
	for _, c := range missing(was.Agent.Constraints, is.Agent.Constraints) {
		w.add(true, fmt.Sprintf("CONSTRAINT REMOVED: %q", Shown(c)))
	}
	return w.lines
}

// mostWeakened bounds how many lines there are.
const mostWeakened = 20

type weakened struct{ lines []string }

func (w *weakened) add(yes bool, line string) {
	if yes && len(w.lines) < mostWeakened && !slices.Contains(w.lines, line) {
		w.lines = append(w.lines, line)
	}
}

// versionForm is the form of agent.version.
var versionForm = pattern.New(`^\d+\.\d+\.\d+$`)

// older reports whether a version precedes another. One that is gone does.
func older(was, is string) bool {
	if !versionForm.MatchString(was) || !versionForm.MatchString(is) {
		return versionForm.MatchString(was) && is == ""
	}
	return slices.CompareFunc(strings.Split(is, "."), strings.Split(was, "."), func(a, b string) int {
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}) < 0
}

// Stricter returns the one of two policies that protects what identifies people more.
func (p PII) Stricter(other PII) PII {
	if other.rank() > p.rank() {
		return other
	}
	return p
}

// Stricter returns the one of two levels that asks for more.
func (s Safety) Stricter(other Safety) Safety {
	if other.rank() > s.rank() {
		return other
	}
	return s
}

// rank counts from the least protection. One that is no policy is as good as the
// strictest, and none at all as the default.
func (p PII) rank() int {
	if p == "" {
		p = PIIDetect
	}
	return rankOf(p, PIINone, PIIDetect, PIIAnonymize, PIIEncrypt, PIIReject)
}

// rank is that of the level, as for policies.
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
