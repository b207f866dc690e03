package condition

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/jmespath-community/go-jmespath/pkg/interpreter"
)

// caller calls the functions of JMESPath, and charges for each call beforehand. It serves
// one decision.
type caller struct {
	library interpreter.FunctionCaller
	meter   *meter
}

// CallFunction implements [interpreter.FunctionCaller].
func (c caller) CallFunction(name string, args []any) (any, error) {
	if strings.HasPrefix(name, "#") {
		return c.chargeFor(name, args[0], args[1].(int))
	}
	if !c.meter.spend(c.cost(name, args)) {
		return nil, errors.New("no steps left")
	}
	switch name {
	case "keys", "values", "items":
		if object, ok := first(args).(map[string]any); ok && len(args) == 1 {
			return members(name, object), nil
		}
	case "sort_by": // the library sorts in place
		if list, ok := first(args).([]any); ok {
			args[0] = slices.Clone(list)
		}
	}
	return c.library.CallFunction(name, args)
}

func first(args []any) any {
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// members lists the members of an object by name. The library has no fixed order.
func members(name string, object map[string]any) []any {
	list := make([]any, 0, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		switch name {
		case "keys":
			list = append(list, key)
		case "items":
			list = append(list, []any{key, object[key]})
		default:
			list = append(list, object[key])
		}
	}
	return list
}

// chargeFor charges for the next operation on v, and returns v.
func (c caller) chargeFor(name string, v any, n int) (any, error) {
	ok := true
	switch name {
	case callEach:
		if list, is := v.([]any); is {
			ok = c.meter.spend(len(list) * n)
		} else {
			ok = c.meter.spend(weight(v))
		}
	case callFlat:
		list, _ := v.([]any)
		for _, item := range list {
			ok = ok && c.meter.spend(weight(item))
		}
	case callTree:
		ok = c.meter.tree(v)
	case callCut:
		text, _ := v.(string)
		ok = c.meter.spend(len(text) / 2)
	case callStep:
		ok = c.meter.spend(n)
	case callValues:
		object, is := v.(map[string]any)
		if !is {
			return nil, nil
		}
		if ok = c.meter.spend(sortSteps * len(object)); !ok {
			break
		}
		return members("values", object), nil
	}
	if !ok {
		return nil, errors.New("no steps left")
	}
	return v, nil
}

// sortSteps is the steps of sorting one item.
const sortSteps = 16

// cost returns the steps of a call: one pass over its arguments, and more for functions
// that enlarge them. It is negative for a call that is refused.
func (c caller) cost(name string, args []any) int {
	cost := 1
	for _, arg := range args {
		cost += weight(arg)
	}
	switch name {
	case "to_string", "contains":
		for _, arg := range args {
			c.meter.tree(arg)
		}
	case "pad_left", "pad_right":
		return cost + padSteps(args)
	case "trim", "trim_left", "trim_right":
		return cost + trimSteps(args)
	case "replace", "join", "split":
		return cost + growSteps(name, args)
	case "sort", "sort_by", "keys", "values", "items":
		return cost * sortSteps
	case "merge", "max", "min", "sum", "avg", "from_items", "zip":
		return cost * 4
	}
	return cost
}

// padSteps returns the steps of padding a string.
func padSteps(args []any) int {
	if len(args) < 2 {
		return 0
	}
	width, _ := args[1].(float64)
	if math.IsNaN(width) || width > 1<<30 {
		return -1 << 40
	}
	return max(0, int(width)) / stepBytes
}

// trimSteps returns the steps of searching each character of one text in another.
func trimSteps(args []any) int {
	if len(args) < 2 {
		return 0
	}
	text, _ := args[0].(string)
	cut, _ := args[1].(string)
	return len(text) * len(cut) / stepBytes
}

// growSteps returns the steps of building the longest result of these functions.
func growSteps(name string, args []any) int {
	texts, items := 0, 1
	longest := 0
	for _, arg := range args {
		switch arg := arg.(type) {
		case string:
			texts += len(arg)
			longest = max(longest, len(arg))
		case []any:
			items += len(arg)
			for _, item := range arg {
				if s, ok := item.(string); ok {
					texts += len(s)
				}
			}
		}
	}
	switch name {
	case "join": // the separator between all items
		return (texts + longest*items) / stepBytes
	case "split": // at worst an item per byte
		return texts
	}
	if old, ok := args[1].(string); len(args) > 2 && ok && len(old) > 0 {
		longest /= len(old)
	}
	return texts/stepBytes + texts*longest/stepBytes
}
