package aicf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Deduplication is the statements that a file repeats, and the section that lists them.
type Deduplication struct {
	Section *Consolidation // nil: nothing is repeated
	Groups  []Repetition
}

// Repetition is entries that say the same.
type Repetition struct {
	Text string   // as in the newest
	IDs  []string // the entries' ids for links, in the order of the file
}

// Deduplicate finds insights and decisions that say the same: the same words in any case,
// with underscores or spaces between them. It removes nothing. The section names its
// sources and keeps each text once (AICF-CONS-10, AICF-COMP-3). It computes the savings
// from the texts (AICF-COMP-8), and skips what an earlier section of this method lists.
func (x *Index) Deduplicate(id string, at time.Time) (Deduplication, error) {
	if id == "" {
		id = x.unused("deduplication")
	} else if _, taken := x.Resolve(id); taken {
		return Deduplication{}, refusal("CONSOLIDATION "+quoted(id), "", "AICF-CONS-1", "there is an entry with this id already; name another")
	}
	groups := x.repetitions()
	if len(groups) == 0 {
		return Deduplication{}, nil
	}
	d := Deduplication{Section: &Consolidation{ID: id, ConsolidatedAt: Stamp{Time: at.UTC().Truncate(time.Second)}, Method: "deduplication"}}
	var measured measure
	for _, g := range groups {
		text := statementOf(g[len(g)-1]).text
		r := Repetition{Text: text}
		for _, e := range g {
			r.IDs = append(r.IDs, x.Name(e))
			measured.source(statementOf(e))
		}
		measured.kept(text)
		d.Groups = append(d.Groups, r)
		d.Section.SourceItems = append(d.Section.SourceItems, r.IDs...)
		d.Section.KeyFacts = append(d.Section.KeyFacts, text)
	}
	d.Section.CompressionRatio, d.Section.InformationPreserved = measured.saved(), measured.preserved()
	return d, nil
}

// unused returns an id without an entry.
func (x *Index) unused(kind string) string {
	for n := 1; ; n++ {
		id := fmt.Sprintf("%s_%03d", kind, n)
		if _, taken := x.Resolve(id); !taken {
			return id
		}
	}
}

// repetitions returns the groups of entries that say the same, in the order of the file.
func (x *Index) repetitions() [][]Entry {
	told := x.deduplicatedIDs()
	at := map[string]int{}
	var groups [][]Entry
	for i, e := range x.contents.Entries {
		s := statementOf(e)
		if s.text == "" || x.isRevised(i) {
			continue
		}
		key := s.kind + " " + foldText(s.text)
		group, known := at[key]
		if !known {
			group, at[key] = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[group] = append(groups[group], e)
	}
	return slices.DeleteFunc(groups, func(g []Entry) bool {
		return len(g) < 2 || !slices.ContainsFunc(g, func(e Entry) bool { return !told[x.Name(e)] })
	})
}

// deduplicatedIDs returns the ids that earlier sections list as repetitions.
func (x *Index) deduplicatedIDs() map[string]bool {
	ids := map[string]bool{}
	for _, e := range x.contents.Entries {
		if c, ok := e.(*Consolidation); ok && c.Method == "deduplication" {
			for _, id := range c.SourceItems {
				ids[id] = true
			}
		}
	}
	return ids
}

// statement is what an entry states; empty: nothing.
type statement struct{ kind, text, why string }

func statementOf(e Entry) statement {
	switch e := e.(type) {
	case *Insight:
		return statement{"insight", e.Text, ""}
	case *Decision:
		return statement{"decision", e.Text, e.Rationale}
	}
	return statement{}
}

// foldText removes what does not distinguish texts: case, the kind of white space, and a
// full stop at the end.
func foldText(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(text), "_", " ")), " ")
	return strings.TrimSuffix(text, ".")
}

// measure counts the sources of a consolidation, and what it keeps.
type measure struct {
	before, after int
	words, keeps  map[string]bool
}

func (m *measure) source(s statement) {
	m.before += len(s.text) + len(s.why)
	m.words = addWords(m.words, s.text+" "+s.why)
}

func (m *measure) kept(text string) {
	m.after += len(text)
	m.keeps = addWords(m.keeps, text)
}

func addWords(set map[string]bool, text string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	for _, word := range words(text) {
		set[word] = true
	}
	return set
}

// saved returns the fraction of the sources' bytes that is saved.
func (m *measure) saved() string {
	return strconv.FormatFloat(1-float64(m.after)/float64(m.before), 'f', 3, 64)
}

// preserved returns the fraction of the sources' words that is kept.
func (m *measure) preserved() string {
	kept := 0
	for word := range m.words {
		if m.keeps[word] {
			kept++
		}
	}
	return strconv.FormatFloat(100*float64(kept)/float64(max(len(m.words), 1)), 'f', 1, 64) + "%"
}
