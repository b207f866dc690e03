package mapping

import (
	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/memory"
)

// Conversion between levels and numbers. A missing or unknown level is the middle one.

var salienceOf = map[aicf.Word]float64{aicf.Critical: 1, aicf.High: 0.75, aicf.Medium: 0.5, aicf.Low: 0.25}

var confidenceOf = map[aicf.Word]float64{aicf.High: 0.9, aicf.Critical: 0.9, aicf.Medium: 0.6, aicf.Low: 0.3}

// onScale returns the number of a level.
func onScale(scale map[aicf.Word]float64, w aicf.Word) *float64 {
	n, ok := scale[w.Level()]
	if !ok {
		n = scale[aicf.Medium]
	}
	return &n
}

// priorityFor returns the level of a salience.
func priorityFor(n *float64) aicf.Word {
	switch {
	case n == nil:
		return aicf.Medium
	case *n >= 0.9:
		return aicf.Critical
	case *n >= 0.65:
		return aicf.High
	case *n >= 0.4:
		return aicf.Medium
	}
	return aicf.Low
}

// confidenceFor returns the level of a confidence.
func confidenceFor(n *float64) aicf.Word {
	switch {
	case n == nil:
		return aicf.Medium
	case *n >= 0.8:
		return aicf.High
	case *n >= 0.5:
		return aicf.Medium
	}
	return aicf.Low
}

// kindOf returns the record kind of a memory type.
func kindOf(w aicf.Word) memory.Kind {
	switch w {
	case aicf.Episodic:
		return memory.Episodic
	case aicf.Procedural:
		return memory.Procedural
	}
	return memory.Semantic
}

// memoryTypeOf is the inverse of kindOf. The format has no memory type for an identity.
func memoryTypeOf(k memory.Kind) aicf.Word {
	switch k {
	case memory.Episodic:
		return aicf.Episodic
	case memory.Procedural:
		return aicf.Procedural
	}
	return aicf.Semantic
}
