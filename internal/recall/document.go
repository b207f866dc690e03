package recall

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// NewDocument returns the data that a store keeps to find rec: the terms of its text, of
// its title, names, tags and keywords (members of body.structured), of the entities it is
// about, and its kind. Its length is that of the text alone: labels can be found, and make
// no record longer.
func NewDocument(rec memory.Record) Document { return new(Indexer).Document(rec) }

// TextTerms returns the terms of a text's words, each once and in ascending order, and the
// number of its words. A record with the text has them, whatever its kind and its time.
func TextTerms(text string) (terms []string, length int) {
	tokens := new(stemmer).tokens(text)
	for _, t := range informative(tokens) {
		terms = append(terms, t.term)
	}
	slices.Sort(terms)
	return slices.Compact(terms), words(tokens)
}

// Indexer makes documents of many records, several times as fast as [NewDocument], because
// it remembers the stems of words. The zero Indexer is ready; it is for one goroutine and
// holds a few megabytes at most.
type Indexer struct {
	stem stemmer
}

// Document returns the same as [NewDocument].
func (x *Indexer) Document(rec memory.Record) Document {
	t := x.stem.recordText(rec)
	d := Document{Length: words(t.text)}
	counts := make(map[string]int, len(t.text)+1)
	for token := range t.informative {
		counts[token.term]++
	}
	counts[kindTerm(rec.Kind)]++
	for _, term := range slices.Concat(instantsOf(t.text, rec), acronyms(t.text)) {
		counts[term]++
	}
	d.Terms = make([]Count, 0, len(counts))
	for term, n := range counts {
		d.Terms = append(d.Terms, Count{term, n})
	}
	slices.SortFunc(d.Terms, func(a, b Count) int { return cmp.Compare(a.Term, b.Term) })
	d.Digest = x.stem.digest(rec, t, d.Terms).pack()
	return d
}

// recordText is the words of a record.
type recordText struct {
	text, labels []token
	stops        bool // it has only stop words, which count then
}

func (s *stemmer) recordText(rec memory.Record) recordText {
	t := recordText{text: s.tokens(rec.Body.Text), labels: s.labels(rec)}
	t.stops = areStops(t.text) && areStops(t.labels)
	return t
}

// counts reports whether a token of the record is no stop word, or stop words count.
func (t recordText) counts(token token) bool { return t.stops || !token.is(stop) }

// informative yields the tokens that count, those of the labels last.
func (t recordText) informative(yield func(token) bool) {
	for _, tokens := range [...][]token{t.text, t.labels} {
		for _, token := range tokens {
			if t.counts(token) && !yield(token) {
				return
			}
		}
	}
}

// meaningful counts the words that are no stop words.
func (t recordText) meaningful() int {
	n := 0
	for token := range t.informative {
		if !token.is(other) {
			n++
		}
	}
	return n
}

// words counts the words among tokens.
func words(tokens []token) int {
	n := 0
	for _, t := range tokens {
		if !t.is(beside) {
			n++
		}
	}
	return n
}

// areStops reports whether tokens are stop words alone, which count then.
func areStops(tokens []token) bool {
	return !slices.ContainsFunc(tokens, func(t token) bool { return !t.is(stop) })
}

// informative leaves out the stop words, unless there is nothing else.
func informative(tokens []token) []token {
	if areStops(tokens) {
		return tokens
	}
	return slices.DeleteFunc(slices.Clone(tokens), func(t token) bool { return t.is(stop) })
}

// labels returns the tokens a record has besides its text.
func (s *stemmer) labels(rec memory.Record) []token {
	var tokens []token
	for _, r := range rec.Relations {
		if name, ok := strings.CutPrefix(r.Target, "entity:"); ok {
			tokens = append(tokens, s.tokens(name)...)
		}
	}
	for _, label := range structuredLabels(rec.Body.Structured) {
		tokens = append(tokens, s.tokens(label)...)
	}
	return tokens
}

// structuredLabels returns the strings in the members of body.structured that say in words
// what a record is about. It ignores the residue of formats.
func structuredLabels(structured json.RawMessage) []string {
	if !slices.ContainsFunc(labelMembers, func(m string) bool { return bytes.Contains(structured, []byte(m)) }) {
		return nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(structured, &members) != nil {
		return nil
	}
	var labels []string
	for _, name := range labelMembers {
		value := members[strings.Trim(name, `"`)]
		var one string
		var many []string
		if json.Unmarshal(value, &one) == nil {
			labels = append(labels, one)
		} else if json.Unmarshal(value, &many) == nil {
			labels = append(labels, many...)
		}
	}
	return labels
}

var labelMembers = []string{`"title"`, `"name"`, `"aliases"`, `"tags"`, `"keywords"`, `"topics"`, `"category"`}
