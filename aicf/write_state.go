package aicf

import (
	"fmt"
	"slices"
)

// states returns the sections of a state: its own, and one for each scope that a prefix of
// its keys names (AICF-STATE-7, -8). Temporary state is not written (AICF-STATE-10).
func (w *writer) states(e *State) []*sectionBuilder {
	own := e.Scope
	if own == "" {
		own = ScopeSession
	}
	groups := map[Word][]Pair{}
	for _, p := range e.Pairs {
		scope := p.Scope(own)
		p.Key = p.KeyIn(scope)
		groups[scope] = append(groups[scope], p)
	}
	var sheets []*sectionBuilder
	if own != ScopeTemp && (len(groups[own]) > 0 || len(e.Pairs) == 0 || e.HasMembers()) {
		s := &sectionBuilder{}
		s.state(e, own, groups[own])
		sheets = append(sheets, s)
	}
	for _, scope := range []Word{ScopeSession, ScopeUser, ScopeApp} {
		if pairs := groups[scope]; scope != own && len(pairs) > 0 {
			s := &sectionBuilder{}
			s.state(&State{}, scope, pairs)
			sheets = append(sheets, s)
		}
	}
	if n := len(groups[ScopeTemp]); n > 0 || own == ScopeTemp {
		w.lose(e, fmt.Sprintf("temporary state is not written (%d keys)", n))
	}
	return sheets
}

// HasMembers reports whether a state has members besides its pairs.
func (e *State) HasMembers() bool {
	return e.Status != nil || e.Actions != nil || e.Flow != nil || len(e.Extra) > 0
}

// HasTemporary reports whether a part of the state holds for this turn only.
func (e *State) HasTemporary() bool {
	return e.Scope == ScopeTemp || slices.ContainsFunc(e.Pairs, func(p Pair) bool { return p.Scope(e.Scope) == ScopeTemp })
}

// state writes one section of a state.
func (s *sectionBuilder) state(e *State, scope Word, pairs []Pair) {
	id := string(scope)
	if scope == ScopeSession {
		id = ""
	}
	s.header(stateName, id, e.Extra)
	s.text("status", (*string)(e.Status))
	s.text("actions", e.Actions)
	s.list("flow", e.Flow)
	for _, p := range pairs {
		s.pair(p)
	}
	s.rest()
}

// KeyIn returns the key of a pair with the prefix of a scope (AICF-STATE-8).
func (p Pair) KeyIn(scope Word) string {
	if p.Scope("") == ScopeSession && (scope == ScopeUser || scope == ScopeApp) {
		return string(scope) + ":" + p.Key
	}
	return p.Key
}

// pair writes a key and its value.
func (s *sectionBuilder) pair(p Pair) {
	key := p.Key
	switch key {
	case "status", "actions", "flow":
		s.refuse(key, "AICF-STATE-5", "it has a member of its own and is no pair")
	}
	s.key(key)
	s.plain(key, p.Value)
	s.lines = append(s.lines, key+"="+s.spelled(key, p.Spelled()))
}

// Line returns the line of a pair. The error says what the format cannot hold.
func (p Pair) Line() (string, error) {
	s := &sectionBuilder{}
	s.pair(p)
	return s.lines[0], s.err
}
