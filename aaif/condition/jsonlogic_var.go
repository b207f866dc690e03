package condition

import (
	"strconv"
	"strings"
)

// variable returns the value under a dotted name of the data, or the default. Without a
// name it returns the data itself.
func variable(a arguments) any {
	name := a.at(0)
	if name == nil || name == "" {
		return a.data
	}
	if found := lookup(a.data, a.meter.text(name)); found != nil {
		return found
	}
	return a.at(1)
}

func lookup(data any, name string) any {
	for step := range strings.SplitSeq(name, ".") {
		switch at := data.(type) {
		case map[string]any:
			data = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			data = at[i]
		default:
			return nil
		}
	}
	return data
}

// listOf returns the first argument if it is a list, or else the arguments.
func listOf(values []any) []any {
	if len(values) > 0 {
		if list, ok := values[0].([]any); ok {
			return list
		}
	}
	return values
}

// missing lists the names without a value in the data.
func missing(a arguments, names []any) []any {
	out := []any{}
	for _, name := range names {
		s := a.meter.text(name)
		if !a.meter.spend(1 + len(s)/stepBytes) {
			return out
		}
		if v := lookup(a.data, s); v == nil || v == "" {
			out = append(out, name)
		}
	}
	return out
}

// missingSome lists the missing names if fewer than a minimum are present.
func missingSome(a arguments) any {
	names, _ := a.at(1).([]any)
	gone := missing(a, names)
	if float64(len(names)-len(gone)) >= a.number(0) {
		return []any{}
	}
	return gone
}
