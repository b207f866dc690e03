package aicf

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/text/redact"
)

// Redactor replaces secrets and personal data with tokens such as [EMAIL-REDACTED] (A-23,
// The zero Redactor replaces everything it knows. Migration and conversion redact
// only on request (AICF-PII-6).
type Redactor struct {
	KeepEmails  bool // keeps mail addresses
	KeepPhones  bool // keeps telephone numbers
	KeepSSNs    bool // keeps social security numbers of the United States
	KeepSecrets bool // keeps keys, tokens, passwords and private keys
	// Patterns are replaced too, after the built-in ones.
	Patterns []Pattern
	// Fields are names of further fields to redact, such as user_id or app:contact. Free
	// text is always redacted.
	Fields []string
	// Sensitive are names of fields whose whole value is replaced.
	Sensitive []string
	// Unknown also redacts the lines of unknown sections.
	Unknown bool
}

// Pattern is a user's own pattern to replace.
type Pattern = redact.Pattern

// Counts is how many replacements there were of each type: "email", "phone", "ssn",
// "secret", "field", and the names of patterns. It never says what was replaced
// (AICF-PII-5).
type Counts = redact.Counts

// Text redacts a text, and returns the counts; nil: nothing was replaced.
func (r Redactor) Text(text string) (string, Counts) {
	return redact.Redactor{
		KeepEmails: r.KeepEmails, KeepPhones: r.KeepPhones, KeepSSNs: r.KeepSSNs, KeepSecrets: r.KeepSecrets, Patterns: r.Patterns,
	}.Text(text)
}

// Contents redacts the free text of a file: topics, actions, steps, insights, decisions and
// their reasons, themes, facts, and unknown fields whose name suggests text. It keeps ids,
// times, vectors and the names of users, unless Fields names them (AICF-PII-4). It changes
// c.
func (r Redactor) Contents(c *Contents) Counts {
	w := redaction{Redactor: r, counts: Counts{}}
	for _, e := range c.Entries {
		w.entry(e)
	}
	return w.counts
}

// redaction is a redactor at work on contents.
type redaction struct {
	Redactor
	counts Counts
}

// freeText is the names of fields with free text: those of the format, and other common
// ones.
var freeText = []string{
	"", "topic", "actions", "flow", "semantic_theme", "key_facts", "rationale",
	"content", "text", "message", "summary", "description", "title", "note", "notes", "reason",
}

func (w *redaction) entry(e Entry) {
	switch e := e.(type) {
	case *Session:
		w.namedField("app_name", &e.AppName)
		w.namedField("user_id", &e.UserID)
		w.fields(e.Extra)
	case *Conversation:
		w.optional(e.Topic)
		w.namedList("participants", e.Participants)
		if e.Platform != nil {
			w.namedField("platform", e.Platform)
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

func (w *redaction) state(e *State) {
	w.optional(e.Actions)
	w.list(e.Flow)
	for i := range e.Pairs {
		w.namedField(e.Pairs[i].Key, &e.Pairs[i].Value)
	}
	w.fields(e.Extra)
}

// unknown redacts what follows the header of a section.
func (w *redaction) unknown(e *Unknown) {
	header, lines, found := strings.Cut(e.Raw, "\n")
	if !w.Unknown || !found {
		return
	}
	w.text(&lines)
	e.Raw = header + "\n" + lines
}

func (w *redaction) text(text *string) {
	var counts Counts
	*text, counts = w.Text(*text)
	w.counts.Add(counts)
}

func (w *redaction) optional(text *string) {
	if text != nil {
		w.text(text)
	}
}

func (w *redaction) list(items []string) {
	for i := range items {
		w.text(&items[i])
	}
}

// namedField redacts the value of a field, if its name calls for it.
func (w *redaction) namedField(name string, value *string) {
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

func (w *redaction) namedList(name string, items []string) {
	for i := range items {
		w.namedField(name, &items[i])
	}
}

// fields redacts unknown fields, and earlier values of known ones. It decodes them, and
// respells them only after a replacement.
func (w *redaction) fields(extra []Field) {
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
