package condition

import (
	"errors"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/interpreter"
)

// celProgram is an expression of the Common Expression Language, whose result must be
// true or false (AAIF-5-8).
type celProgram struct {
	program cel.Program
	names   []string // the variables of the expression
	tree    ast.Expr
}

// newCEL returns the language. The expression's limits on nesting and nodes apply.
func newCEL(limits Limits) (*cel.Env, error) {
	return cel.NewCustomEnv(
		withoutZones(),
		cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(limits.Expression),
		cel.ParserRecursionLimit(limits.Nesting),
		cel.ParserErrorRecoveryLimit(4),
		cel.ExpressionNodeLimit(4*limits.Expression),
	)
}

func (c *Compiler) compileCEL(text string) (program, *Error) {
	language, err := c.cel()
	if err != nil {
		return nil, failure(Failed, CEL, "%v", err)
	}
	parsed, issues := language.Parse(text)
	if issues.Err() != nil {
		return nil, parseError(issues.Err())
	}
	names := variables(parsed.NativeRep().Expr())
	declared := make([]cel.EnvOption, 0, len(names))
	for _, name := range names {
		declared = append(declared, cel.Variable(name, cel.DynType))
	}
	if language, err = language.Extend(declared...); err != nil {
		return nil, failure(Parse, CEL, "%s", oneLine(err))
	}
	checked, issues := checkHidingTypes(language, parsed)
	if issues.Err() != nil {
		return nil, parseError(issues.Err())
	}
	if t := checked.OutputType(); !t.IsExactType(cel.BoolType) && !t.IsExactType(cel.DynType) {
		return nil, failure(Type, CEL, "the result is of type %s, and not true or false", t)
	}
	p, err := language.Program(checked, cel.CostTracking(costs{c.limits.Steps}), cel.CostLimit(uint64(c.limits.Steps)),
		cel.CustomDecoratorV2(meteredPlan(c.limits)))
	switch {
	case errors.Is(err, errPattern):
		return nil, failure(Limit, CEL, "%v", err)
	case err != nil:
		return nil, failure(Parse, CEL, "%s", oneLine(err))
	}
	return celProgram{p, names, parsed.NativeRep().Expr()}, nil
}

// parseError says why an expression could not be read. Only the library's words tell that
// it nests too deep or has too many parts.
func parseError(err error) *Error {
	line := oneLine(err)
	if strings.Contains(line, "recursion") || strings.Contains(line, "exceeds limit") {
		return failure(Limit, CEL, "the expression is nested too deep, or has too many parts")
	}
	return failure(Parse, CEL, "%s", line)
}

// oneLine returns the first line of CEL's message, without its drawing of the place.
func oneLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimPrefix(line, "ERROR: ")
}

// variables returns the names that an expression takes from outside, in order. A macro's
// variable is among them if the expression also uses it outside the macro.
func variables(e ast.Expr) []string {
	var names []string
	var walk func(ast.Expr, []string)
	walk = func(e ast.Expr, bound []string) {
		switch e.Kind() {
		case ast.IdentKind:
			if name := e.AsIdent(); !slices.Contains(bound, name) && !slices.Contains(typeNames(), name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		case ast.SelectKind:
			walk(e.AsSelect().Operand(), bound)
		case ast.CallKind:
			if e.AsCall().IsMemberFunction() {
				walk(e.AsCall().Target(), bound)
			}
			for _, arg := range e.AsCall().Args() {
				walk(arg, bound)
			}
		case ast.ListKind:
			for _, item := range e.AsList().Elements() {
				walk(item, bound)
			}
		case ast.MapKind:
			for _, entry := range e.AsMap().Entries() {
				walk(entry.AsMapEntry().Key(), bound)
				walk(entry.AsMapEntry().Value(), bound)
			}
		case ast.ComprehensionKind:
			c := e.AsComprehension()
			walk(c.IterRange(), bound)
			walk(c.AccuInit(), bound)
			inner := append(slices.Clip(bound), c.IterVar(), c.IterVar2(), c.AccuVar())
			walk(c.LoopCondition(), inner)
			walk(c.LoopStep(), inner)
			walk(c.Result(), inner)
		}
	}
	walk(e, nil)
	return names
}

// typeNames are CEL's names of types.
func typeNames() []string {
	return []string{"bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"}
}

func (c celProgram) eval(p Payload, m *meter) (bool, error) {
	if !m.spend(p.size / stepBytes) { // the library may rebuild its input
		return false, nil
	}
	result, details, err := c.program.Eval(p.activation())
	if spent := details.ActualCost(); spent != nil {
		m.spend(int(min(*spent, uint64(m.left))))
	}
	var cancelled interpreter.EvalCancelledError
	switch {
	case errors.As(err, &cancelled):
		m.spend(m.left + 1)
		return false, nil
	case err != nil:
		return false, failure(Failed, CEL, "%s", reason(err))
	}
	yes, ok := result.Value().(bool)
	if !ok {
		return false, failure(Type, CEL, "the result is neither true nor false")
	}
	return yes, nil
}

// reason says why an evaluation failed, without repeating the payload.
func reason(err error) string {
	for _, known := range []string{"no such key", "no such attribute", "no such overload", "division by zero", "modulus by zero", "overflow", "index out of bounds"} {
		if strings.Contains(err.Error(), known) {
			return known
		}
	}
	return "the expression failed on this payload"
}

func (c celProgram) reads() scope {
	return scope{names: c.names, fixed: len(c.names) == 0}
}

func (c celProgram) asks() term { return celTerm(c.tree, nil) }
