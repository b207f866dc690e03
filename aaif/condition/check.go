package condition

import (
	"errors"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// MostBytes is how long the conditions of a definition may be together.
const MostBytes = 32 << 10

// mostFound is how much is reported of the conditions of a definition.
const mostFound = 1000

// CheckOptions say how the conditions of a definition are read. Zero: every one,
// up to [MostBytes], and without warnings.
type CheckOptions struct {
	Bytes int                       // most bytes of all conditions together; default [MostBytes]
	Lint  bool                      // warn of what says nothing, too (see [Condition.Lint])
	Skip  func(pointer string) bool // leave out what stands there: something else is wrong with it; nil for none
}

// Check reads the conditions of a definition, whoever wrote it (decision R16).
// What it finds are *codec.ParseError with an [*Error]. More conditions than are
// allowed are refused before any is read.
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

// tooLong refuses conditions that are too long together, at the first one that is
// too much.
func tooLong(gated []aaif.Gated, most int) *codec.ParseError {
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
