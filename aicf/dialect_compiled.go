package aicf

import "strings"

// compiledFile reads sections whose entries are rows of cells: @NAME: and then lines.
func (r *parser) compiledFile(f *File) []Entry {
	x := newDialectReader(r)
	talks := map[string]*Conversation{}
	for _, group := range groups(x.linesAsTheyAre(f)) {
		h := headerOf(group[0].text)
		x.label = h.name
		if h.shape != plainHead || h.rest != "" || !inRows(group[1:]) {
			x.native(group)
			continue
		}
		var others []line
		for _, l := range group[1:] {
			if !x.compiledRow(h.name, l, coreCells(l.text), talks) {
				others = append(others, l)
			}
		}
		x.keep(h.name, others)
	}
	return x.entries
}

// groups splits lines at the beginnings of sections. The lines before the first are a group
// too.
func groups(lines []line) [][]line {
	var all [][]line
	list := ""
	for i, l := range lines {
		h := headerOf(l.text)
		if i == 0 || h.shape != noHead && (h.shape != inlineHead || h.name != list) {
			all = append(all, nil)
			list = h.name
		}
		all[len(all)-1] = append(all[len(all)-1], l)
	}
	return all
}

// inRows reports whether the lines of a section are rows, and not fields.
func inRows(lines []line) bool {
	for _, l := range lines {
		if _, ok := splitField(l.text); ok || l.text == "" {
			continue
		}
		if len(splitRaw(l.text)) > 1 {
			return true
		}
	}
	return false
}

// native reads lines as a section of this format.
func (x *dialectReader) native(lines []line) {
	for _, e := range x.section(lines) {
		if g, ok := e.(*Gap); ok {
			x.keep("", linesOfGap(g))
			continue
		}
		place := e.Place().Line
		if _, ok := e.(*Unknown); !ok && len(Parts(e)) == 0 {
			*e.Place() = Origin{}
		}
		x.add(place, e)
	}
}

// linesOfGap returns the lines of a gap without separators and headers of lists.
func linesOfGap(g *Gap) []line {
	var lines []line
	for i, text := range strings.Split(g.Raw, "\n") {
		if listAt(text) == "" {
			lines = append(lines, line{g.Line + i, text})
		}
	}
	return lines
}

// compiledRow reads one row of a section; false: it is too short.
func (x *dialectReader) compiledRow(name string, l line, row []string, talks map[string]*Conversation) bool {
	switch {
	case name == conversationName && len(row) > 3:
		c := talks[row[0]]
		if c == nil {
			c = &Conversation{ID: row[0]}
			talks[row[0]] = c
			x.add(l.place, c)
		}
		x.addTurn(c, row[1], row[2], behind(row, 3))
	case name == "MEMORY" && len(row) > 2:
		in := &Insight{Text: row[2], MemoryType: Word(row[0]), Priority: Word(cell(row, 3))}
		in.Extra = extra(extra(nil, "timestamp", row[1]), extensionKey("more"), behind(row, 4))
		x.add(l.place, in)
	case name == stateName && len(row) > 2:
		x.addPair(l, Word(row[0]), Field{row[1], Escape(behind(row, 2))})
	case name == insightsName && len(row) > 3:
		in := &Insight{Text: row[0], Category: Word(row[1]), Priority: Word(row[2]), Confidence: Word(row[3])}
		in.Extra = extra(nil, extensionKey("more"), behind(row, 4))
		x.add(l.place, in)
	case name == decisionsName && len(row) > 1:
		x.add(l.place, &Decision{Text: row[0], Rationale: behind(row, 1)})
	case name == linksName && len(row) > 2:
		x.add(l.place, &Link{Type: Word(row[0]), From: row[1], To: behind(row, 2)})
	case name == "WORK" && len(row) > 1:
		fields := extra([]Field{{"status", Escape(row[1])}}, "description", behind(row, 2))
		x.add(l.place, unknown("WORK", row[0], fields))
	default:
		return false
	}
	return true
}

// addPair adds a pair to the state of its scope, if that is the last entry, or to a new one.
func (x *dialectReader) addPair(l line, scope Word, f Field) {
	if f.Key == "" || extensionKey(f.Key) != "x_"+f.Key || f.Key[0] == '@' || f.Key == "status" || f.Key == "actions" || f.Key == "flow" {
		f.Key = extensionKey(f.Key)
	}
	if n := len(x.entries); n > 0 {
		if s, ok := x.entries[n-1].(*State); ok && s.Scope == scope {
			s.Pairs = append(s.Pairs, pairOf(f))
			return
		}
	}
	x.add(l.place, &State{Scope: scope, Pairs: []Pair{pairOf(f)}})
}
