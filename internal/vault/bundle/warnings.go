package bundle

import (
	"slices"

	"github.com/satchel-memory/satchel/aimem"
)

// onceOfModel keeps one of the warnings about unused vectors: the last, which counts
// the vectors that were kept. The reading of the bundle only counted the vectors in it.
func onceOfModel(all []aimem.Warning, e aimem.Envelope) []aimem.Warning {
	chunks := 0
	for _, w := range all {
		if w.Code == aimem.WarnModel {
			chunks = w.Chunks
		}
	}
	if chunks == 0 {
		return all
	}
	all = slices.DeleteFunc(all, func(w aimem.Warning) bool { return w.Code == aimem.WarnModel })
	return append(all, aimem.ModelWarning(e, chunks))
}
