package assistants

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostNamed is the most members of a tool that a loss names.
const mostNamed = 12

// noteGone records a function that the assistant no longer has, perhaps because it was
// renamed. Its carried members, such as rate limits, are lost with it (AAIF-3-4).
func (r *reader) noteGone(t canon.Value) {
	name := t.Get("name").Text()
	r.gone = append(r.gone, name)
	var held []string
	for _, m := range t.Without("name").Members() {
		if len(held) < mostNamed {
			held = append(held, exchange.Printable(m.Name))
		}
	}
	if len(held) > 0 {
		slices.Sort(held)
		r.source.Lose("/metadata/"+carryKey, "what is carried of the tool "+exchange.Printable(name)+" ("+strings.Join(held, ", ")+
			"): the assistant has no function of that name any more [AAIF-3-4]")
	}
}

// brokenConditions lists the conditions of compliance that name a removed function. They
// may have required approval of it, and do not of its replacement (AAIF-12-6).
func brokenConditions(d aaif.Definition, gone []string) []codec.Loss {
	var lost []codec.Loss
	has := map[string]bool{}
	for _, t := range d.Agent.Tools {
		has[t.Name] = true
	}
	for _, g := range d.Conditions() {
		if !strings.HasPrefix(g.Pointer, "/agent/compliance/") || len(gone) == 0 {
			continue
		}
		said := map[string]bool{}
		words(g.Condition.Value.Get("expr"), said)
		for _, name := range gone {
			if said[name] && !has[name] {
				lost = append(lost, codec.Loss{Pointer: g.Pointer, Reason: "the condition names the tool " + exchange.Printable(name) +
					", of which the assistant has no function any more: what has another name now is not held to it [AAIF-3-4] [AAIF-12-6]"})
				said[name] = false
			}
		}
	}
	return lost
}

// words collects possible tool names in the texts of a value, in any condition language
// (section 4.4).
func words(v canon.Value, into map[string]bool) {
	other := func(c rune) bool {
		return c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	}
	for _, word := range strings.FieldsFunc(v.Text(), other) {
		into[word] = true
	}
	for _, inner := range v.Items() {
		words(inner, into)
	}
	for _, m := range v.Members() {
		words(m.Value, into)
	}
}
