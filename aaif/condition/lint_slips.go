package condition

import (
	"slices"
	"strings"
)

// The codes of what [Compiler.Check] finds in an expression with the definition at hand.
const (
	UnknownTool   Code = "CONDITION_UNKNOWN_TOOL"  // compares the name or the protocol of a tool with what none has
	Contradiction Code = "CONDITION_CONTRADICTION" // asks that a value be two texts at once
)

// Bounds of what is said of one expression: how many findings, and how many comparisons
// with texts are held against each other.
const (
	mostSlips    = 10
	mostCompared = 64
)

// slips looks for what a payload never has: names, tools and arguments.
type slips struct {
	site  Site
	lang  Language
	facts facts
	found []slip
	asked map[question]bool
}

// question is what a part of an expression asks for, where nothing else tells it from others.
type question struct {
	of, name string
	which    string // of arguments: the tools (see facts)
}

type slip struct {
	rule string
	code Code
	text string
}

// slipsOf returns what is wrong with what an expression asks.
func slipsOf(asks term, site Site, lang Language, f facts) []slip {
	s := &slips{site: site, lang: lang, facts: f, asked: map[question]bool{}}
	s.look(asks, f)
	s.contradict(asks)
	return s.found
}

func (s *slips) add(rule string, code Code, text string) {
	if p := (slip{rule, code, text}); text != "" && len(s.found) < mostSlips && !slices.Contains(s.found, p) {
		s.found = append(s.found, p)
	}
}

// anew reports whether something is still to be looked into: what was is not again, and
// nothing is once enough was found.
func (s *slips) anew(q question) bool {
	if len(s.found) >= mostSlips || s.asked[q] {
		return false
	}
	s.asked[q] = true
	return true
}

// look goes through a term. f is what is known where it matters: in what has to hold
// together with the name of a tool, that is the one that is called.
func (s *slips) look(t term, f facts) {
	if len(s.found) >= mostSlips {
		return
	}
	switch t.op {
	case asksFor:
		s.name(t.path, f)
	case is:
		s.name(t.path, f)
		s.value(t.path, t.text)
	case allOf:
		if names, ok := s.tool(t.must); ok {
			f = f.only(names)
		}
	case anyOf:
		if names, ok := s.tool(t.unless); ok {
			f = f.only(names)
		}
	}
	for _, part := range t.terms {
		s.look(part, f)
	}
}

// tool asks for the names of tools, however the language leads there.
func (s *slips) tool(must func(path []string, text bool) ([]string, bool)) ([]string, bool) {
	if s.site != Approval {
		return nil, false
	}
	names, ok := must([]string{"tool", "name"}, true)
	if !ok && s.lang == CEL {
		names, ok = must([]string{wholePayload, "tool", "name"}, true)
	}
	return names, ok
}

// contract returns a path without the name that CEL has for the payload as a whole.
func (s *slips) contract(path []string) []string {
	if s.lang == CEL && len(path) > 0 && path[0] == wholePayload && !slices.Contains(namesAt(s.site), wholePayload) {
		return path[1:]
	}
	return path
}

// name tells a name that the payload never has where the path leads.
func (s *slips) name(full []string, f facts) {
	path, known := s.contract(full), namesAt(s.site)
	if len(path) == 0 || known == nil || path[0] == anyStep {
		return
	}
	if !slices.Contains(known, path[0]) {
		if len(path) < len(full) { // else it is told with the names of the payload
			s.add("5-21", UnknownName, "the payload of "+string(s.site)+" has no "+told(path[0])+"; it has "+strings.Join(known, ", "))
		}
		return
	}
	if len(path) == 1 || path[1] == anyStep {
		return
	}
	q := question{of: path[0], name: path[1]}
	if path[0] == "args" {
		q.which = f.which
	}
	if !s.anew(q) {
		return
	}
	switch at := path[1]; {
	case path[0] == "tool" && at != "name" && at != "protocol":
		s.add("5-21", UnknownName, "tool has no "+told(at)+asked(at, []string{"name", "protocol"}))
	case path[0] == "outputs" && s.facts.given && !slices.Contains(s.facts.outputs, at):
		s.add("5-21", UnknownName, "no subagent is called "+told(at)+", and outputs has none of it"+asked(at, s.facts.outputs))
	case path[0] == "args":
		s.add("5-21", UnknownName, f.argument(at))
	}
}

// value tells a text that the name of a tool, or its protocol, never is.
func (s *slips) value(full []string, text string) {
	f := s.facts
	path := s.contract(full)
	if s.site != Approval || len(path) != 2 || path[0] != "tool" || !s.anew(question{of: "tool." + path[1], name: text}) {
		return
	}
	name := (path[1] == "name" || path[1] == anyStep) && f.called(text)
	protocol := (path[1] == "protocol" || path[1] == anyStep) && f.spoken(text)
	switch {
	case name || protocol:
	case path[1] == "protocol":
		s.add("5-21", UnknownTool, "no tool has the protocol "+told(text)+asked(text, protocols()))
	case path[1] == "name" || path[1] == anyStep:
		s.add("5-21", UnknownTool, "the definition has no tool "+told(text)+asked(text, f.names()))
	}
}

// contradict tells values that would have to be two texts at once.
func (s *slips) contradict(whole term) {
	if len(s.found) >= mostSlips {
		return
	}
	if paths, ok := whole.compared(mostCompared); ok {
		s.together(whole, paths, whole.op == allOf)
	}
}

// together looks for contradictions in what has to hold together: in a term that is not
// itself part of such a one.
func (s *slips) together(t term, paths [][]string, outermost bool) {
	for _, path := range paths {
		if !outermost || len(path) == 0 {
			continue
		}
		at := s.contract(path)
		text := s.site == Approval && len(at) == 2 && at[0] == "tool"
		if texts, ok := t.must(path, text); ok && len(texts) == 0 {
			s.add("5-16", Contradiction, "asks that "+told(strings.TrimSuffix(strings.Join(at, "."), "."+anyStep))+" be two texts at once, which is never true")
		}
	}
	for _, part := range t.terms {
		s.together(part, paths, part.op == allOf && t.op != allOf)
	}
}
