package distill

import (
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

// Finding is a statement, for callers that do not need a file.
type Finding struct {
	Conversation string // its id
	Source       string // the platform, as the conversation names it
	Kind         Kind
	Text         string
	Rationale    string // of a decision; empty: not said
	Confidence   aicf.Word
	At           time.Time // zero: not said
	Turns        []string  // ids of the turns that say it, if they have any
	Model        bool      // a model proposed it
}

// found is a finding whose words stand in an entry, where they are redacted with it.
type found struct {
	Finding
	entry aicf.Entry
}

// note keeps a finding, beside its entry.
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

// Findings returns the findings, in the order of the conversations. Call it after
// Finish: it matches the file.
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
