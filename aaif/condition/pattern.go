package condition

import (
	"errors"
	"regexp/syntax"
)

// mostPattern is the most instructions of a regular expression. Go's regular expressions
// take time in proportion to text and instructions, but a{1000} has a thousand of them.
const mostPattern = 1000

// patternSteps is the steps of compiling one instruction.
const patternSteps = 20

// errPattern refuses a pattern.
var errPattern = errors.New("the pattern is too large")

// patternSize returns the instructions of a pattern: above mostPattern for a pattern that
// is too large, 1 for one that does not compile.
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

// mostLeaves bounds the expansion of a pattern while its instructions are counted.
const mostLeaves = 4 * mostPattern

// leaves returns roughly the instructions of an expression with all repetitions expanded,
// at most one above the limit.
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
