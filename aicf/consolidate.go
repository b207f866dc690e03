package aicf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Deduplication is what a file says more than once, and the section that tells it.
type Deduplication struct {
	Section *Consolidation // nil: nothing is said twice
	Groups  []Repeated
}

// Repeated is entries that say the same.
type Repeated struct {
	Text string   // as the newest has it
	IDs  []string // by which links call them, in the order of the file
}

// Deduplicate finds the insights and decisions that say the same: the same words, whatever
// their case, with underscores or spaces between them. Nothing is taken away: the section
// names its sources and keeps each text once (AICF-CONS-10, AICF-COMP-3). What that saves
// and keeps is computed from the texts (AICF-COMP-8). What an earlier section of this
// method names already is not told again.
func (x *Index) Deduplicate(id string, at time.Time) (Deduplication, error) {
	if id == "" {
		id = x.unused("deduplication")
	} else if _, taken := x.Resolve(id); taken {
		return Deduplication{}, refusal("CONSOLIDATION "+quoted(id), "", "AICF-CONS-1", "there is an entry with this id already; name another")
	}
	groups := x.repeated()
	if len(groups) == 0 {
		return Deduplication{}, nil
	}
	d := Deduplication{Section: &Consolidation{ID: id, ConsolidatedAt: Stamp{Time: at.UTC().Truncate(time.Second)}, Method: "deduplication"}}
	var measured measure
	for _, g := range groups {
		text := statementOf(g[len(g)-1]).text
		r := Repeated{Text: text}
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

// unused returns an id that no entry has.
func (x *Index) unused(kind string) string {
	for n := 1; ; n++ {
		id := fmt.Sprintf("%s_%03d", kind, n)
		if _, taken := x.Resolve(id); !taken {
			return id
		}
	}
}

// repeated returns the entries that say the same as others, group by group, in the order
// of the file.
func (x *Index) repeated() [][]Entry {
	told := x.told()
	at := map[string]int{}
	var groups [][]Entry
	for i, e := range x.contents.Entries {
		s := statementOf(e)
		if s.text == "" || x.revised(i) {
			continue
		}
		key := s.kind + " " + folded(s.text)
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

// told returns the ids that earlier sections name as the same as others.
func (x *Index) told() map[string]bool {
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

// statement is what an entry states; empty: it is none that states something.
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

// folded is a text without what does not distinguish it from others: case, the kind of
// white space, and a full stop at its end.
func folded(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(text), "_", " ")), " ")
	return strings.TrimSuffix(text, ".")
}

// measure counts what a consolidation was made of, and what it keeps.
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

// saved is the part of the bytes of the sources that is saved.
func (m *measure) saved() string {
	return strconv.FormatFloat(1-float64(m.after)/float64(m.before), 'f', 3, 64)
}

// preserved is the part of the different words of the sources that is kept.
func (m *measure) preserved() string {
	kept := 0
	for word := range m.words {
		if m.keeps[word] {
			kept++
		}
	}
	return strconv.FormatFloat(100*float64(kept)/float64(max(len(m.words), 1)), 'f', 1, 64) + "%"
}
