package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Package notestore writes the notes of agents (AAIF 4.5) as attachments. Each agent has a space
// for notes that last, and each run has a space for notes that end with the run. If an attachment
// is from a record, the record holds the text: the owner was asked to confirm it.
const (
	// NoteSpace begins the names of both kinds of spaces.
	NoteSpace = "aaif.note."
	// AgentNoteSpace begins the names of the spaces of agents; the agent's id follows.
	AgentNoteSpace = NoteSpace + "agent."
	// RunNoteSpace begins the names of the spaces of runs; the run's id follows.
	RunNoteSpace = NoteSpace + "run."
)

// noteMethod is the provenance method of records that runs of agents have written.
const noteMethod = "aaif"

var sealedNotes = sealedKind{"satchel notes of agents 1", "note"}

// SealNote returns a note of an agent sealed under a key, as the store keeps it.
func SealNote(key *keys.Private, a store.Attachment) (_ store.Attachment, err error) {
	a.Data, err = sealedNotes.seal(key, a.Space+"\x00"+a.Key, a.Data)
	return a, err
}

// OpenNote is the inverse of SealNote. It returns an unsealed note unchanged.
func OpenNote(key *keys.Private, a store.Attachment) (_ store.Attachment, err error) {
	a.Data, err = sealedNotes.open(key, a.Space+"\x00"+a.Key, a.Data)
	return a, err
}

// DropNotes removes all notes of a space, without the records that they are from.
func DropNotes(w store.Writer, space string) error {
	return detachAll(w, store.AttachmentFilter{Space: space})
}

// Withdraw erases a record that an agent proposed and that the owner has not decided on. Only the
// record's id stays, in the change feed.
func Withdraw(k Kernel, w store.Writer, row store.Row, now time.Time) error {
	return k.erase(w, row, BeliefName{}, now)
}

// erasedText stands in a journal for a note that was erased.
const erasedText = "[erased]"

// eraseFromRun removes the text of an erased note from the journal of the run that wrote it:
// the model's call of the memory tool holds the text. Other records have no run.
func (e *eraser) eraseFromRun(w store.Writer, r store.Row) error {
	rec, err := Decoded(r)
	if err != nil {
		return nil // nobody can tell which run wrote it
	}
	p := rec.Provenance
	if p == nil || p.Method != noteMethod || p.ActorKind != memory.ByAgent || p.Source == nil || rec.Body.Text == ump.ErasedExpired {
		return nil
	}
	id, _, _ := strings.Cut(p.Source.Ref, "#")
	return EraseFromRun(w, e.holder(w.Owner()), id, rec.Body.Text)
}

// EraseFromRun replaces a text wherever the journal of a run holds it. Whoever holds the run
// goes on. A run that is gone, or that was changed outside of satchel, stays as it is.
func EraseFromRun(w store.Writer, key *keys.Private, id, text string) error {
	run, err := w.Runs().Run(id)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAltered) || text == "" {
		return nil
	}
	if err != nil {
		return err
	}
	var events []store.RunEvent
	changed := false
	err = EachRunEvent(w.Runs(), id, func(e store.RunEvent) error {
		open, err := OpenRunEvent(key, e)
		if err != nil {
			return err
		}
		without, found := withoutText(open.Document, text)
		if found {
			changed, open.Document = true, without
			if run.Sealed {
				if open, err = SealRunEvent(key, open); err != nil {
					return err
				}
			}
			e = open
		}
		events = append(events, e)
		return nil
	})
	if errors.Is(err, store.ErrAltered) {
		return nil // doctor reports it, and the run cannot go on
	}
	if err != nil || !changed {
		return err
	}
	return errors.Join(w.RunKeeper().DropRun(id), w.RunKeeper().PutRunEvents(events), w.RunKeeper().PutRun(run))
}

// holdsSpeech reports whether a member of an event holds texts of people, models or tools. Other
// members hold codes and names.
func holdsSpeech(member string) bool {
	switch member {
	case "text", "why", "calls", "context", "start", "carry":
		return true
	}
	return false
}

// withoutText returns an event without a text in the members that hold speech, and reports whether
// the event had it.
func withoutText(event []byte, text string) ([]byte, bool) {
	members, ok := decodedJSON(event).(map[string]any)
	if !ok {
		return event, false
	}
	changed := false
	for name, v := range members {
		if holdsSpeech(name) {
			if next, found := withoutTextIn(v, text); found {
				members[name], changed = next, true
			}
		}
	}
	out, err := json.Marshal(members)
	if err != nil || !changed {
		return event, false
	}
	return out, true
}

// leastQuoted is the fewest bytes of a text that is looked for inside other texts. A shorter text
// may be part of another one by chance.
const leastQuoted = 8

// withoutTextIn is withoutText for a value. It looks into texts that are JSON themselves.
func withoutTextIn(v any, text string) (any, bool) {
	found := false
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			next, in := withoutTextIn(member, text)
			v[name], found = next, found || in
		}
	case []any:
		for i := range v {
			next, in := withoutTextIn(v[i], text)
			v[i], found = next, found || in
		}
	case string:
		if v == text {
			return erasedText, true
		}
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if next, in := withoutTextIn(decodedJSON([]byte(v)), text); in {
				if raw, err := json.Marshal(next); err == nil {
					return string(raw), true
				}
			}
		}
		if len(text) >= leastQuoted && strings.Contains(v, text) {
			return strings.ReplaceAll(v, text, erasedText), true
		}
	}
	return v, found
}

// decodedJSON returns a JSON value and keeps the spelling of its numbers; nil: raw is no JSON.
func decodedJSON(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil
	}
	return v
}
