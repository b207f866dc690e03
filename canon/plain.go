package canon

import "math"

// Plain returns a value in the types of Go that libraries take: nil, bool, string, []any,
// map[string]any, and for numbers what number makes of them, such as [Double].
func (v Value) Plain(number func(Value) any) any {
	switch v.typ {
	case TypeBool:
		return v.True()
	case TypeNumber:
		return number(v)
	case TypeString:
		return v.Text()
	case TypeArray:
		list := make([]any, v.Len())
		for i, item := range v.Items() {
			list[i] = item.Plain(number)
		}
		return list
	case TypeObject:
		object := make(map[string]any, v.Len())
		for _, m := range v.Members() {
			object[m.Name] = m.Value.Plain(number)
		}
		return object
	}
	return nil
}

// Double returns a number as an int64 if a double holds it exactly as an integer, and else
// as the nearest float64. That bounds what calculations with it cost.
func Double(v Value) any {
	f := v.Float()
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return int64(f)
	}
	return f
}
