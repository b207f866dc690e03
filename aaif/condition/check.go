package condition

import (
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// MostBytes is the most bytes that the conditions of a definition may have together.
const MostBytes = 32 << 10

// mostFound is the most findings reported for the conditions of a definition.
const mostFound = 1000

// CheckOptions say how to check the conditions of a definition. The zero CheckOptions
// check all of them, up to [MostBytes], without warnings.
type CheckOptions struct {
	Bytes int                       // most bytes of all conditions together; default [MostBytes]
	Lint  bool                      // also warn of conditions without effect (see [Condition.Lint])
	Skip  func(pointer string) bool // skips conditions that another check found wrong; nil: none
}

// Check checks the conditions of a definition from anybody (decision R16). Its findings
// are *codec.ParseError values with an [*Error]. It refuses too many bytes of conditions
// before it reads any condition.
func (c *Compiler) Check(d aaif.Definition, o CheckOptions) []*codec.ParseError {
	gated := d.Conditions()
	if refused := tooLong(gated, o.Bytes); refused != nil {
		return []*codec.ParseError{refused}
	}
	var found []*codec.ParseError
	m, f := meter{left: c.limits.Steps}, factsOf(d)
	for _, g := range gated {
		if len(found) >= mostFound {
			break
		}
		if o.Skip != nil && o.Skip(g.Pointer) {
			continue
		}
		cond, err := c.Compile(g.Condition.Value, g.Pointer)
		if p, ok := errors.AsType[*codec.ParseError](err); ok {
			found = append(found, p)
		} else if o.Lint {
			found = append(found, cond.lint(g.Gate, g.Pointer, f, &m)...)
		}
	}
	return found
}

// tooLong refuses conditions that are too long together, at the first beyond the limit.
func tooLong(gated []aaif.GatedCondition, most int) *codec.ParseError {
	if most <= 0 {
		most = MostBytes
	}
	left := most
	for _, g := range gated {
		if left -= len(g.Condition.Value.AppendCanonical(nil)); left < 0 {
			return fault("5-20", g.Pointer, failure(TooLarge, "", "the conditions have more than %d bytes together", most))
		}
	}
	return nil
}
