package condition

// itemCall is an operator that runs a rule for each item. The rule sees the item as its
// data.
type itemCall struct {
	meter *meter
	data  any
	items []any
	each  rule
	start rule // for reduce
}

func logicScoped() map[string]func(itemCall) (any, bool) {
	return map[string]func(itemCall) (any, bool){
		"map":    mapItems,
		"filter": filterItems,
		"reduce": reduceItems,
		"all":    func(c itemCall) (any, bool) { n, ok := c.count(false); return ok && n == 0 && len(c.items) > 0, ok },
		"none":   func(c itemCall) (any, bool) { n, ok := c.count(true); return ok && n == 0, ok },
		"some":   func(c itemCall) (any, bool) { n, ok := c.count(true); return ok && n > 0, ok },
	}
}

// count returns 1 if the rule returns want for some item, else 0.
func (c itemCall) count(want bool) (int, bool) {
	for _, item := range c.items {
		v, ok := c.each(c.meter, item)
		if !ok {
			return 0, false
		}
		if truthy(v) == want {
			return 1, true
		}
	}
	return 0, c.meter.spend(1)
}

func mapItems(c itemCall) (any, bool) {
	out := []any{}
	for _, item := range c.items {
		v, ok := c.each(c.meter, item)
		if !ok {
			return nil, false
		}
		out = append(out, v)
	}
	return out, c.meter.spend(1 + len(out))
}

func filterItems(c itemCall) (any, bool) {
	out := []any{}
	for _, item := range c.items {
		v, ok := c.each(c.meter, item)
		if !ok {
			return nil, false
		}
		if truthy(v) {
			out = append(out, item)
		}
	}
	return out, c.meter.spend(1 + len(out))
}

func reduceItems(c itemCall) (any, bool) {
	sum, ok := c.start(c.meter, c.data)
	for _, item := range c.items {
		if !ok {
			return nil, false
		}
		sum, ok = c.each(c.meter, map[string]any{"current": item, "accumulator": sum})
	}
	return sum, ok && c.meter.spend(1)
}

// lazyOperators are the operators that do not run all their arguments.
func lazyOperators() map[string]func([]rule, *meter, any) (any, bool) {
	return map[string]func([]rule, *meter, any) (any, bool){
		"and": func(rules []rule, m *meter, data any) (any, bool) { return until(rules, m, data, false) },
		"or":  func(rules []rule, m *meter, data any) (any, bool) { return until(rules, m, data, true) },
		"if":  choose,
		"?:":  choose,
	}
}

// until runs rules up to the first whose truth equals stop, and returns the last result.
func until(rules []rule, m *meter, data any, stop bool) (result any, ok bool) {
	ok = m.spend(1)
	for _, r := range rules {
		if result, ok = r(m, data); !ok || truthy(result) == stop {
			return result, ok
		}
	}
	return result, ok
}

// choose returns the value after the first condition that holds. Conditions and values
// alternate, and a last value stands for everything else.
func choose(rules []rule, m *meter, data any) (any, bool) {
	for len(rules) > 1 {
		v, ok := rules[0](m, data)
		if !ok {
			return nil, false
		}
		if truthy(v) {
			return rules[1](m, data)
		}
		rules = rules[2:]
	}
	if len(rules) == 0 {
		return nil, m.spend(1)
	}
	return rules[0](m, data)
}
