package condition

import (
	"github.com/theory/jsonpath/registry"
	"github.com/theory/jsonpath/spec"
)

// functions returns the functions of RFC 9535 with meters. While a function is checked,
// the queries among its arguments are replaced by metered ones. Each function charges for
// a text before reading it.
func (g *gauge) functions() *registry.Registry {
	r := registry.New()
	for _, name := range []string{"length", "count", "value", "match", "search"} {
		f := r.Get(name)
		plain := *f
		*f = *spec.Extension(name, plain.ReturnType(), g.validator(plain), g.evaluator(plain))
	}
	return r
}

func (g *gauge) validator(plain spec.FuncExtension) spec.Validator {
	return func(args []spec.FuncExprArg) error {
		if err := plain.Validate(args); err != nil {
			return err
		}
		for i, arg := range args {
			switch arg := arg.(type) {
			case *spec.PathQuery:
				args[i] = g.query(arg)
			case spec.LogicalOr:
				args[i] = g.logical(arg)
			}
		}
		return nil
	}
}

func (g *gauge) evaluator(plain spec.FuncExtension) spec.Evaluator {
	pattern := plain.Name() == "match" || plain.Name() == "search"
	return func(args []spec.PathValue) spec.PathValue {
		cost := 1
		if pattern {
			subject, isText := plainValue(args[0]).(string)
			re, isPattern := plainValue(args[1]).(string)
			if !isText || !isPattern { // the library does not expect an argument without a value
				return spec.LogicalFalse
			}
			cost = g.patternCost(re, subject)
		} else if plain.Name() == "length" {
			cost = weight(plainValue(args[0]))
		}
		if !g.spend(cost) {
			return nothing(plain.ReturnType())
		}
		return plain.Evaluate(args)
	}
}

// nothing is the result of a function that must not run.
func nothing(t spec.FuncType) spec.PathValue {
	if t == spec.FuncLogical {
		return spec.LogicalFalse
	}
	return nil
}

func plainValue(v spec.PathValue) any {
	if v, ok := v.(*spec.ValueType); ok && v != nil {
		return v.Value()
	}
	return nil
}

// patternCost returns the steps of compiling a pattern and running it over text, negative
// if the pattern is refused.
func (g *gauge) patternCost(pattern, subject string) int {
	if g.pattern != pattern || g.patternSize == 0 {
		g.pattern, g.patternSize = pattern, patternSize(pattern)
	}
	if g.patternSize > mostPattern {
		return -1
	}
	return patternSteps*g.patternSize + len(subject)*g.patternSize/stepBytes
}
