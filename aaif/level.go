package aaif

import (
	"slices"
)

// Level is a conformance level (section 6).
type Level string

// The seven levels. They form a lattice: Core < Tooled < Portable, above which MultiAgent
// stands beside Observable < Enterprise < Stateful (decision R20).
const (
	Core       Level = "Core"
	Tooled     Level = "Tooled"
	Portable   Level = "Portable"
	MultiAgent Level = "Multi-agent"
	Observable Level = "Observable"
	Enterprise Level = "Enterprise"
	Stateful   Level = "Stateful"
)

// Levels lists the levels, each after all below it.
func Levels() []Level {
	return []Level{Core, Tooled, Portable, MultiAgent, Observable, Enterprise, Stateful}
}

// Below returns the level right below, and "" of Core.
func (l Level) Below() Level {
	switch l {
	case Tooled:
		return Core
	case Portable:
		return Tooled
	case MultiAgent, Observable:
		return Portable
	case Enterprise:
		return Observable
	case Stateful:
		return Enterprise
	}
	return ""
}

// Direction says whether documents are written or taken in (section 6).
type Direction string

// The directions of a claim.
const (
	Producer Direction = "producer"
	Consumer Direction = "consumer"
	Both     Direction = "both"
)

// Missing is what keeps something from a level.
type Missing struct {
	Level   Level
	Pointer string // of a document; empty for a consumer
	Rule    string // requirement, such as "AAIF-6-4"
	Text    string // for people
}

// Conformance is how far something has come.
type Conformance struct {
	Held    []Level   // with all below them, in the order of Levels
	Missing []Missing // for every level that is next: the one below is held, or there is none
}

// Has reports whether a level is held.
func (c Conformance) Has(l Level) bool { return slices.Contains(c.Held, l) }

// Highest returns the levels held that are below no other held: one of each branch.
func (c Conformance) Highest() []Level {
	var top []Level
	for _, l := range c.Held {
		if !slices.ContainsFunc(c.Held, func(other Level) bool { return other.Below() == l }) {
			top = append(top, l)
		}
	}
	return top
}

// climb goes up the lattice as far as nothing is missing (AAIF-6-11).
func climb(lacks func(Level) []Missing) Conformance {
	var c Conformance
	for _, l := range Levels() {
		if below := l.Below(); below != "" && !c.Has(below) {
			continue
		}
		if missing := lacks(l); len(missing) > 0 {
			c.Missing = append(c.Missing, missing...)
		} else {
			c.Held = append(c.Held, l)
		}
	}
	return c
}
