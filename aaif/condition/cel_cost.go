package condition

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// costs prices calls by their actual arguments. CEL's own prices depend on declared
// types, which the members of a payload do not have.
type costs struct{ steps int }

// CallCost implements the estimator of [cel.CostTracking].
func (c costs) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	m := meter{left: c.steps}
	switch function {
	case stepsCall:
		n, _ := args[0].(types.Int)
		m.spend(int(n))
	case constructionCall:
		m.celTree(args[0])
	case "_==_", "_!=_", "@in", "_in_":
		for _, arg := range args {
			m.celTree(arg)
		}
	case operators.Add:
		m.celSum(args, result)
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

// celText returns the steps of reading a text once.
func celText(v ref.Val) int {
	switch v := v.(type) {
	case types.String:
		return len(v) / stepBytes
	case types.Bytes:
		return len(v) / stepBytes
	}
	return 0
}

// celSum charges for a sum. A sum of lists costs its right operand: the left one is paid
// for already. A macro's sums with its own list are paid for, too.
func (m *meter) celSum(args []ref.Val, result ref.Val) {
	if _, growing := result.(traits.MutableLister); growing {
		return
	}
	if _, list := result.(traits.Lister); list {
		m.celTree(args[1])
		return
	}
	m.spend(celText(result))
}

// celTree charges a step for each value inside a value.
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
			key := i.Next()
			m.spend(celText(key))
			m.celTree(v.Get(key))
		}
	}
}

// withoutZones returns the standard library without functions that depend on the machine:
// those that look a time zone up by name.
func withoutZones() cel.EnvOption {
	var excluded []*env.Function
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
