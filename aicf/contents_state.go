package aicf

// MergeState returns what states of several files say together for the user or for the
// app (AICF-STATE-9), oldest file first: of each name the last value, where the first one
// stood. The keys have their prefix.
func MergeState(scope Word, files ...*Contents) []Pair {
	at := map[string]int{}
	var merged []Pair
	for _, c := range files {
		for _, e := range c.Entries {
			if s, ok := e.(*State); ok {
				merged = s.mergeInto(merged, at, scope)
			}
		}
	}
	return merged
}

func (s *State) mergeInto(merged []Pair, at map[string]int, scope Word) []Pair {
	for _, p := range s.Pairs {
		if p.Scope(s.Scope) != scope {
			continue
		}
		name := p.Name()
		p.Key = string(scope) + ":" + name
		if i, ok := at[name]; ok {
			merged[i] = p
			continue
		}
		at[name] = len(merged)
		merged = append(merged, p)
	}
	return merged
}
