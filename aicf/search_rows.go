package aicf

import "strings"

// rowHits returns a hit for each row of an entry in numbered fields that has some of the
// words, or for its other lines; nil: the entry has no rows.
func (x *Index) rowHits(i int, asked []string, weight []float64) []Hit {
	e := x.contents.Entries[i]
	parts := Parts(e)
	if len(parts) == 0 {
		return nil
	}
	lines := strings.Split(e.Place().Raw, "\n")
	rest := make([]bool, len(lines)) // lines of rows
	var hits []Hit
	add := func(at []int) {
		rows := make([]string, len(at))
		for k, line := range at {
			rows[k] = lines[line]
		}
		text := strings.Join(rows, "\n")
		if score := scored(present(asked, linesIn(text)), weight); score > 0 {
			hits = append(hits, Hit{Entry: e, Name: x.names[i], Score: score, Line: e.Place().Line + at[0], Rows: text})
		}
	}
	for _, p := range parts {
		add(p.Lines)
		for _, line := range p.Lines {
			rest[line] = true
		}
	}
	for line := range lines {
		if !rest[line] && strings.TrimSpace(lines[line]) != "" {
			add([]int{line})
		}
	}
	return hits
}

// scored returns the weight of the words that are there.
func scored(there []bool, weight []float64) float64 {
	var score float64
	for word, is := range there {
		if is {
			score += weight[word]
		}
	}
	return score
}
