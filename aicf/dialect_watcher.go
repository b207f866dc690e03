package aicf

import "strings"

// watched reports whether a line is the head of a block that the watcher of aicf-core writes.
func watched(text string) bool {
	for _, head := range []string{"@CONVERSATION|", "@INSIGHTS|", "@DECISION|"} {
		if strings.HasPrefix(text, head) {
			return true
		}
	}
	return false
}

// watcher reads such blocks, and is in one of them.
type watcher struct {
	*foreign
	id           string        // of its conversation
	conversation *Conversation // in whose block it is
	last         *Conversation // that was read
	decision     *Decision
	elsewhere    bool // the block is not behind its conversation
	others       []line
}

// watcherFile reads blocks of key|value behind @NAME|conversation|time.
func (r *reading) watcherFile(f *File) []Entry {
	w := &watcher{foreign: newForeign(r)}
	for _, l := range w.linesAsTheyAre(f) {
		switch row := coreCells(l.text); {
		case watched(l.text):
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
		// The head says nothing new where it is behind its conversation.
		s, _ := stampOr(behind(row, 2))
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

// member takes one line of a block; false: it is none that is known.
func (w *watcher) member(l line, row []string) bool {
	key := cell(row, 0)
	switch {
	case key == "insight" && len(row) >= 4:
		in := &Insight{Text: behind(row, 3), Category: Word(cell(row, 2))}
		in.Extra = w.placed(extra(in.Extra, "timestamp", cell(row, 1)))
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

// decide reads decision|time|text, with reason and impact behind it or in lines to come.
func (w *watcher) decide(l line, row []string) {
	w.decision = &Decision{Text: cell(row, 2)}
	if len(row) > 3 {
		w.decision.Rationale, w.decision.Impact = cell(row, 3), Word(cell(row, 4))
	}
	w.decision.Extra = extra(w.decision.Extra, "timestamp", cell(row, 1))
	w.decision.Extra = w.placed(extra(w.decision.Extra, xKey("more"), behind(row, 5)))
	w.add(l.place, w.decision)
}

// placed adds to which conversation an entry belongs, where its place does not say so.
func (w *watcher) placed(fields []Field) []Field {
	if !w.elsewhere || len(w.id) > longName {
		return fields
	}
	return extra(fields, "conversation", w.id)
}

// detail reads what is said about the conversation itself.
func (w *watcher) detail(key string, row []string) {
	c, said := w.conversation, behind(row, 1)
	switch {
	case key == "exchange" && len(row) >= 4:
		w.spoken(c, cell(row, 1), cell(row, 2), behind(row, 3))
	case key == "participants" && c.Participants == nil && said != "":
		w.present(c, strings.Split(said, ",")...)
	case key == "topic":
		textInto(&c.Topic, &c.Extra, key, said)
	case key == "platform":
		textInto(&c.Platform, &c.Extra, key, said)
	case key == "messages":
		countInto(&c.Messages, &c.Extra, key, said)
	case key == "tokens":
		countInto(&c.Tokens, &c.Extra, key, said)
	default:
		c.Extra = append(c.Extra, Field{xKey(key), Escape(said)})
	}
}
