package aicf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Hit is an entry that a search found, and its score: 1 has every word.
type Hit struct {
	Entry Entry
	Name  string // its id for links; empty: it has none
	Score float64
	Line  int    // with Rows: the first of them in the file
	Rows  string // the lines that were found in an entry of numbered fields; empty: all of it
}

// Search returns at most so many entries with some of the words in their text or in the
// keywords of their vectors, best first. It reads links and vectors of what is not in the file. Rare words count more; a word matches the
// beginning of a longer one. Search reads only the newest revision of an entry.
func (x *Index) Search(question string, most int) []Hit {
	asked := words(question)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	keywords := x.keywords()
	had := make([][]bool, len(x.contents.Entries))
	holding := make([]int, len(asked)) // how many entries have each word
	for i, e := range x.contents.Entries {
		if x.isRevised(i) {
			continue
		}
		had[i] = present(asked, append(append(said(e), keywords[x.names[i]]...), x.alone(e)...))
		for word, is := range had[i] {
			if is {
				holding[word]++
			}
		}
	}
	return x.rank(had, asked, weights(holding, len(had)), most)
}

// rank returns the entries with some of the words, in order.
func (x *Index) rank(had [][]bool, asked []string, weight []float64, most int) []Hit {
	var hits []Hit
	for i, words := range had {
		score := scored(words, weight)
		if score == 0 {
			continue
		}
		if rows := x.rowHits(i, asked, weight); len(rows) > 0 {
			hits = append(hits, rows...)
		} else {
			hits = append(hits, Hit{Entry: x.contents.Entries[i], Name: x.names[i], Score: score})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(len(hits), max(most, 0))]
}

// weights returns the weight of each word: rarer words weigh more, and all together weigh
// 1.
func weights(holding []int, entries int) []float64 {
	weight, sum := make([]float64, len(holding)), 0.0
	for i, n := range holding {
		weight[i] = math.Log(2 + float64(entries)/float64(max(n, 1)))
		sum += weight[i]
	}
	for i := range weight {
		weight[i] /= sum
	}
	return weight
}

// isRevised reports whether a later entry has the same id.
func (x *Index) isRevised(i int) bool {
	if x.names[i] == "" || x.names[i] == nobodysID || undefined(x.contents.Entries[i]) {
		return false
	}
	all := x.all(x.names[i])
	return all[len(all)-1] != i
}

// nobodysID is the id that aicf-core gives to entries without one.
const nobodysID = "unknown"

// undefined reports whether the format does not say what an entry means, so that another with
// its id is no revision of it.
func undefined(e Entry) bool {
	_, unknown := e.(*Unknown)
	return unknown || isBare(e)
}

// keywords returns the keywords of each entity's vectors.
func (x *Index) keywords() map[string][]string {
	of := map[string][]string{}
	for _, e := range x.contents.Entries {
		if v, ok := e.(*Embedding); ok {
			of[v.Entity] = append(of[v.Entity], v.Keywords...)
		}
	}
	return of
}

// alone returns the words of a link or a vector of what has no entry.
func (x *Index) alone(e Entry) []string {
	switch e := e.(type) {
	case *Link:
		if !x.has(e.From, false) || !x.has(e.To, false) {
			return []string{e.From, string(e.Type), e.To}
		}
	case *Embedding:
		if !x.has(e.Entity, false) {
			return append([]string{e.Entity}, e.Keywords...)
		}
	}
	return nil
}

// present reports for each wanted word whether one of the texts has it.
func present(asked []string, texts []string) []bool {
	found := make([]bool, len(asked))
	for _, text := range texts {
		for _, word := range words(text) {
			for i, want := range asked {
				found[i] = found[i] || word == want || len(want) > 2 && strings.HasPrefix(word, want)
			}
		}
	}
	return found
}

// words splits a text into words in lower case. An underscore separates words.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// said returns the texts of an entry that a search reads: no times, vectors or ids, except
// the ids that are names.
func said(e Entry) []string {
	switch e := e.(type) {
	case *Session:
		return append([]string{e.ID, e.AppName}, values(e.Extra)...)
	case *Conversation:
		return append(append([]string{e.ID, value(e.Topic), value(e.Platform)}, e.Participants...), values(e.Extra)...)
	case *State:
		return e.said()
	case *Insight:
		return append([]string{e.Text, string(e.Category)}, values(e.Extra)...)
	case *Decision:
		return append([]string{e.Text, e.Rationale}, values(e.Extra)...)
	case *Gap:
		return linesIn(e.Raw)
	case *Consolidation:
		return append([]string{e.ID, value(e.SemanticTheme)}, e.KeyFacts...)
	case *Unknown:
		return linesIn(e.Raw)
	}
	return nil
}

// values returns the values of the fields that the format does not define.
func values(fields []Field) []string {
	var all []string
	for _, f := range fields {
		text, _ := Unescape(f.Raw)
		all = append(all, text)
	}
	return all
}

// linesIn returns the decoded lines of an entry.
func linesIn(raw string) []string {
	lines := strings.Split(raw, "\n")
	for i, text := range lines {
		lines[i], _ = Unescape(text)
	}
	return lines
}

func (s *State) said() []string {
	texts := append([]string{value(s.Actions)}, s.Flow...)
	for _, p := range s.Pairs {
		texts = append(texts, p.Key, p.Value)
	}
	for _, text := range linesIn(s.Raw) {
		if !strings.HasPrefix(text, "@") && !strings.Contains(text, "=") {
			texts = append(texts, text) // a line that is no field
		}
	}
	return texts
}

// value returns the text of an optional member.
func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

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
