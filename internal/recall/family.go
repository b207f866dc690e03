package recall

import "strings"

// Words of one family say nearly the same, so that a question is also answered
// by a record that says it in other words, at a lesser weight.
const familyWeight = .4

// widen adds the relatives of what was asked.
func (q *question) widen() {
	for i, n := 0, len(q.terms); i < n; i++ {
		for _, relative := range families[q.terms[i].term] {
			q.want(relative, q.terms[i].word, i, familyWeight)
		}
	}
}

// families leads from a stem to the stems of its relatives.
var families = relatives(`
kid child son daughter toddler baby
`)

// relatives reads families, one on a line.
func relatives(text string) map[string][]string {
	m := make(map[string][]string)
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for _, a := range words {
			for _, b := range words {
				if a, b := stem(base(a)), stem(base(b)); a != b {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}
