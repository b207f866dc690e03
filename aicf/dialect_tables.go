package aicf

import "strings"

// table is a table of 2.0: its name and the names of its columns.
type table struct {
	name    string
	columns []string
	place   int // of its header; 0: it has a schema
}

// tableFile reads tables of 2.0. A table is several sections: @NAME, @SCHEMA, @DATA and
// perhaps @LINKS and @HIERARCHY. Other sections are those of this format.
func (r *parser) tableFile(f *File) []Entry {
	x := newDialectReader(r)
	var t table
	lines, numbering := x.linesAsTheyAre(f), numberingOf(f.data)
	for i, l := range lines {
		lines[i].text = unnumberedRow(l.text, numbering)
	}
	for _, group := range groups(lines) {
		h := headerOf(group[0].text)
		x.label = h.name
		switch said := filledLines(group[1:]); {
		case h.shape != plainHead || h.colon:
			x.native(group)
		case h.name == "SCHEMA":
			t.columns, t.place = x.schema(t.name, said), 0
		case h.name == "DATA":
			x.data(t, said)
		case h.name == linksName:
			x.tableLinks(said)
		case len(said) == 0 && h.name != stateName:
			x.empty(t)
			t = table{name: h.name, place: group[0].place}
		default:
			x.native(group)
		}
	}
	x.empty(t)
	return x.entries
}

// empty keeps the header of a table without a schema.
func (x *dialectReader) empty(t table) {
	if t.place > 0 && rowRules[t.name] == "" {
		x.add(t.place, unknown(t.name, "", nil))
	}
}

// schema reads the names of the columns, and keeps their spelling.
func (x *dialectReader) schema(name string, lines []line) []string {
	if len(lines) == 0 {
		return nil
	}
	x.add(lines[0].place, unknown("SCHEMA", name, []Field{{"columns", lines[0].text}}))
	x.keep("SCHEMA", lines[1:])
	return cells(lines[0].text)
}

// data reads the rows of a table.
func (x *dialectReader) data(t table, lines []line) {
	for _, l := range lines {
		row := cells(l.text)
		if len(row) < 2 || len(t.columns) == 0 {
			x.keep(t.name, []line{l})
			continue
		}
		x.add(l.place, t.entry(row))
	}
}

// entry makes the entry of a row: a conversation, a decision, an insight, or an unknown
// section. Its id is the table's letter and the row's number.
func (t table) entry(row []string) Entry {
	letter, isLetter := strings.CutSuffix(t.columns[0], "#")
	id := row[0]
	if isLetter && len(letter) == 1 {
		id = letter + row[0]
	}
	m := members{row: row[1:], names: t.columns[1:]}
	switch {
	case letter == "C":
		return m.conversation(id)
	case letter == "D":
		return m.decision(id)
	case letter == "K":
		return m.knowledge(id)
	}
	name := strings.TrimSuffix(t.name, "S")
	if name == "" || len(name) > longName || blocks[name] != nil || rowRules[name] != "" {
		name = sourceName // it has another meaning, or none
	}
	return unknown(name, id, m.rest(nil))
}

// members are the remaining cells of a row.
type members struct{ row, names []string }

// take removes and returns the cell of a column.
func (m *members) take(name string) string {
	for i, n := range m.names {
		if n == name && i < len(m.row) {
			said := strings.TrimSpace(m.row[i])
			m.row[i] = ""
			return said
		}
	}
	return ""
}

// rest returns the remaining cells with the names of their columns.
func (m *members) rest(fields []Field) []Field {
	for i, said := range m.row {
		name := "more"
		if i < len(m.names) {
			name = strings.ToLower(m.names[i])
		}
		fields = extra(fields, extensionKey(name), strings.TrimSpace(said))
	}
	return fields
}

func (m *members) conversation(id string) Entry {
	c := &Conversation{ID: id}
	stampInto(&c.TimestampStart, &c.Extra, "timestamp", m.take("TIMESTAMP"))
	c.TimestampEnd = c.TimestampStart
	textInto(&c.Topic, &c.Extra, "topic", m.take("TOPIC"))
	c.Extra = addCode(c.Extra, "type", m.take("TYPE"), workKind)
	c.Extra = extra(c.Extra, "what", m.take("WHAT"))
	c.Extra = extra(c.Extra, "why", m.take("WHY"))
	c.Extra = addCode(c.Extra, "outcome", m.take("OUTCOME"), outcome)
	c.Extra = addNames(c.Extra, "files", m.take("FILES"))
	c.Extra = m.rest(c.Extra)
	return c
}

func (m *members) decision(id string) Entry {
	d := &Decision{ID: id, Text: m.take("DECISION"), Rationale: m.take("RATIONALE"), Impact: Word(m.take("IMPACT"))}
	if d.Text == "" {
		d.Text = m.take("TITLE")
	}
	for _, name := range []string{"TITLE", "STATUS", "TIMESTAMP"} {
		d.Extra = extra(d.Extra, strings.ToLower(name), m.take(name))
	}
	d.Extra = m.rest(d.Extra)
	return d
}

// knowledge makes an insight from a key and its value.
func (m *members) knowledge(id string) Entry {
	in := &Insight{ID: id, Text: m.take("VALUE"), Category: Word(m.take("CATEGORY"))}
	if key := m.take("KEY"); key != "" {
		in.Text = strings.TrimSuffix(key+": "+in.Text, ": ")
	}
	for _, name := range []string{"SOURCE", "TIMESTAMP"} {
		in.Extra = extra(in.Extra, strings.ToLower(name), m.take(name))
	}
	in.Extra = m.rest(in.Extra)
	return in
}

// tableLinks reads C:12->D:8|C:11->D:7 as one link each (AICF-COMPAT-10).
func (x *dialectReader) tableLinks(lines []line) {
	for _, l := range lines {
		for _, part := range cells(l.text) {
			from, to, ok := strings.Cut(strings.TrimSpace(part), "->")
			if !ok || from == "" || to == "" || strings.Contains(to, "->") {
				x.keep(linksName, []line{{l.place, part}})
				continue
			}
			x.add(l.place, &Link{From: tableID(from), To: tableID(to)})
		}
	}
}

// tableID makes the id of a row from its name in a link.
func tableID(ref string) string {
	letter, number, ok := strings.Cut(strings.TrimSpace(ref), ":")
	if ok && len(letter) == 1 && digits(number) {
		return letter + number
	}
	return strings.TrimSpace(ref)
}
