package aicf

import (
	"strings"
)

// notRecorded is the rationale of a decision without one (AICF-DEC-5).
const notRecorded = "not recorded"

// mapsWords reports whether to map words that the format does not list. A file of the
// specification keeps them.
func (m *migration) mapsWords() bool { return m.from.Dialect != Spec }

func (m *migration) insight(in *Insight) []Entry {
	if in.Text == "" {
		return m.numberedInsights(in)
	}
	var assumed []string
	m.category(in, &assumed)
	m.level(&in.Priority, Priorities(), "priority", &in.Extra, &assumed)
	m.level(&in.Confidence, Confidences(), "confidence", &in.Extra, &assumed)
	m.kind(&in.MemoryType, &in.Extra)
	in.Extra = append(asParts(in.Extra), m.assume(in, assumed)...)
	return []Entry{in}
}

func (m *migration) decision(d *Decision) []Entry {
	if d.Text == "" {
		return m.numberedDecisions(d)
	}
	if text, ok := strings.CutPrefix(string(d.Confidence), "IMPACT:"); ok && d.Rationale == "" { // text|why|IMPACT:x
		d.Rationale, d.Impact, d.Confidence = string(d.Impact), Word(text), ""
	}
	var assumed []string
	m.level(&d.Impact, Priorities(), "impact", &d.Extra, &assumed)
	m.level(&d.Confidence, Confidences(), "confidence", &d.Extra, &assumed)
	if d.Rationale == "" {
		d.Rationale = notRecorded
		assumed = append(assumed, "rationale")
	}
	m.kind(&d.MemoryType, &d.Extra)
	d.Extra = append(asParts(d.Extra), m.assume(d, assumed)...)
	return []Entry{d}
}

// category sets the required category of an insight, and keeps any text in its place.
func (m *migration) category(in *Insight, assumed *[]string) {
	said := in.Category
	upper := Word(strings.ToUpper(string(said)))
	switch {
	case said == "":
		in.Category = "GENERAL"
		*assumed = append(*assumed, "category")
	case Categories().Has(said) || !m.mapsWords():
	case Categories().Has(upper):
		in.Category = upper
		in.Extra = extra(in.Extra, extensionKey("category"), string(said))
	case said != upper || strings.Contains(string(said), " "):
		in.Category = "GENERAL"
		in.Extra = extra(in.Extra, extensionKey("category"), string(said))
	}
}

// level maps a word or a number to a level, and keeps it.
func (m *migration) level(w *Word, possible List, key string, fields *[]Field, assumed *[]string) {
	said := *w
	switch {
	case said == "":
		*w = Medium
		*assumed = append(*assumed, key)
		return
	case possible.Has(said) || !m.mapsWords():
		return
	case possible.Has(said.Level()):
		*w = said.Level()
	case said.Level() == Critical:
		*w = High
	default:
		*w = Medium
	}
	*fields = extra(*fields, extensionKey(key), string(said))
}

// kind drops a memory type that the format does not list, and keeps the word.
func (m *migration) kind(w *Word, fields *[]Field) {
	said := *w
	lower := Word(strings.ToLower(string(said)))
	if said == "" || MemoryTypes().Has(said) || !m.mapsWords() {
		return
	}
	*w = ""
	if MemoryTypes().Has(lower) {
		*w = lower
	}
	*fields = extra(*fields, extensionKey("memory_type"), string(said))
}

// asParts makes members that can follow an entry in one line.
func asParts(fields []Field) []Field {
	all := fields[:0:0]
	for _, f := range fields {
		if len(splitRaw(f.Raw)) > 1 || len(splitRaw(f.Raw+"|")) < 2 {
			said, _ := Unescape(f.Raw)
			f.Raw = Escape(said)
		}
		if f.Key == "" {
			f.Key = extensionKey("line")
		}
		all = append(all, f)
	}
	return all
}

