package recall

import "github.com/satchel-memory/satchel/memory"

// kindsHinted returns the kinds of record the words of a question ask for.
func kindsHinted(tokens []token) []memory.Kind {
	var kinds []memory.Kind
	for i, t := range tokens {
		next := func(n int) string {
			if i+n < len(tokens) {
				return tokens[i+n].term
			}
			return ""
		}
		switch t.term {
		case "rule", "convent", "guidelin", "polici", "procedur", "instruct", "workflow":
			kinds = append(kinds, memory.Procedural)
		case "how":
			if next(1) == "to" || (next(1) == "do" || next(1) == "should") && (next(2) == "i" || next(2) == "we") {
				kinds = append(kinds, memory.Procedural)
			}
		case "who":
			if next(1) == "am" && next(2) == "i" {
				kinds = append(kinds, memory.Identity)
			}
		case "my":
			if next(1) == "name" {
				kinds = append(kinds, memory.Identity)
			}
		case "about":
			if (next(1) == "me" || next(1) == "myself") && next(2) == "" {
				kinds = append(kinds, memory.Identity)
			}
		}
	}
	return kinds
}
