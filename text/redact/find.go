package redact

// Place says where a text has something to replace.
type Place struct {
	Start, End int    // in bytes
	Name       string // of the token and in [Counts], such as "email"
}

// Find returns all places that Text would replace, in ascending order and without overlap.
// It is for callers that need the places themselves. It does not report sorts.
func (r Redactor) Find(text string) []Place {
	var found []Place
	for _, k := range kinds {
		if r.mayFind(k, text) {
			found = mergePlaces(found, k.find(text), k.name)
		}
	}
	for _, p := range r.Patterns {
		found = mergePlaces(found, p.find(text), p.name())
	}
	return found
}

// mergePlaces adds spans to the places found before, except spans that overlap them.
func mergePlaces(before []Place, spans []span, name string) []Place {
	if len(spans) == 0 {
		return before
	}
	all := make([]Place, 0, len(before)+len(spans))
	for _, s := range spans {
		for len(before) > 0 && before[0].End <= s.start {
			all, before = append(all, before[0]), before[1:]
		}
		if len(before) == 0 || s.end <= before[0].Start {
			all = append(all, Place{s.start, s.end, name})
		}
	}
	return append(all, before...)
}
