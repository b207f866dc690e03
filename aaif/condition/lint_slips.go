package condition

import (
	"slices"
	"strings"
)

// The codes that [Compiler.Check] adds with the definition at hand.
const (
	UnknownTool   Code = "CONDITION_UNKNOWN_TOOL"  // compares a tool's name or protocol with an unknown one
	Contradiction Code = "CONDITION_CONTRADICTION" // requires one value to be two texts
)

// The most findings for one expression, and the most comparisons with texts that are
// checked against each other.
const (
	mostSlips    = 10
	mostCompared = 64
)

// slipFinder looks for names, tools and arguments that a payload never has.
type slipFinder struct {
	site  Site
	lang  Language
	facts facts
	found []slip
	asked map[question]bool
}

// question identifies what a part of an expression asks for.
type question struct {
	of, name string
	which    string // for arguments: the tools (see facts)
}

type slip struct {
	rule string
	code Code
	text string
}

// slipsOf returns what is wrong with an expression.
func slipsOf(asks term, site Site, lang Language, f facts) []slip {
	s := &slipFinder{site: site, lang: lang, facts: f, asked: map[question]bool{}}
	s.look(asks, f)
	s.contradict(asks)
	return s.found
}

func (s *slipFinder) add(rule string, code Code, text string) {
	if p := (slip{rule, code, text}); text != "" && len(s.found) < mostSlips && !slices.Contains(s.found, p) {
		s.found = append(s.found, p)
	}
}

// isNew reports whether a question still has to be answered: it was not asked before, and
// there are not enough findings yet.
func (s *slipFinder) isNew(q question) bool {
	if len(s.found) >= mostSlips || s.asked[q] {
		return false
	}
	s.asked[q] = true
	return true
}

// look searches a term. f holds the facts for that term: beside a tool's name they are
// those of that tool.
func (s *slipFinder) look(t term, f facts) {
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

// tool checks the names of tools, however the language reads them.
func (s *slipFinder) tool(must func(path []string, text bool) ([]string, bool)) ([]string, bool) {
	if s.site != Approval {
		return nil, false
	}
	names, ok := must([]string{"tool", "name"}, true)
	if !ok && s.lang == CEL {
		names, ok = must([]string{wholePayload, "tool", "name"}, true)
	}
	return names, ok
}

// contract returns a path without CEL's name of the whole payload.
func (s *slipFinder) contract(path []string) []string {
	if s.lang == CEL && len(path) > 0 && path[0] == wholePayload && !slices.Contains(namesAt(s.site), wholePayload) {
		return path[1:]
	}
	return path
}

// name reports a name that the payload never has at that path.
func (s *slipFinder) name(full []string, f facts) {
	path, known := s.contract(full), namesAt(s.site)
	if len(path) == 0 || known == nil || path[0] == anyStep {
		return
	}
	if !slices.Contains(known, path[0]) {
		if len(path) < len(full) { // otherwise the names of the payload are listed
			s.add("5-21", UnknownName, "the payload of "+string(s.site)+" has no "+printable(path[0])+"; it has "+strings.Join(known, ", "))
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
	if !s.isNew(q) {
		return
	}
	switch at := path[1]; {
	case path[0] == "tool" && at != "name" && at != "protocol":
		s.add("5-21", UnknownName, "tool has no "+printable(at)+suggestion(at, []string{"name", "protocol"}))
	case path[0] == "outputs" && s.facts.given && !slices.Contains(s.facts.outputs, at):
		s.add("5-21", UnknownName, "no subagent is called "+printable(at)+", and outputs has none of it"+suggestion(at, s.facts.outputs))
	case path[0] == "args":
		s.add("5-21", UnknownName, f.argument(at))
	}
}

// value reports a text that no tool's name or protocol equals.
func (s *slipFinder) value(full []string, text string) {
	f := s.facts
	path := s.contract(full)
	if s.site != Approval || len(path) != 2 || path[0] != "tool" || !s.isNew(question{of: "tool." + path[1], name: text}) {
		return
	}
	name := (path[1] == "name" || path[1] == anyStep) && f.hasTool(text)
	protocol := (path[1] == "protocol" || path[1] == anyStep) && f.hasProtocol(text)
	switch {
	case name || protocol:
	case path[1] == "protocol":
		s.add("5-21", UnknownTool, "no tool has the protocol "+printable(text)+suggestion(text, protocols()))
	case path[1] == "name" || path[1] == anyStep:
		s.add("5-21", UnknownTool, "the definition has no tool "+printable(text)+suggestion(text, f.names()))
	}
}

// contradict reports values that would have to be two texts at once.
func (s *slipFinder) contradict(whole term) {
	if len(s.found) >= mostSlips {
		return
	}
	if paths, ok := whole.comparedPaths(mostCompared); ok {
		s.together(whole, paths, whole.op == allOf)
	}
}

// together looks for contradictions in terms that hold together. The outermost such term
// covers its parts.
func (s *slipFinder) together(t term, paths [][]string, outermost bool) {
	for _, path := range paths {
		if !outermost || len(path) == 0 {
			continue
		}
		at := s.contract(path)
		text := s.site == Approval && len(at) == 2 && at[0] == "tool"
		if texts, ok := t.must(path, text); ok && len(texts) == 0 {
			s.add("5-16", Contradiction, "asks that "+printable(strings.TrimSuffix(strings.Join(at, "."), "."+anyStep))+" be two texts at once, which is never true")
		}
	}
	for _, part := range t.terms {
		s.together(part, paths, part.op == allOf && t.op != allOf)
	}
}