func (m *migration) link(l *Link) []Entry {
	if l.From == "" || l.To == "" || strings.Contains(l.From+"|"+l.To, arrow) || strings.ContainsAny(l.From+l.To, "\r\n") {
		said := []Field{{"from", Escape(l.From)}, {"to", Escape(l.To)}, {"type", Escape(string(l.Type))}}
		return []Entry{m.keep(&l.Origin, linksName, append(said, l.Extra...))}
	}
	var assumed []string
	said := l.Type
	switch {
	case said == "":
		l.Type = RelatedTo
		assumed = append(assumed, "type")
	case Relationships().Has(said) || !m.mapsWords():
	case said == "dependency":
		l.Type = DependsOn
		l.Extra = extra(l.Extra, extensionKey("type"), string(said))
	default:
		l.Type = RelatedTo
		l.Extra = extra(l.Extra, extensionKey("type"), string(said))
	}
	m.kind(&l.MemoryType, &l.Extra)
	l.Extra = append(asParts(l.Extra), m.assume(l, assumed)...)
	return []Entry{l}
}

// numberedInsights makes insights from insight_1=text|priority and so on, below one header.
func (m *migration) numberedInsights(in *Insight) []Entry {
	var all []Entry
	var rest []Field
	for _, f := range in.Extra {
		one := numberedInsight(f)
		if _, n := numberedIn(insightsName, f.Key); n == "" || one.Text == "" {
			rest = append(rest, f)
			continue
		}
		one.Line = in.Line
		one.Extra = extra(one.Extra, extensionKey("from"), f.Key)
		all = append(all, m.insight(one)...)
	}
	for _, w := range []struct {
		key  string
		said Word
	}{{"priority", in.Priority}, {"category", in.Category}, {"confidence", in.Confidence}, {"memory_type", in.MemoryType}} {
		rest = extra(rest, w.key, string(w.said))
	}
	return m.block(all, &in.Origin, insightsName, in.ID, rest)
}

// numberedDecisions makes decisions from decision_1, rationale_1, impact_1.
func (m *migration) numberedDecisions(d *Decision) []Entry {
	var rest []Field
	var order []*Decision
	by := map[string]*Decision{}
	for _, f := range d.Extra {
		stem, n := numberedIn(decisionsName, f.Key)
		if n == "" {
			rest = append(rest, f)
			continue
		}
		one, known := by[n]
		if !known {
			one = &Decision{Origin: Origin{Line: d.Line}, Extra: extra(nil, extensionKey("from"), "decision_"+n)}
			by[n] = one
			order = append(order, one)
		}
		said, _ := Unescape(f.Raw)
		if !one.set(stem, said) {
			rest = append(rest, f)
		}
	}
	var all []Entry
	for _, one := range order {
		if one.Text == "" {
			rest = append(rest, one.members()...)
			continue
		}
		all = append(all, m.decision(one)...)
	}
	return m.block(all, &d.Origin, decisionsName, d.ID, append(rest, d.members()...))
}

// set sets a member to a text; false: it is set already.
func (d *Decision) set(key, text string) bool {
	switch key {
	case "decision":
		return setOnce(&d.Text, text)
	case "rationale":
		return setOnce(&d.Rationale, text)
	case "impact":
		return setOnce(&d.Impact, text)
	}
	return setOnce(&d.Confidence, text)
}

// members returns the members of a decision besides its text.
func (d *Decision) members() []Field {
	var all []Field
	all = extra(all, "impact", string(d.Impact))
	all = extra(all, "confidence", string(d.Confidence))
	all = extra(all, "rationale", d.Rationale)
	return extra(all, "memory_type", string(d.MemoryType))
}

// numberedKey splits a key such as decision_2, if it has that prefix.
func numberedKey(key string, stems ...string) (stem, n string) {
	at := strings.LastIndexByte(key, '_')
	if at < 0 || !digits(key[at+1:]) {
		return "", ""
	}
	for _, stem := range stems {
		if key[:at] == stem {
			return stem, key[at+1:]
		}
	}
	return "", ""
}

// block adds the other lines below the header of several entries.
func (m *migration) block(all []Entry, at *Origin, name, id string, rest []Field) []Entry {
	if len(all) > 0 && len(rest) == 0 && id == "" {
		return all
	}
	return append([]Entry{m.keep(at, strings.TrimSpace(name+" "+id), rest)}, all...)
}
