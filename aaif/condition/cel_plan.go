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

// metering puts what counts around the parts of a plan that make values larger,
// so that whatever goes through a value later can go through all of it: a value
// that stands in another one twice counts twice, when it is put there.
func metering(limits Limits) interpreter.InterpretableDecoratorV2 {
	return func(part interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		switch part := part.(type) {
		case interpreter.InterpretableConstructor:
			return built{part}, nil
		case interpreter.InterpretableCall:
			switch part.Function() {
			case operators.Add:
				return joined{part}, nil
			case overloads.Matches:
				return newMatch(part, limits)
			}
		}
		return part, nil
	}
}

// stepsCall is the name under which [costs] is told of steps.
const stepsCall = "#steps"

// announcement is what steps are told in. It implements cost.Call.
type announcement struct{}

func (announcement) Function() string   { return stepsCall }
func (announcement) OverloadID() string { return stepsCall }

// charge takes steps. The evaluation ends where they are not left.
func charge(frame *interpreter.ExecutionFrame, id int64, steps int) {
	if tracker := frame.CostTracker(); tracker != nil {
		tracker.EvalUnary(frame, id, announcement{}, types.Int(steps), types.True)
	}
}

// built is a list or a map in an expression. It costs as much as it holds.
type built struct {
	interpreter.InterpretableConstructor
}

// Exec implements [interpreter.InterpretableV2].
func (b built) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := b.InterpretableConstructor.Exec(frame)
	if tracker := frame.CostTracker(); tracker != nil {
		tracker.EvalUnary(frame, b.ID(), construction{}, v, v)
	}
	return v
}

// constructionCall is the name under which [costs] is told of a new value.
const constructionCall = "#built"

type construction struct{}

func (construction) Function() string   { return constructionCall }
func (construction) OverloadID() string { return constructionCall }

// joined is a sum. Where it is one of lists it becomes a list of its own: the
// library would keep both and look into one after the other, again and again.
type joined struct {
	interpreter.InterpretableCall
}

// Exec implements [interpreter.InterpretableV2].
func (j joined) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := j.InterpretableCall.Exec(frame)
	list, ok := v.(traits.Lister)
	if _, growing := v.(traits.MutableLister); !ok || growing {
		return v // a macro's own list, and what joins it has been counted
	}
	n, _ := list.Size().(types.Int)
	charge(frame, j.ID(), int(n))
	items := make([]ref.Val, n)
	for i := range items {
		items[i] = list.Get(types.Int(i))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, items)
}

// match is a call of matches. A pattern that stands in the expression is compiled
// once; any other costs what compiling it takes.
type match struct {
	interpreter.InterpretableCall
	limits        Limits
	text, pattern interpreter.InterpretableV2
	fixed         *regexp.Regexp
	size          int // of what is fixed
}

func newMatch(call interpreter.InterpretableCall, limits Limits) (interpreter.InterpretableV2, error) {
	args := call.Args()
	if len(args) != 2 {
		return call, nil
	}
	m := match{InterpretableCall: call, limits: limits, text: args[0], pattern: args[1]}
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
func (m match) Exec(frame *interpreter.ExecutionFrame) ref.Val {
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
		charge(frame, m.ID(), patternSteps+len(p))
		if size = patternSize(string(p)); size > mostPattern {
			charge(frame, m.ID(), m.limits.Steps+1)
		}
		charge(frame, m.ID(), size*patternSteps)
		var err error
		if re, err = regexp.Compile(string(p)); err != nil {
			return types.NewErr("the pattern is none")
		}
	}
	charge(frame, m.ID(), 1+len(s)*size/stepBytes)
	return types.Bool(re.MatchString(string(s)))
}
