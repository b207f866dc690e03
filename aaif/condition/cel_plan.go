package condition

import (
	"regexp"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// meteredPlan adds counters to the parts of a plan that make values larger. A value that
// stands in another twice counts twice, when it is put there, so that every later pass
// over the value is paid for.
func meteredPlan(limits Limits) interpreter.InterpretableDecoratorV2 {
	return func(part interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		switch part := part.(type) {
		case interpreter.InterpretableConstructor:
			return meteredLiteral{part}, nil
		case interpreter.InterpretableCall:
			switch part.Function() {
			case operators.Add:
				return meteredSum{part}, nil
			case overloads.Matches:
				return newMatch(part, limits)
			}
		}
		return part, nil
	}
}

// stepsCall is the name under which [costs] gets steps.
const stepsCall = "#steps"

// announcement carries steps to [costs]. It implements cost.Call.
type announcement struct{}

func (announcement) Function() string   { return stepsCall }
func (announcement) OverloadID() string { return stepsCall }

// chargeSteps takes steps, and ends the evaluation if there are too few left.
func chargeSteps(frame *interpreter.ExecutionFrame, id int64, steps int) {
	if tracker := frame.CostTracker(); tracker != nil {
		tracker.EvalUnary(frame, id, announcement{}, types.Int(steps), types.True)
	}
}

// meteredLiteral is a list or a map in an expression. It costs as much as it holds.
type meteredLiteral struct {
	interpreter.InterpretableConstructor
}

// Exec implements [interpreter.InterpretableV2].
func (b meteredLiteral) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := b.InterpretableConstructor.Exec(frame)
	if tracker := frame.CostTracker(); tracker != nil {
		tracker.EvalUnary(frame, b.ID(), construction{}, v, v)
	}
	return v
}

// constructionCall is the name under which [costs] gets a new value.
const constructionCall = "#built"

type construction struct{}

func (construction) Function() string   { return constructionCall }
func (construction) OverloadID() string { return constructionCall }

// meteredSum is a sum. It copies a sum of lists: the library would keep both lists and
// search one after the other, again and again.
type meteredSum struct {
	interpreter.InterpretableCall
}

// Exec implements [interpreter.InterpretableV2].
func (j meteredSum) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := j.InterpretableCall.Exec(frame)
	list, ok := v.(traits.Lister)
	if _, growing := v.(traits.MutableLister); !ok || growing {
		return v // a macro's own list, already paid for
	}
	n, _ := list.Size().(types.Int)
	chargeSteps(frame, j.ID(), int(n))
	items := make([]ref.Val, n)
	for i := range items {
		items[i] = list.Get(types.Int(i))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, items)
}

// meteredMatch is a call of matches. A pattern written in the expression is compiled
// once; any other costs its compilation.
type meteredMatch struct {
	interpreter.InterpretableCall
	limits        Limits
	text, pattern interpreter.InterpretableV2
	fixed         *regexp.Regexp
	size          int // the size of a fixed pattern
}

func newMatch(call interpreter.InterpretableCall, limits Limits) (interpreter.InterpretableV2, error) {
	args := call.Args()
	if len(args) != 2 {
		return call, nil
	}
	m := meteredMatch{InterpretableCall: call, limits: limits, text: args[0], pattern: args[1]}
	fixed, ok := args[1].(interpreter.InterpretableConst)
	if !ok {
		return m, nil
	}
	pattern, _ := fixed.Value().(types.String)
	if m.size = patternSize(string(pattern)); m.size > mostPattern {
		return nil, errPattern
	}
	var err error
	m.fixed, err = regexp.Compile(string(pattern))
	return m, err
}

// Exec implements [interpreter.InterpretableV2].
func (m meteredMatch) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	text := m.text.Exec(frame)
	if types.IsUnknownOrError(text) {
		return text
	}
	pattern := m.pattern.Exec(frame)
	if types.IsUnknownOrError(pattern) {
		return pattern
	}
	s, isText := text.(types.String)
	p, isPattern := pattern.(types.String)
	if !isText || !isPattern {
		return types.MaybeNoSuchOverloadErr(text)
	}
	re, size := m.fixed, m.size
	if re == nil {
		chargeSteps(frame, m.ID(), patternSteps+len(p))
		if size = patternSize(string(p)); size > mostPattern {
			chargeSteps(frame, m.ID(), m.limits.Steps+1)
		}
		chargeSteps(frame, m.ID(), size*patternSteps)
		var err error
		if re, err = regexp.Compile(string(p)); err != nil {
			return types.NewErr("the pattern is none")
		}
	}
	chargeSteps(frame, m.ID(), 1+len(s)*size/stepBytes)
	return types.Bool(re.MatchString(string(s)))
}
