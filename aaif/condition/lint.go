package condition

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/codec"
)

// The codes that [Condition.Lint] has besides those of decisions.
const (
	NeverFires    Code = "CONDITION_NEVER"          // false for every payload
	AlwaysFires   Code = "CONDITION_ALWAYS"         // true for every payload
	RootFilter    Code = "CONDITION_ROOT_FILTER"    // tests the members of the payload instead of the payload
	UnknownName   Code = "CONDITION_UNKNOWN_NAME"   // reads a name that the site's payload never has
	ExistenceOnly Code = "CONDITION_EXISTENCE_ONLY" // tests that a value exists, while its nl describes the value
)

// Lint warns of a condition that says nothing, or something else than it seems to: at its
// site it is never satisfied, or always. It ignores the languages always and never, which
// say so openly.
func (c *Condition) Lint(site Site, pointer string) []*codec.ParseError {
	return c.lint(site, pointer, facts{}, &meter{left: c.limits.Steps})
}

// lint evaluates expressions that read nothing, within the steps of m, which many
// conditions share. Without steps left it skips that check.
func (c *Condition) lint(site Site, pointer string, f facts, m *meter) []*codec.ParseError {
	if c.program == nil || c.Lang == Always || c.Lang == Never {
		return nil
	}
	var found []*codec.ParseError
	warn := func(rule string, code Code, text string, args ...any) {
		p := fault(rule, pointer+"/expr", &Error{Code: code, Lang: c.Lang, Text: fmt.Sprintf(text, args...)})
		p.Warning = true
		found = append(found, p)
	}
	s := c.program.reads()
	unknown := s.unknown(site, c.Lang)
	switch {
	case s.fixed:
		c.lintFixed(site, m, warn)
	case s.listed && len(s.names) == 0 && !s.open:
		warn("5-6", NeverFires, "the payload is an object: no item of a list can be taken from it")
	case s.filtered && len(s.names) == 0:
		warn("5-6", RootFilter, "a filter behind $ tests the values of the payload's members, and not the payload: name the member that is tested before the filter")
	case len(unknown) > 0:
		warn("5-21", UnknownName, "the payload of %s has no %s; it has %s", site, joinNames(unknown), strings.Join(namesAt(site), ", "))
	}
	for _, slip := range slipsOf(c.program.asks(), site, c.Lang, f) {
		warn(slip.rule, slip.code, "%s", slip.text)
	}
	if s.bare && speaksOfValue(c.NL) {
		warn("5-5", ExistenceOnly, "asks whether the value is there, and not what it is: test it with a filter")
	}
	return found
}

// mostNames is the most names that are repeated.
const mostNames = 5

// joinNames joins the first of some names for people.
func joinNames(names []string) string {
	var list []string
	for _, name := range names[:min(len(names), mostNames)] {
		list = append(list, printable(name))
	}
	if len(names) > mostNames {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// lintFixed warns of an expression that reads nothing. An expression that fails differs
// from one that is never true: its gate stays shut (AAIF-4.9-15), while a false one would
// open it.
func (c *Condition) lintFixed(site Site, m *meter, warn func(string, Code, string, ...any)) {
	if m.spent() {
		return
	}
	own := meter{left: c.limits.Steps}
	yes, err := c.eval(Payload{}, &own)
	m.spend(1 + c.limits.Steps - max(own.left, 0))
	switch code := CodeOf(err); {
	case code == Limit:
		warn("5-20", code, "the expression looks at nothing and always fails, after %d steps: %s", c.limits.Steps, failureText(site))
	case err != nil:
		warn("5-16", code, "the expression looks at nothing and always fails: %s", failureText(site))
	case yes:
		warn("5-16", AlwaysFires, "the expression looks at nothing and is always true: write always")
	default:
		warn("5-16", NeverFires, "the expression looks at nothing and is never true: write never")
	}
}

// failureText says what follows from a condition that fails.
func failureText(site Site) string {
	if site == Approval {
		return "every write waits for approval; write always where that is meant"
	}
	return "it is never satisfied"
}

// speaksOfValue reports whether words compare a value.
func speaksOfValue(nl string) bool {
	words := " " + strings.ToLower(nl) + " "
	if strings.Contains(words, " is present ") || strings.Contains(words, " is set ") || strings.Contains(words, " is there ") || strings.Contains(words, " is given ") {
		return false
	}
	for _, sign := range []string{" is ", " equals ", " equal to ", " = ", " == ", " > ", " < ", " above ", " below "} {
		if strings.Contains(words, sign) {
			return true
		}
	}
	return false
}
