package condition

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// rule is a compiled JsonLogic rule. An error is an *Error, and always from the meter.
type rule func(m *meter, data any) (any, bool)

// logicProgram is a rule, and the parts of the payload that it looks at.
type logicProgram struct {
	run   rule
	scope scope
	expr  canon.Value
}

// compileLogic compiles a rule object, or true or false. It knows the operators of
// jsonlogic.com except log, and refuses all others. It also refuses an object with
// several members in place of a rule, which would always be true.
func compileLogic(expr canon.Value, limits Limits) (program, *Error) {
	c := logicCompiler{nesting: limits.Nesting, scope: scope{fixed: true}}
	if expr.Type() == canon.TypeObject && expr.Len() != 1 {
		return nil, failure(Parse, JSONLogic, "a rule is an object of one member, the operator")
	}
	run, err := c.compile(expr, 0, true)
	if err != nil {
		return nil, err
	}
	return logicProgram{run, c.scope, expr}, nil
}

func (l logicProgram) eval(p Payload, m *meter) (bool, error) {
	result, ok := l.run(m, p.object())
	return ok && truthy(result), nil
}

func (l logicProgram) reads() scope { return l.scope }
func (l logicProgram) asks() term   { return logicTerm(l.expr) }

// truthy reports whether JsonLogic counts a value as true: all but false, null, 0, "" and
// [] (AAIF-5-9).
func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0 && v == v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	}
	return true
}

type logicCompiler struct {
	nesting int
	scope   scope
}

// compile compiles a rule or a value. outer says that its data is the payload, and not an
// item of a list.
func (c *logicCompiler) compile(v canon.Value, depth int, outer bool) (rule, *Error) {
	if depth > c.nesting {
		return nil, failure(Limit, JSONLogic, "rules lie more than %d deep", c.nesting)
	}
	switch {
	case v.Type() == canon.TypeArray:
		return c.list(v, depth, outer)
	case v.Type() == canon.TypeObject && v.Len() == 1:
		return c.operation(v.Members()[0], depth, outer)
	}
	b := builder{bytes: 1 << 30, values: 1 << 30}
	plain, ok := b.build(v, c.nesting)
	if !ok {
		return nil, failure(Limit, JSONLogic, "a value is nested more than %d deep", c.nesting)
	}
	return func(m *meter, _ any) (any, bool) { return plain, m.spend(1) }, nil
}

func (c *logicCompiler) list(v canon.Value, depth int, outer bool) (rule, *Error) {
	items, err := c.all(v.Items(), depth, outer)
	if err != nil {
		return nil, err
	}
	return func(m *meter, data any) (any, bool) {
		list, ok := runAll(items, m, data)
		return list, ok
	}, nil
}

func (c *logicCompiler) all(values []canon.Value, depth int, outer bool) ([]rule, *Error) {
	rules := make([]rule, 0, len(values))
	for _, v := range values {
		r, err := c.compile(v, depth+1, outer)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// runAll runs rules on the same data.
func runAll(rules []rule, m *meter, data any) ([]any, bool) {
	results := make([]any, 0, len(rules))
	for _, r := range rules {
		v, ok := r(m, data)
		if !ok {
			return nil, false
		}
		results = append(results, v)
	}
	return results, m.spend(1 + len(rules))
}

// operation compiles an operator and its arguments. A single argument may stand without a
// list.
func (c *logicCompiler) operation(op canon.Member, depth int, outer bool) (rule, *Error) {
	args := []canon.Value{op.Value}
	if op.Value.Type() == canon.TypeArray {
		args = op.Value.Items()
	}
	if scoped, ok := logicScoped()[op.Name]; ok {
		return c.perItem(scoped, args, depth, outer)
	}
	if op.Name == "var" || op.Name == "missing" || op.Name == "missing_some" {
		c.note(op.Name, args, outer)
	}
	if lazy, ok := lazyOperators()[op.Name]; ok {
		rules, err := c.all(args, depth, outer)
		if err != nil {
			return nil, err
		}
		return func(m *meter, data any) (any, bool) { return lazy(rules, m, data) }, nil
	}
	operator, ok := logicOperators()[op.Name]
	if !ok {
		return nil, failure(Parse, JSONLogic, "there is no operator %q", op.Name)
	}
	rules, err := c.all(args, depth, outer)
	if err != nil {
		return nil, err
	}
	return func(m *meter, data any) (any, bool) {
		values, ok := runAll(rules, m, data)
		if !ok {
			return nil, false
		}
		result := operator(arguments{m, data, values})
		return result, !m.spent()
	}, nil
}

// note records what a rule reads from the payload.
func (c *logicCompiler) note(op string, args []canon.Value, outer bool) {
	c.scope.fixed = false
	if !outer {
		return
	}
	if op != "var" || len(args) == 0 || args[0].Type() != canon.TypeString || args[0].Text() == "" {
		c.scope.open = true
		return
	}
	name, _, _ := strings.Cut(args[0].Text(), ".")
	c.scope.names = append(c.scope.names, name)
}

// perItem compiles an operator that runs a rule for each item of a list.
func (c *logicCompiler) perItem(op func(itemCall) (any, bool), args []canon.Value, depth int, outer bool) (rule, *Error) {
	for len(args) < 3 {
		args = append(args[:len(args):len(args)], canon.Null())
	}
	list, err := c.compile(args[0], depth+1, outer)
	if err != nil {
		return nil, err
	}
	each, err := c.compile(args[1], depth+1, false)
	if err != nil {
		return nil, err
	}
	start, err := c.compile(args[2], depth+1, outer)
	if err != nil {
		return nil, err
	}
	return func(m *meter, data any) (any, bool) {
		v, ok := list(m, data)
		if !ok {
			return nil, false
		}
		items, _ := v.([]any)
		return op(itemCall{m, data, items, each, start})
	}, nil
}
