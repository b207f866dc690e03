package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// shortText is how many characters of an ID a list shows.
const shortText = 8

// ShortID is the beginning of the distinctive part of an ID.
func ShortID(id memory.ID) string {
	rest := strings.TrimPrefix(string(id), "urn:ump:")
	return rest[:min(shortText, len(rest))]
}

// Clean makes foreign text harmless on a terminal: it shows control characters, characters
// that change the direction of writing, and invisible ones by number. Line ends and tabs
// stay.
func Clean(s string) string {
	if !strings.ContainsFunc(s, codec.IsInvisible) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	before := rune(0)
	for _, r := range s {
		if isHazardous(before, r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// isHazardous reports whether a terminal must not show a character: it controls the
// terminal or is invisible; see [codec.IsInvisible]. One character that joins letters of
// other scripts, or parts of an emoji, belongs to the one before it.
func isHazardous(before, r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u200c', '\u200d', '\ufe0e', '\ufe0f':
		return before < utf8.RuneSelf || codec.IsInvisible(before) && !(r == '\u200d' && before == '\ufe0f')
	}
	return codec.IsInvisible(r)
}

// OneLine puts a text on one line of at most most characters; 0: no limit.
func OneLine(s string, most int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if most > 1 && utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// RawRecord is a record for machines, exactly as stored.
func RawRecord(rec memory.Record) (json.RawMessage, error) {
	data, err := ump.Encode(rec)
	return data, err
}

// RawRecords renders records as [RawRecord] does.
func RawRecords(recs []memory.Record) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(recs))
	for i, rec := range recs {
		var err error
		if out[i], err = RawRecord(rec); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Room is how many columns remain for a text beside taken columns.
func (a *App) Room(taken int) int {
	if width := a.Width(); width > 0 {
		return max(width-taken, 30)
	}
	return 0
}

// OrDash returns s, or a dash for an empty cell of a table.
func OrDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// TokenMark begins a record's reference to the token of its request.
const TokenMark = "token:"

// TokenName names a token for people and programs.
func TokenName(jti string, called map[string]string) string {
	if name := called[jti]; name != "" {
		return fmt.Sprintf("token %s (%s)", name, jti)
	}
	return "token " + jti
}

// ShortPartID is the part of one of Engram's IDs that a list shows.
func ShortPartID(id string) string { return Clean(id[:min(len(id), shortText)]) }

// OrEmpty returns a list that JSON writes as one, never as null.
func OrEmpty[T any](list []T) []T { return append([]T{}, list...) }

// ShowProposed shows a proposed fact: its text and its source.
func ShowProposed(a *App, rec memory.Record) {
	a.Print("%s  %s, waits for you", ShortID(rec.ID), rec.Kind)
	a.Print("  says      %s", OneLine(rec.Body.Text, 400))
	p := rec.Provenance
	if p == nil {
		return
	}
	from := Clean(p.Actor)
	if p.Source != nil && p.Source.Ref != "" {
		from += ", of " + OneLine(p.Source.Ref, 100)
	}
	a.Print("  by        %s, %s", from, HowOld(rec.Time.From(), a.Now()))
}

// TracesLeft says what may remain of erased content, and who removes it.
func (o *Session) TracesLeft() string {
	if o.InDatabase() {
		return "traces remain in the pages and logs of the database until its operator runs satchel store scrub"
	}
	return "traces may remain in the files until other processes finish reading; satchel clears them later"
}

// CountMemories counts all memories, in any state.
func (o *Session) CountMemories(ctx context.Context) (n int, err error) {
	err = o.Store.View(ctx, o.Owner, func(r store.Reader) error {
		n, err = r.Count(store.Filter{})
		return err
	})
	return n, err
}
