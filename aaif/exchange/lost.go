package exchange

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// lossAdded is the reason of what comes back though it was never said.
const lossAdded = "comes back from the other format, though the definition does not say it"

// lossOrder is the reason of a list that comes back in another order.
const lossOrder = "comes back in another order"

// Ready returns the tree of a definition that may leave: it is valid, and holds no
// secret (AAIF-12-4). The error is a [codec.ParseError], of AAIF.
func Ready(d aaif.Definition, opt Options) (canon.Value, error) {
	doc := aaif.Document{Kind: aaif.AgentKind, Value: d.Document()}
	if found := aaif.Secrets(doc, aaif.SecretOptions{Allow: opt.Allow}); len(found) > 0 {
		return canon.Value{}, found[0]
	}
	validator, err := aaif.NewValidator(nil)
	if err != nil {
		return canon.Value{}, err
	}
	if refused := aaif.Errors(validator.Validate(doc)); len(refused) > 0 {
		return canon.Value{}, refused[0]
	}
	return doc.Value, nil
}

// Lost lists where a definition differs from what comes back of it, by pointers into the
// definition: what is gone, as a whole where all of it is, what is another, and what came
// to it. Items of lists that have names are told by them. Reasons tell more of some
// pointers and all below them than that there is no place.
func Lost(before, after canon.Value, reasons map[string]string) []codec.Loss {
	c := comparison{reasons: reasons}
	c.compare(before, after, "")
	return sorted(c.found)
}

type comparison struct {
	reasons map[string]string
	found   []codec.Loss
}

func (c *comparison) lose(pointer, reason string) {
	if reason == codec.NoPlace {
		for at := pointer; at != ""; at = parent(at) {
			if r, ok := c.reasons[at]; ok {
				reason = r
				break
			}
		}
	}
	c.found = append(c.found, codec.Loss{Pointer: pointer, Reason: reason + requirement(pointer, "")})
}

func (c *comparison) compare(a, b canon.Value, at string) {
	switch {
	case canon.Identical(a, b) && a.Type() == b.Type():
	case a.Type() == canon.TypeUndefined:
		c.lose(at, lossAdded)
	case a.Type() == canon.TypeObject && (b.Type() == canon.TypeObject && b.Len() > 0 || apart(at) && a.Len() > 0):
		c.objects(a, b, at)
	case a.Type() == canon.TypeArray && (b.Type() == canon.TypeArray && b.Len() > 0 || apart(at) && a.Len() > 0):
		c.lists(a, b, at)
	default:
		c.lose(at, codec.NoPlace)
	}
}

func (c *comparison) objects(a, b canon.Value, at string) {
	inA, inB := index(a), index(b)
	for _, m := range a.Members() {
		c.compare(m.Value, inB[m.Name], at+canon.Pointer(m.Name))
	}
	for _, m := range b.Members() {
		if _, ok := inA[m.Name]; !ok {
			c.lose(at+canon.Pointer(m.Name), lossAdded)
		}
	}
}

// index returns the members of an object by their names.
func index(v canon.Value) map[string]canon.Value {
	all := make(map[string]canon.Value, v.Len())
	for _, m := range v.Members() {
		all[m.Name] = m.Value
	}
	return all
}

func (c *comparison) lists(a, b canon.Value, at string) {
	partners := partner(a.Items(), b.Items())
	found, last := 0, -1
	for i, v := range a.Items() {
		j := partners[i]
		if j < 0 {
			c.compare(v, canon.Value{}, item(at, i))
			continue
		}
		c.compare(v, b.Items()[j], item(at, i))
		if j < last {
			c.lose(at, lossOrder)
		}
		found, last = found+1, j
	}
	if found < b.Len() {
		c.lose(at, lossAdded)
	}
}

// partner finds for each item of a list the one of another list that it is, and -1 of
// none: that of its name where both have names that tell their items apart, or that of
// its place.
func partner(a, b []canon.Value) []int {
	partners := make([]int, len(a))
	names, ok := named(b)
	_, both := named(a)
	for i, v := range a {
		j, found := names[v.Get("name").Text()]
		switch {
		case ok && both && found:
			partners[i] = j
		case ok && both || i >= len(b):
			partners[i] = -1
		default:
			partners[i] = i
		}
	}
	return partners
}

// named returns where each name of a list is, if all items have one of their own.
func named(items []canon.Value) (map[string]int, bool) {
	names := map[string]int{}
	for i, v := range items {
		name := v.Get("name").Text()
		if _, twice := names[name]; name == "" || twice {
			return nil, false
		}
		names[name] = i
	}
	return names, true
}

// apart reports whether losses of what a pointer leads to are listed one by one, even when
// all of it is gone.
func apart(pointer string) bool { return pointer == "" || guarded(pointer) }

// guarded reports whether a pointer leads to what is never dropped in silence.
func guarded(pointer string) bool {
	for _, at := range []string{"/agent/constraints", "/agent/compliance"} {
		if pointer == at || strings.HasPrefix(pointer, at+"/") {
			return true
		}
	}
	return false
}

// requirement names, at the end of a reason, what a loss goes against: what holds for
// constraints and compliance, or the rule given, if any.
func requirement(pointer, rule string) string {
	switch {
	case guarded(pointer):
		return "; whoever runs the agent has to be told [AAIF-3-4] [AAIF-12-6]"
	case rule != "":
		return " [" + rule + "]"
	}
	return ""
}

// item appends the index of an item to a pointer.
func item(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }
