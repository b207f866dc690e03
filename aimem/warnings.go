package aimem

// maxWarnings bounds how many warnings are kept of a bundle.
const maxWarnings = 1000

// ModelWarning says that the vectors of so many chunks are kept and not used: they
// are of a model that is not computed with here (section 2.7).
func ModelWarning(e Envelope, chunks int) Warning {
	return Warning{Code: WarnModel, EmbeddingModel: e.EmbeddingModel, EmbeddingDim: e.EmbeddingDim, Chunks: chunks, Action: "kept_unused",
		Detail: "vectors are kept as they came, for exports that include them; words are searched by"}
}

// warnings collects what to know about a bundle.
type warnings struct {
	list    []Warning
	omitted int
}

func (w *warnings) add(warning Warning) {
	if len(w.list) >= maxWarnings {
		w.omitted++
		return
	}
	w.list = append(w.list, warning)
}

// all returns the warnings, and says that there were more.
func (w *warnings) all() []Warning {
	if w.omitted == 0 {
		return w.list
	}
	return append(w.list, Warning{Code: WarnWarningsOmitted, Detail: "there are more warnings than are listed"})
}
