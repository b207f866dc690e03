package aicf

import "strings"

// isWatcherHead reports whether a line begins a block of aicf-core's watcher.
func isWatcherHead(text string) bool {
	for _, head := range []string{"@CONVERSATION|", "@INSIGHTS|", "@DECISION|"} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	return false
}

// watcher reads such blocks one by one.
type watcher struct {
	*dialectReader
	id           string        // of its conversation
	conversation *Conversation // the conversation of the block
	last         *Conversation // the last one read
	decision     *Decision
	elsewhere    bool // the block does not follow its conversation
	others       []line
}

// watcherFile reads blocks of key|value behind @NAME|conversation|time.
func (r *parser) watcherFile(f *File) []Entry {
	w := &watcher{dialectReader: newDialectReader(r)}
	for _, l := range w.linesAsTheyAre(f) {
		switch row := coreCells(l.text); {
		case isWatcherHead(l.text):
			w.flush()
			w.head(l, row)
		case !w.member(l, row):
			w.others = append(w.others, l)
		}
	}
	w.flush()
	return w.entries
}

func (w *watcher) flush() {
	w.keep(w.id, w.others)
	w.others = nil
}

func (w *watcher) head(l line, row []string) {
	w.id, w.conversation, w.decision, w.elsewhere = cell(row, 1), nil, nil, false
	if row[0] != "@CONVERSATION" {
		// The head repeats its conversation, if the block follows it.
		s, _ := parseStampOrText(behind(row, 2))
		w.elsewhere = w.last == nil || w.last.ID != w.id || !s.Equal(w.last.TimestampStart.Time)
		if w.elsewhere {
			w.others = []line{l}
		}
		return
	}
	w.conversation = &Conversation{ID: w.id}
	w.last = w.conversation
	stampInto(&w.conversation.TimestampStart, &w.conversation.Extra, "timestamp", behind(row, 2))
	w.add(l.place, w.conversation)
}

// member reads one line of a block; false: it is unknown.
func (w *watcher) member(l line, row []string) bool {
	key := cell(row, 0)
	switch {
	case key == "insight" && len(row) >= 4:
		in := &Insight{Text: behind(row, 3), Category: Word(cell(row, 2))}
		in.Extra = w.withConversation(extra(in.Extra, "timestamp", cell(row, 1)))
		w.add(l.place, in)
	case key == "decision" && len(row) >= 3:
		w.decide(l, row)
	case key == "context" && w.decision != nil && w.decision.Rationale == "":
		w.decision.Rationale = behind(row, 1)
	case key == "impact" && w.decision != nil && w.decision.Impact == "":
		w.decision.Impact = Word(behind(row, 1))
	case w.conversation != nil && len(row) > 1:
		w.detail(key, row)
	default:
		return false
	}
	return true
}

// decide reads decision|time|text, with reason and impact on the same or later lines.
func (w *watcher) decide(l line, row []string) {
	w.decision = &Decision{Text: cell(row, 2)}
	if len(row) > 3 {
		w.decision.Rationale, w.decision.Impact = cell(row, 3), Word(cell(row, 4))
	}
	w.decision.Extra = extra(w.decision.Extra, "timestamp", cell(row, 1))
	w.decision.Extra = w.withConversation(extra(w.decision.Extra, extensionKey("more"), behind(row, 5)))
	w.add(l.place, w.decision)
}

// withConversation adds the conversation of an entry if its place does not tell it.
func (w *watcher) withConversation(fields []Field) []Field {
	if !w.elsewhere || len(w.id) > longName {
		return fields
	}
	return extra(fields, "conversation", w.id)
}

// detail reads a member of the conversation itself.
func (w *watcher) detail(key string, row []string) {
	c, said := w.conversation, behind(row, 1)
	switch {
	case key == "exchange" && len(row) >= 4:
		w.addTurn(c, cell(row, 1), cell(row, 2), behind(row, 3))
	case key == "participants" && c.Participants == nil && said != "":
		w.addParticipant(c, strings.Split(said, ",")...)
	case key == "topic":
		textInto(&c.Topic, &c.Extra, key, said)
	case key == "platform":
		textInto(&c.Platform, &c.Extra, key, said)
	case key == "messages":
		countInto(&c.Messages, &c.Extra, key, said)
	case key == "tokens":
		countInto(&c.Tokens, &c.Extra, key, said)
	default:
		c.Extra = append(c.Extra, Field{extensionKey(key), Escape(said)})
	}
}
