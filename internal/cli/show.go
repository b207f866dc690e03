package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ShortText is how many characters of an ID are shown in a list.
const ShortText = 8

// ShortID is the beginning of what makes an ID different from others.
func ShortID(id memory.ID) string {
	rest := strings.TrimPrefix(string(id), "urn:ump:")
	return rest[:min(ShortText, len(rest))]
}

// Clean makes text that came from elsewhere harmless on a terminal: control
// characters, those that change the direction of writing, and those that nobody sees
// are shown by number. Line ends and tabs stay.
func Clean(s string) string {
	if !strings.ContainsFunc(s, codec.IsInvisible) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	before := rune(0)
	for _, r := range s {
		if hazardous(before, r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// hazardous reports whether a character is not shown on a terminal as it is: what
// steers the terminal or nobody sees; see [codec.IsInvisible]. A single character that joins
// letters of other scripts, or the parts of an emoji, belongs to the one before it.
func hazardous(before, r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u200c', '\u200d', '\ufe0e', '\ufe0f':
		return before < utf8.RuneSelf || codec.IsInvisible(before) && !(r == '\u200d' && before == '\ufe0f')
	}
	return codec.IsInvisible(r)
}

// OneLine puts a text on one line of at most most characters, 0 for no bound.
func OneLine(s string, most int) string {
	s = strings.Join(strings.Fields(Clean(s)), " ")
	if most > 1 && utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// RawRecord is a record for machines, exactly as it is kept.
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

// Room is how many columns remain for a text beside others of taken columns.
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

// TokenMark begins the reference that a record has to the token it came in with.
const TokenMark = "token:"

// TokenName names a token as people and as programs know it.
func TokenName(jti string, called map[string]string) string {
	if name := called[jti]; name != "" {
		return fmt.Sprintf("token %s (%s)", name, jti)
	}
	return "token " + jti
}

// ShortPartID is how much of an ID of Engram's is shown in a list.
func ShortPartID(id string) string { return Clean(id[:min(len(id), ShortText)]) }

// OrEmpty returns a list that JSON shows as one.
func OrEmpty[T any](list []T) []T { return append([]T{}, list...) }

// ShowProposed shows a fact that waits: what, and where it was said.
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
