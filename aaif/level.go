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

// Levels lists the levels, each after those below it.
func Levels() []Level {
	return []Level{Core, Tooled, Portable, MultiAgent, Observable, Enterprise, Stateful}
}

// Below returns the next lower level, "" for Core.
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

// Direction says whether a platform writes or accepts documents (section 6).
type Direction string

// The directions of a claim.
const (
	Producer Direction = "producer"
	Consumer Direction = "consumer"
	Both     Direction = "both"
)

// Gap is a requirement that keeps a document or a platform from a level.
type Gap struct {
	Level   Level
	Pointer string // in the document; empty for a consumer
	Rule    string // requirement, such as "AAIF-6-4"
	Text    string // for people
}

// Conformance lists the levels that a document or a platform holds.
type Conformance struct {
	Held    []Level // including all below them, in the order of Levels
	Missing []Gap   // the gaps of every next level, whose lower level is held
}

// Has reports whether a level is held.
func (c Conformance) Has(l Level) bool { return slices.Contains(c.Held, l) }

// Highest returns the held levels that are below no other held level: one per branch.
func (c Conformance) Highest() []Level {
	var top []Level
	for _, l := range c.Held {
		if !slices.ContainsFunc(c.Held, func(other Level) bool { return other.Below() == l }) {
			top = append(top, l)
		}
	}
	return top
}

// climb returns the levels without gaps, from the bottom up (AAIF-6-11).
func climb(lacks func(Level) []Gap) Conformance {
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
