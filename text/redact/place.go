package redact

// Place is where something stands in a text that is replaced.
type Place struct {
	Start, End int    // in bytes
	Name       string // of the token and the count, such as "email"
}

// Find returns where all of it stands that Text replaces, in ascending order and not
// overlapping: for who has to know more than what becomes of the text. It does not tell
// sorts.
func (r Redactor) Find(text string) []Place {
	var found []Place
	for _, k := range r.kinds() {
		if !k.keep && k.hint(text) {
			found = merged(found, k.find(text), k.name)
		}
	}
	for _, p := range r.Patterns {
		found = merged(found, p.find(text), p.name())
	}
	return found
}

// merged puts spans among what was found before, but for those that overlap it.
func merged(before []Place, spans []span, name string) []Place {
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
