package shape

import (
	"errors"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// meter counts the steps of one check. The library cannot be stopped, but calls an
// extension for every part of a schema that it puts to a part of a value, and an engine for
// every regular expression. Both panic once the steps are spent, and [meter.stop] recovers.
type meter struct{ left int }

// errSteps is what the meter panics with.
var errSteps = errors.New("the check takes too many steps")

func (m *meter) spend(n int) {
	if m.left -= n; m.left < 0 {
		panic(errSteps)
	}
}

// stop turns a panic into an error. Another panic than that of the meter means that the
// library met a schema, or a value, that it cannot read.
func (m *meter) stop(err *error) {
	switch p := recover(); p {
	case nil:
	case any(errSteps):
		*err = errSteps
	default:
		*err = errors.New("the schema cannot be put to this value")
	}
}

// vocabulary returns a vocabulary without keywords, whose extension counts.
func (m *meter) vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "satchel:meter",
		Compile: func(_ *jsonschema.CompilerContext, object map[string]any) (jsonschema.SchemaExt, error) {
			unique := object["uniqueItems"] == true
			_, enum := object["enum"]
			_, constant := object["const"]
			patterns, _ := object["patternProperties"].(map[string]any)
			return &part{m, 1 + len(object) + weight(object["enum"]) + weight(object["const"]) + weight(object["required"]), len(patterns), unique || enum || constant}, nil
		},
	}
}

// part is a part of a schema.
type part struct {
	meter    *meter
	weight   int  // of its own keywords
	patterns int  // of its patternProperties
	deep     bool // it compares whole values
}

// Validate counts, and finds nothing.
func (p *part) Validate(_ *jsonschema.ValidatorContext, v any) {
	n := p.weight + breadth(v)*(1+p.patterns)
	if p.deep {
		n += weight(v)
	}
	p.meter.spend(n)
}

// breadth returns the size of a value without its items.
func breadth(v any) int {
	const stepBytes = 16
	switch v := v.(type) {
	case string:
		return len(v) / stepBytes
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// weight returns the size of a value with its items; 0 for null, and what is not there.
func weight(v any) int {
	if v == nil {
		return 0
	}
	n := 1 + breadth(v)
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += weight(item)
		}
	case map[string]any:
		for _, item := range v {
			n += weight(item)
		}
	}
	return n
}

// expression compiles a regular expression as RE2, and counts its uses.
func (m *meter) expression(text string) (jsonschema.Regexp, error) {
	const longest = 1024
	if len(text) > longest {
		return nil, errors.New("the pattern is too long")
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, errors.New("the pattern is no expression of RE2")
	}
	cost := 1
	if tree, err := syntax.Parse(text, syntax.Perl); err == nil {
		if program, err := syntax.Compile(tree.Simplify()); err == nil {
			cost = len(program.Inst)
		}
	}
	return &meteredExpression{compiled, m, cost}, nil
}

type meteredExpression struct {
	*regexp.Regexp
	meter *meter
	cost  int // instructions
}

// MatchString counts, and matches.
func (e *meteredExpression) MatchString(text string) bool {
	const stepWork = 12 // instructions and bytes per step
	e.meter.spend(1 + e.cost*len(text)/stepWork)
	return e.Regexp.MatchString(text)
}
