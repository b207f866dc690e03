package notes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// Codes of writes that are refused.
const (
	piiRejected aaif.Code = "MEMORY_PII_REJECTED" // the policy for personal data refuses the content
	declined    aaif.Code = "MEMORY_DECLINED"     // the owner rejected the same note before
	full        aaif.Code = "MEMORY_FULL"
)

// The most bytes of a note and of its key.
const (
	mostText = 8 << 10
	mostKey  = 200
)

// sessionLasts is how long a note of a named session stays after it was written. Nothing else
// tells the end of such a session, unless somebody ends it (AAIF-4.5-6).
const sessionLasts = 24 * time.Hour

// draft is what is to be written.
type draft struct {
	scope aaif.Scope
	key   string
	text  string
	ends  time.Time      // zero: as the definition says
	once  string         // see [notestore.Draft]
	seed  bool           // of the definition, or of a checkpoint
	as    *memory.Record // the record of an item that came with a checkpoint
}

// write writes a note, in the form that the policy for personal data allows (AAIF-4.5-16). What
// is refused is a [*tool.Error]. This is where memory is written.
func (m *Memory) write(ctx context.Context, d draft) (n notestore.Note, err error) {
	ctx, end := m.o.Spans.Begin(ctx, trace.MemoryWrite, trace.AboutMemory(string(d.scope), place)...)
	defer func() { end(failure(err)) }()
	return m.put(ctx, d)
}

// failure returns the code of an error for a span.
func failure(err error) string {
	if why, ok := errors.AsType[*tool.Error](err); ok {
		return string(why.Code)
	}
	if err != nil {
		return "unavailable"
	}
	return ""
}

// put is write without its span.
func (m *Memory) put(ctx context.Context, d draft) (notestore.Note, error) {
	if err := m.allowed(&d); err != nil {
		return notestore.Note{}, err
	}
	now := m.o.Now().UTC()
	n := notestore.Note{Name: m.name(d.scope, d.key), Text: d.text, By: m.o.Run, Ends: d.ends, Sealed: m.personal.Seal()}
	if ttl := m.entry(d.scope, d.key).TTL; ttl > 0 && n.Ends.IsZero() {
		n.Ends = now.Add(time.Duration(ttl) * time.Second)
	}
	if most := now.Add(sessionLasts); n.Session != "" && (n.Ends.IsZero() || n.Ends.After(most)) {
		n.Ends = most
	}
	w := notestore.Draft{Note: n, Once: d.once, Seed: d.seed}
	if lasts(d.scope) && !n.Sealed {
		w.Record = m.record(n, d, now)
	}
	written, err := m.o.Store.Write(ctx, m.o.Caller, w)
	switch {
	case errors.Is(err, notestore.ErrDeclined):
		return written, refused(declined, "the owner of this memory rejected the same note before: it is not kept")
	case errors.Is(err, notestore.ErrFull):
		return written, refused(full, "there is no room for more notes: write under a key that is there")
	}
	return written, err
}

// lasts reports whether notes of a scope outlive runs and sessions, so that their owner is asked
// about them.
func lasts(s aaif.Scope) bool { return s == aaif.UserScope || s == aaif.LongTermScope }

// record returns a note as a draft of a record.
func (m *Memory) record(n notestore.Note, d draft, now time.Time) *memory.Record {
	rec := aaif.Noted(aaif.MemoryItem{Scope: d.scope, Key: d.key, Content: d.text}, aaif.MemoryOptions{Now: now, Owner: m.o.Caller.Owner, User: m.o.User}, m.agent(), m.o.Run)
	if d.as != nil {
		rec = *d.as
		rec.Body.Text = d.text
	}
	rec.Consent = nil
	if !n.Ends.IsZero() {
		rec.Time.ValidTo = n.Ends
		rec.Consent = &memory.Consent{Retention: fmt.Sprintf("PT%dS", max(int(n.Ends.Sub(now).Seconds()), 1))}
	}
	return &rec
}

// allowed refuses what may not be written, and puts the rest into the form in which it may be.
func (m *Memory) allowed(d *draft) error {
	switch {
	case d.text == "" || len(d.text) > mostText || len(d.key) > mostKey || d.key == "":
		return refused(tool.ArgsInvalid, "a note has a key of at most %d bytes and a content of at most %d", mostKey, mostText)
	case d.scope == aaif.LongTermScope && !aaif.KeepsLongTerm(m.rules.Safety, m.rules.PII):
		return refused(piiRejected, "at the safety level %s, long_term memory needs the policy anonymize or encrypt for personal data", m.rules.Safety)
	case m.o.Misplaced != "" && m.meaning(d.scope, d.key):
		return refused(aaif.Code("RESIDENCY_UNSATISFIED"), "%s", m.o.Misplaced)
	}
	for _, text := range []*string{&d.text, &d.key} {
		held, _, err := m.personal.Text(*text)
		if err != nil {
			return refused(piiRejected, "the note holds personal data, which the policy of the agent refuses")
		}
		*text = held
		redact.Mask(text)
	}
	return nil
}

// meaning reports whether the definition wants notes of a scope found by their meaning.
func (m *Memory) meaning(s aaif.Scope, key string) bool {
	way := m.entry(s, key).Retrieval
	return way == bySimilarity || way == byBoth
}

// refused returns the error of a note that is not written.
func refused(code aaif.Code, text string, args ...any) error {
	return &tool.Error{Code: code, Tool: writeTool, Outcome: tool.NotSent, Text: fmt.Sprintf(text, args...)}
}
