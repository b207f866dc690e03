package condition

import (
	"errors"
	"regexp"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// errSteps is what a call that may not run answers in CEL.
var errSteps = errors.New("no steps left")

// costs prices calls by what they are called with. CEL's own prices go by the
// declared types of arguments, which the members of a payload do not have.
type costs struct{ steps int }

// CallCost implements the estimator of [cel.CostTracking].
func (c costs) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	m := meter{left: c.steps}
	switch function {
	case "_==_", "_!=_", "@in", "_in_":
		for _, arg := range args {
			m.celTree(arg)
		}
	case "_[_]", "_&&_", "_||_", "!_", "_?_:_", "@not_strictly_false":
	default:
		for _, arg := range args {
			m.spend(celText(arg))
		}
		m.spend(celText(result))
	}
	cost := uint64(1 + c.steps - m.left)
	return &cost
}

// celText returns the steps of going over a text.
func celText(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v) / stepBytes
	case types.Bytes:
		return len(v) / stepBytes
	}
	return 0
}

// celTree takes as many steps as a value has values in it.
func (m *meter) celTree(v any) {
	value, ok := v.(ref.Val)
	if !ok || !m.spend(1+celText(value)) {
		return
	}
	switch v := value.(type) {
	case object:
		for _, name := range v.names {
			m.celTree(v.Get(types.String(name)))
		}
	case traits.Lister:
		n, _ := v.Size().(types.Int)
		for i := types.Int(0); i < n && !m.spent(); i++ {
			m.celTree(v.Get(i))
		}
	case traits.Mapper:
		for i := v.Iterator(); i.HasNext() == types.True && !m.spent(); {
			m.celTree(v.Get(i.Next()))
		}
	}
}

// matches is the function of that name, refusing patterns that would take more
// steps than there are.
func matches(limits Limits) cel.EnvOption {
	match := func(text, pattern ref.Val) ref.Val {
		s, isText := text.(types.String)
		p, isPattern := pattern.(types.String)
		if !isText || !isPattern {
			return types.MaybeNoSuchOverloadErr(pattern)
		}
		if n := patternSize(string(p)); n > mostPattern || len(s)*n/stepBytes > limits.Steps {
			return types.WrapErr(errSteps)
		}
		re, err := regexp.Compile(string(p))
		if err != nil {
			return types.NewErr("the pattern is none")
		}
		return types.Bool(re.MatchString(string(s)))
	}
	two := []*cel.Type{cel.StringType, cel.StringType}
	return cel.Function(overloads.Matches, cel.SingletonBinaryBinding(match),
		cel.Overload(overloads.Matches, two, cel.BoolType),
		cel.MemberOverload(overloads.MatchesString, two, cel.BoolType))
}

// withoutZones returns the standard library without what differs between
// machines, functions of time that ask for a zone by its name, and without
// matches.
func withoutZones() cel.EnvOption {
	excluded := []*env.Function{env.NewFunction(overloads.Matches)}
	for name, id := range map[string]string{
		overloads.TimeGetFullYear: overloads.TimestampToYearWithTz, overloads.TimeGetMonth: overloads.TimestampToMonthWithTz,
		overloads.TimeGetDayOfYear: overloads.TimestampToDayOfYearWithTz, overloads.TimeGetDayOfMonth: overloads.TimestampToDayOfMonthZeroBasedWithTz,
		overloads.TimeGetDate: overloads.TimestampToDayOfMonthOneBasedWithTz, overloads.TimeGetDayOfWeek: overloads.TimestampToDayOfWeekWithTz,
		overloads.TimeGetHours: overloads.TimestampToHoursWithTz, overloads.TimeGetMinutes: overloads.TimestampToMinutesWithTz,
		overloads.TimeGetSeconds: overloads.TimestampToSecondsWithTz, overloads.TimeGetMilliseconds: overloads.TimestampToMillisecondsWithTz,
	} {
		excluded = append(excluded, &env.Function{Name: name, Overloads: []*env.Overload{{ID: id}}})
	}
	return cel.StdLib(cel.StdLibSubset(&env.LibrarySubset{ExcludeFunctions: excluded}))
}
