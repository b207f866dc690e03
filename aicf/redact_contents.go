package aicf

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/text/redact"
)

// Contents replaces in the free text of a file: topics, actions, steps, insights,
// decisions and their reasons, themes, facts, and fields that the format does not know
// and whose name says that they hold text. Ids, times, vectors and the names of users
// stay, unless Fields names them (AICF-PII-4). It changes c.
func (r Redactor) Contents(c *Contents) Counts {
	w := redacting{Redactor: r, counts: Counts{}}
	for _, e := range c.Entries {
		w.entry(e)
	}
	return w.counts
}

// redacting is one run of a redactor over contents.
type redacting struct {
	Redactor
	counts Counts
}

// freeText is the names of fields that hold free text: those of the format, and others
// that are about.
var freeText = []string{
	"", "topic", "actions", "flow", "semantic_theme", "key_facts", "rationale",
	"content", "text", "message", "summary", "description", "title", "note", "notes", "reason",
}

func (w *redacting) entry(e Entry) {
	switch e := e.(type) {
	case *Session:
		w.named("app_name", &e.AppName)
		w.named("user_id", &e.UserID)
		w.fields(e.Extra)
	case *Conversation:
		w.optional(e.Topic)
		w.namedList("participants", e.Participants)
		if e.Platform != nil {
			w.named("platform", e.Platform)
		}
		w.fields(e.Extra)
	case *State:
		w.state(e)
	case *Insight:
		w.text(&e.Text)
		w.fields(e.Extra)
	case *Decision:
		w.text(&e.Text)
		w.text(&e.Rationale)
		w.fields(e.Extra)
	case *Link:
		w.fields(e.Extra)
	case *Embedding:
		w.namedList("keywords", e.Keywords)
		w.fields(e.Extra)
	case *Consolidation:
		w.optional(e.SemanticTheme)
		w.list(e.KeyFacts)
		w.fields(e.Extra)
	case *Unknown:
		w.unknown(e)
	}
}

func (w *redacting) state(e *State) {
	w.optional(e.Actions)
	w.list(e.Flow)
	for i := range e.Pairs {
		w.named(e.Pairs[i].Key, &e.Pairs[i].Value)
	}
	w.fields(e.Extra)
}

// unknown replaces in what stands behind the header of a section.
func (w *redacting) unknown(e *Unknown) {
	header, lines, found := strings.Cut(e.Raw, "\n")
	if !w.Unknown || !found {
		return
	}
	w.text(&lines)
	e.Raw = header + "\n" + lines
}

func (w *redacting) text(text *string) {
	var counts Counts
	*text, counts = w.Text(*text)
	w.counts.Add(counts)
}

func (w *redacting) optional(text *string) {
	if text != nil {
		w.text(text)
	}
}

func (w *redacting) list(items []string) {
	for i := range items {
		w.text(&items[i])
	}
}

// named replaces in the value of a field, if its name says so.
func (w *redacting) named(name string, value *string) {
	switch {
	case slices.Contains(w.Sensitive, name):
		if *value != "" && *value != redact.Token("field") {
			*value = redact.Token("field")
			w.counts["field"]++
		}
	case slices.Contains(w.Fields, name):
		w.text(value)
	}
}

func (w *redacting) namedList(name string, items []string) {
	for i := range items {
		w.named(name, &items[i])
	}
}

// fields replaces in fields that the format does not know, and in earlier values of those
// that it knows. They are decoded for it, and spelled anew only where something was found.
func (w *redacting) fields(extra []Field) {
	for i := range extra {
		f := &extra[i]
		items := SplitList(f.Raw)
		said := slices.Clone(items)
		if slices.Contains(freeText, f.Key) && !slices.Contains(w.Sensitive, f.Key) {
			w.list(items)
		} else {
			w.namedList(f.Key, items)
		}
		if !slices.Equal(said, items) {
			f.Raw = JoinList(items)
		}
	}
}
