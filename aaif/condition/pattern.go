package condition

import (
	"errors"
	"regexp/syntax"
)

// mostPattern is the most instructions of a regular expression. Go's take time
// in proportion to text and instructions, and nothing worse; but a{1000} has a
// thousand of them.
const mostPattern = 1000

// patternSteps is how many steps it takes to compile an instruction of a pattern.
const patternSteps = 20

// errPattern refuses a pattern.
var errPattern = errors.New("the pattern is too large")

// patternSize returns how many instructions a pattern has, more than the most
// for one with too many, and 1 for one that does not compile.
func patternSize(pattern string) int {
	if len(pattern) > mostPattern {
		return mostPattern + 1
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 1
	}
	if leaves(re) > mostLeaves {
		return mostPattern + 1
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return 1
	}
	return len(prog.Inst)
}

// mostLeaves is how much of a pattern is written out to count its instructions.
const mostLeaves = 4 * mostPattern

// leaves returns about how many instructions an expression has with everything
// written out that it repeats, and no more than one above the most.
func leaves(re *syntax.Regexp) int {
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(mostLeaves+1, n+leaves(sub))
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min, re.Max)
	}
	return min(mostLeaves+1, n)
}
