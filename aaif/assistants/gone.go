package assistants

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostNamed bounds how many members of a tool a loss names.
const mostNamed = 12

// left notes a function that the assistant has no more, which may have another name by
// now: what is carried of it goes with it, such as how often it may be called (AAIF-3-4).
func (r *reader) left(t canon.Value) {
	name := t.Get("name").Text()
	r.gone = append(r.gone, name)
	var held []string
	for _, m := range t.Without("name").Members() {
		if len(held) < mostNamed {
			held = append(held, exchange.Named(m.Name))
		}
	}
	if len(held) > 0 {
		slices.Sort(held)
		r.source.Lose("/metadata/"+carryKey, "what is carried of the tool "+exchange.Named(name)+" ("+strings.Join(held, ", ")+
			"): the assistant has no function of that name any more [AAIF-3-4]")
	}
}

// unguarded lists the conditions of compliance that name a function that is gone: they
// may have asked for approval of it, and do not of what took its place (AAIF-12-6).
func unguarded(d aaif.Definition, gone []string) []codec.Loss {
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
				lost = append(lost, codec.Loss{Pointer: g.Pointer, Reason: "the condition names the tool " + exchange.Named(name) +
					", of which the assistant has no function any more: what has another name now is not held to it [AAIF-3-4] [AAIF-12-6]"})
				said[name] = false
			}
		}
	}
	return lost
}

// words collects what may be names of tools in the texts of a value, in whatever language
// they are (section 4.4).
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
