package aicf

import "github.com/satchel-memory/satchel/memory"

// The scale between levels and numbers, in both directions. A level that is not said, or
// that is none, is the middle one.

var salienceOf = map[Word]float64{Critical: 1, High: 0.75, Medium: 0.5, Low: 0.25}

var confidenceOf = map[Word]float64{High: 0.9, Critical: 0.9, Medium: 0.6, Low: 0.3}

// onScale returns the number of a level.
func onScale(scale map[Word]float64, w Word) *float64 {
	n, ok := scale[w.Level()]
	if !ok {
		n = scale[Medium]
	}
	return &n
}

// priorityFor returns the level of a salience.
func priorityFor(n *float64) Word {
	switch {
	case n == nil:
		return Medium
	case *n >= 0.9:
		return Critical
	case *n >= 0.65:
		return High
	case *n >= 0.4:
		return Medium
	}
	return Low
}

// confidenceFor returns the level of a confidence.
func confidenceFor(n *float64) Word {
	switch {
	case n == nil:
		return Medium
	case *n >= 0.8:
		return High
	case *n >= 0.5:
		return Medium
	}
	return Low
}

// kindOf returns the kind of record that a kind of memory is.
func kindOf(w Word) memory.Kind {
	switch w {
	case Episodic:
		return memory.Episodic
	case Procedural:
		return memory.Procedural
	}
	return memory.Semantic
}

// memoryTypeOf is the inverse of kindOf. The format has no kind for who somebody is.
func memoryTypeOf(k memory.Kind) Word {
	switch k {
	case memory.Episodic:
		return Episodic
	case memory.Procedural:
		return Procedural
	}
	return Semantic
}
