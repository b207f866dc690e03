package aicf

import "strings"

// alpha is the present record: all lines from one version to the next.
type alpha struct {
	*dialectReader
	declared     bool
	conversation *Conversation
	state        *State
	section      string // a section of free text, which some writers put behind the record
	free         []line
}

// alphaFile reads records of key|value, whose lists have semicolons between items.
func (r *parser) alphaFile(f *File) []Entry {
	a := &alpha{dialectReader: newDialectReader(r)}
	for _, l := range a.linesAsTheyAre(f) {
		key, value, ok := strings.Cut(l.text, "|")
		switch {
		case key == "version" && ok:
			a.flush()
			a.begin(l, coreCells(value))
		case strings.HasPrefix(l.text, "@"):
			a.flush()
			a.section = l.text[1:]
		case a.section != "" || !ok || a.conversation == nil:
			a.free = append(a.free, l)
		default:
			a.member(l, key, value)
		}
	}
	a.flush()
	return a.entries
}

func (a *alpha) flush() {
	a.keep(a.section, a.free)
	a.section, a.free = "", nil
}

// begin reads the version, which the file declares once, and begins a record.
func (a *alpha) begin(l line, row []string) {
	if !a.declared {
		a.add(l.place, &Declaration{Version: cell(row, 0)})
		a.declared = true
	}
	a.conversation, a.state = &Conversation{}, &State{Scope: ScopeSession}
	a.conversation.Extra = extra(a.conversation.Extra, extensionKey("more"), behind(row, 1))
	a.add(l.place, a.conversation)
	a.add(l.place, a.state)
}

func (a *alpha) member(l line, key, value string) {
	c, row := a.conversation, coreCells(value)
	switch key {
	case "conversationId":
		c.ID = strings.Join(row, "|")
	case "timestamp":
		stampInto(&c.TimestampStart, &c.Extra, key, strings.Join(row, "|"))
	case "userIntents":
		a.insights(l, "user_intent", value, true)
	case "aiActions":
		a.insights(l, "ai_action", value, false)
	case "technicalWork":
		a.insights(l, "technical_work", value, false)
	case "decisions":
		a.decisions(l, value)
	case "flow":
		a.flow(row)
	case "workingState":
		a.working(row)
	default:
		c.Extra = extra(c.Extra, extensionKey(key), strings.Join(row, "|"))
	}
}

// items splits a list where a time follows the semicolon, since texts have semicolons too.
func items(value string) []string {
	var all []string
	start := 0
	for i := range len(value) {
		if value[i] != ';' {
			continue
		}
		next := value[i+1:]
		at, _, _ := strings.Cut(next[:min(len(next), longName)], "|")
		if _, ok := parseStamp(at); ok {
			all = append(all, value[start:i])
			start = i + 1
		}
	}
	if value[start:] == "" {
		return all
	}
	return append(all, value[start:])
}

// insights reads time|text|confidence, or time|type|text.
func (a *alpha) insights(l line, kind, value string, rated bool) {
	for _, item := range items(value) {
		row := coreCells(item)
		in := &Insight{MemoryType: Episodic}
		in.Extra = extra(extra(nil, "kind", kind), "timestamp", cell(row, 0))
		switch {
		case rated && len(row) > 2:
			in.Text, in.Confidence = strings.Join(row[1:len(row)-1], "|"), Word(cell(row, len(row)-1))
		case !rated && len(row) > 2:
			in.Text = behind(row, 2)
			in.Extra = extra(in.Extra, "type", cell(row, 1))
		case len(row) > 0:
			in.Text, in.Extra = strings.Join(row, "|"), extra(nil, "kind", kind)
		}
		if in.Text != "" {
			a.add(l.place, in)
		} else {
			a.keep(kind, []line{{l.place, item}})
		}
	}
}

// decisions reads time|text|impact.
func (a *alpha) decisions(l line, value string) {
	for _, item := range items(value) {
		row := coreCells(item)
		d := &Decision{Text: strings.Join(row, "|")}
		if len(row) > 2 {
			d.Text, d.Impact = strings.Join(row[1:len(row)-1], "|"), Word(cell(row, len(row)-1))
			d.Extra = extra(nil, "timestamp", cell(row, 0))
		}
		if d.Text != "" {
			a.add(l.place, d)
		} else {
			a.keep("decisions", []line{{l.place, item}})
		}
	}
}

// flow reads turns|who spoke most|sequence.
func (a *alpha) flow(row []string) {
	a.pair("turns", cell(row, 0))
	a.pair("dominant_role", cell(row, 1))
	if sequence := behind(row, 2); sequence != "" {
		a.state.Flow = strings.Split(sequence, ",")
	}
}

// working reads task|blockers|next steps.
func (a *alpha) working(row []string) {
	if task := cell(row, 0); task != "" && a.state.Actions == nil {
		a.state.Actions = &task
	} else {
		a.pair("current_task", task)
	}
	a.pair("blockers", cell(row, 1))
	a.pair("next_action", behind(row, 2))
}

func (a *alpha) pair(key, value string) {
	if value != "" {
		a.state.Pairs = append(a.state.Pairs, pairOf(Field{key, Escape(value)}))
	}
}
