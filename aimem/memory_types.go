package aimem

import "github.com/satchel-memory/satchel/memory"

// method is the provenance method of records made from chunks.
const method = "aimem-bundle"

// kindOf returns the kind of record that a type of chunk becomes (mapping section
// 4).
func kindOf(t MemoryType) memory.Kind {
	switch t {
	case Identity:
		return memory.Identity
	case Procedure, Pitfall:
		return memory.Procedural
	case Episodic:
		return memory.Episodic
	}
	return memory.Semantic // goals too: a store may discard working memory
}

// typeOf returns the type of chunk that a kind of record becomes. Of several the
// one is taken that claims least.
func typeOf(k memory.Kind) MemoryType {
	switch k {
	case memory.Identity:
		return Identity
	case memory.Procedural:
		return Procedure
	case memory.Episodic:
		return Episodic
	case memory.Working:
		return Goal
	}
	return Fact
}

// known reports whether t is one of the eight types.
func (t MemoryType) known() bool {
	switch t {
	case Fact, Preference, Decision, Identity, Pitfall, Procedure, Episodic, Goal:
		return true
	}
	return false
}

// salienceOf returns the salience of a zone; nil: the chunk has no zone.
func salienceOf(z Zone) *float64 {
	var s float64
	switch z {
	case Critical:
		s = 1
	case Important:
		s = 0.7
	case Standard:
		s = 0.4
	default:
		return nil
	}
	return &s
}

// zoneOf returns the zone of a salience; empty: the record has none.
func zoneOf(salience *float64) Zone {
	switch {
	case salience == nil:
		return ""
	case *salience >= 0.9:
		return Critical
	case *salience >= 0.6:
		return Important
	}
	return Standard
}
