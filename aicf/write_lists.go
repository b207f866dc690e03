package aicf

import "strings"

// Names of the sections with one-line entries.
const (
	insightsName  = "INSIGHTS"
	decisionsName = "DECISIONS"
	linksName     = "LINKS"
)

// arrow separates the ends of a link. It has no escape.
const arrow = "->"

// Linkable reports whether a link can name an id.
func Linkable(id string) bool { return id != "" && !strings.Contains(id, arrow) }

// listOf returns the name of an entry's list; empty: it is a section of its own.
func listOf(e Entry) string {
	switch e.(type) {
	case *Insight:
		return insightsName
	case *Decision:
		return decisionsName
	case *Link:
		return linksName
	}
	return ""
}

func (s *sectionBuilder) insight(e *Insight) {
	s.inline(insightsName, e.ID, e.Extra)
	s.row(e.MemoryType, e.ID, s.escaped("text", e.Text), s.level("category", e.Category),
		s.level("priority", e.Priority), s.level("confidence", e.Confidence))
}

func (s *sectionBuilder) decision(e *Decision) {
	s.inline(decisionsName, e.ID, e.Extra)
	s.row(e.MemoryType, e.ID, s.escaped("text", e.Text), s.level("impact", e.Impact),
		s.level("confidence", e.Confidence), s.escaped("rationale", e.Rationale))
}

func (s *sectionBuilder) link(e *Link) {
	s.inline(linksName, e.From+arrow+e.To, e.Extra)
	s.row(e.MemoryType, "", s.end("from", e.From)+arrow+s.end("to", e.To), s.level("relationship type", e.Type))
}

// end returns one end of a link (AICF-LINKS-5).
func (s *sectionBuilder) end(member, id string) string {
	if id == "" || strings.Contains(id, arrow) {
		s.refuse(member, "AICF-LINKS-5", "an id in a link is not empty and has no "+arrow)
	}
	return s.ident(member, "AICF-LINKS-5", id)
}

func (s *sectionBuilder) level(member string, w Word) string { return s.escaped(member, string(w)) }

// inline begins an entry of a list.
func (s *sectionBuilder) inline(name, id string, extra []Field) {
	s.name, s.extra = name, extra
	if id != "" {
		s.name += " " + id
	}
	s.lines = append(s.lines, "@"+name+" ")
}

// row completes an entry of a list: its positional parts, and then its named parts.
func (s *sectionBuilder) row(memory Word, id string, positions ...string) {
	s.part("memory_type", string(memory))
	s.part("id", id)
	for i, f := range s.extra {
		s.lines = append(s.lines, s.trailing(f, i == len(s.extra)-1))
	}
	s.lines = []string{s.lines[0] + strings.Join(append(positions, s.lines[1:]...), "|")}
}

// part adds a named part, after its older values.
func (s *sectionBuilder) part(key, value string) {
	if value == "" {
		s.olderParts(key)
		return
	}
	s.olderParts(key)
	s.lines = append(s.lines, key+"="+s.escaped(key, value))
}

// olderParts writes the further values of a known part.
func (s *sectionBuilder) olderParts(key string) {
	rest := s.extra[:0:0]
	for _, f := range s.extra {
		if f.Key == key {
			s.lines = append(s.lines, s.trailing(f, false))
		} else {
			rest = append(rest, f)
		}
	}
	s.extra = rest
}

// trailing returns an unknown part as spelled. Nothing in it may end it early or absorb
// what follows.
func (s *sectionBuilder) trailing(f Field, last bool) string {
	raw := s.spelled("part "+f.Key, f.Raw)
	if len(splitRaw(raw)) > 1 || !last && len(splitRaw(raw+"|")) < 2 {
		s.refuse("part "+f.Key, "AICF-SAFE-4", "a pipe in a part is escaped")
	}
	if f.Key == "" {
		s.keyless(raw)
		return raw
	}
	s.key(f.Key)
	return f.Key + "=" + raw
}
