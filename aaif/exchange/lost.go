package exchange

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// lossAdded is the reason for members that come back although the definition lacked them.
const lossAdded = "comes back from the other format, though the definition does not say it"

// lossOrder is the reason for a list that comes back in another order.
const lossOrder = "comes back in another order"

// Ready returns the tree of an exportable definition: it is valid and holds no secret
// (AAIF-12-4). The error is a [codec.ParseError] of AAIF.
func Ready(d aaif.Definition, opt Options) (canon.Value, error) {
	doc := aaif.Document{Kind: aaif.AgentKind, Value: d.Document()}
	if found := privacy.Secrets(doc, privacy.SecretOptions{Allow: opt.Allow}); len(found) > 0 {
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

// Lost lists how a definition differs from what came back of it, by pointers into the
// definition. They are removed members (a whole object if all of it is gone),
// changed members and added members. List items are matched by name if they have names. For
// losses at and below some pointers, reasons explains more than "no place".
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
	case a.Type() == canon.TypeObject && (b.Type() == canon.TypeObject && b.Len() > 0 || isListedApart(at) && a.Len() > 0):
		c.objects(a, b, at)
	case a.Type() == canon.TypeArray && (b.Type() == canon.TypeArray && b.Len() > 0 || isListedApart(at) && a.Len() > 0):
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

// partner returns for each item of a list the index of its match in another list, or -1. It
// matches by name if both lists have unique names, else by position.
func partner(a, b []canon.Value) []int {
	partners := make([]int, len(a))
	names, ok := byName(b)
	_, both := byName(a)
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

// byName returns the index of each name in a list, if every item has a unique name.
func byName(items []canon.Value) (map[string]int, bool) {
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

// isListedApart reports whether losses under a pointer are listed one by one, even if
// everything there is gone.
func isListedApart(pointer string) bool { return pointer == "" || isGuarded(pointer) }

// isGuarded reports whether a pointer leads to a member that nobody may drop silently.
func isGuarded(pointer string) bool {
	for _, at := range []string{"/agent/constraints", "/agent/compliance"} {
		if pointer == at || strings.HasPrefix(pointer, at+"/") {
			return true
		}
	}
	return false
}

// requirement returns the requirement that a loss violates, for the end of a reason. It is
// the one for constraints and compliance, or the given rule.
func requirement(pointer, rule string) string {
	switch {
	case isGuarded(pointer):
		return "; whoever runs the agent has to be told [AAIF-3-4] [AAIF-12-6]"
	case rule != "":
		return " [" + rule + "]"
	}
	return ""
}

// item appends the index of an item to a pointer.
func item(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }
