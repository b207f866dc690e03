package condition

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Trial is a condition of a definition, decided on a payload.
type Trial struct {
	Pointer string // of the condition in the definition
	Source  Source // zero if it cannot be read
	Decision
	Looks []Look // the values that the expression looks at, as far as that can be told
	More  int    // how many more there are
}

// Look is a value that an expression looks at.
type Look struct {
	Pointer string      // into the payload
	Value   canon.Value // undefined: the payload has no such value
}

// mostLooks is the most values of a [Trial].
const mostLooks = 32

// Try decides the conditions of a definition on one payload, in document order and each by
// itself. What cannot be compiled is decided as what fails. It fails with a
// *codec.ParseError if the conditions have more than [MostBytes] together.
func (c *Compiler) Try(d aaif.Definition, payload canon.Value) ([]Trial, error) {
	gated := d.Conditions()
	if refused := tooLong(gated, 0); refused != nil {
		return nil, refused
	}
	trials := make([]Trial, len(gated))
	for i, g := range gated {
		t := Trial{Pointer: g.Pointer}
		cond, err := c.Compile(g.Condition.Value, g.Pointer)
		if err != nil {
			t.Source = Source{Lang: g.Condition.Lang, Expr: g.Condition.Expr, NL: g.Condition.NL}
			t.Decision = Decision{Site: g.Gate, Satisfied: g.Gate == Approval, Reason: ByFailure, NL: g.Condition.NL, Err: err}
		} else {
			t.Source, t.Decision = cond.Source, cond.Decide(g.Gate, payload, Policy{})
			t.Looks, t.More = cond.looks(payload)
		}
		trials[i] = t
	}
	return trials, nil
}

// looks returns the values of a payload that an expression looks at, each once, and how
// many more there are.
func (c *Condition) looks(payload canon.Value) (looks []Look, more int) {
	if c.program == nil {
		return nil, 0
	}
	had := map[string]bool{}
	for t := range c.program.asks().all() {
		path := t.path
		if i := slices.Index(path, anyStep); i >= 0 {
			path = path[:i]
		}
		if c.Lang == CEL && len(path) > 1 && path[0] == wholePayload && !payload.Has(wholePayload) {
			path = path[1:]
		}
		pointer := canon.Pointer(path...)
		switch {
		case len(path) == 0 || had[pointer]:
		case len(looks) == mostLooks:
			more++
		default:
			v, _ := payload.At(pointer)
			looks = append(looks, Look{pointer, v})
		}
		had[pointer] = true
	}
	return looks, more
}

// IsDecided reports whether an expression decided, or nothing had to be.
func (d Decision) IsDecided() bool { return d.Reason == ByExpression || d.Reason == ByAbsence }

// Effect says in words what follows from a decision, of a name that the condition is about.
func (d Decision) Effect(of string) string {
	yes, no := "people are asked", "nobody is asked"
	switch d.Site {
	case When:
		yes, no = "subagent "+of+" takes part", "subagent "+of+" takes no part"
	case Handoff:
		yes, no = "the run is handed over to "+of, "the run is not handed over to "+of
	case Filter:
		yes, no = "the event starts a run", "the event starts no run"
	}
	if d.Satisfied {
		return strings.TrimSpace(yes)
	}
	return strings.TrimSpace(no)
}
