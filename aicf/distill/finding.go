package distill

import (
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

// Finding is a statement that was found, for those who do not want a file of it.
type Finding struct {
	Conversation string // its id
	Source       string // the platform, as the conversation names it
	Kind         Kind
	Text         string
	Rationale    string // of a decision; empty: not said
	Confidence   aicf.Word
	At           time.Time // when it was said; zero: not said
	Turns        []string  // ids of the turns that say it, if they have any
	Model        bool      // a model proposed it
}

// found is a finding whose words stand in an entry, where they are redacted with it.
type found struct {
	Finding
	entry aicf.Entry
}

// note keeps what was found, beside the entry that says it.
func (d *Distiller) note(g *gather, s statement, e aicf.Entry) {
	f := Finding{
		Conversation: d.at.ID, Source: d.at.Source, Kind: s.kind, Rationale: s.rationale, Confidence: s.confidence,
		At: g.turns[s.turns[0]].At, Model: s.model,
	}
	if f.At.IsZero() {
		f.At = d.at.Ended
	}
	for _, at := range s.turns {
		if id := g.turns[at].ID; id != "" {
			f.Turns = append(f.Turns, id)
		}
	}
	d.found = append(d.found, found{f, e})
}

// Findings returns what was found, in the order of the conversations. Call it after
// Finish: it says what the file does.
func (d *Distiller) Findings() []Finding {
	list := make([]Finding, 0, len(d.found))
	for _, f := range d.found {
		switch e := f.entry.(type) {
		case *aicf.Decision:
			f.Text = e.Text
			if f.Rationale != "" {
				f.Rationale = e.Rationale
			}
		case *aicf.Insight:
			f.Text = e.Text
		}
		list = append(list, f.Finding)
	}
	return list
}
