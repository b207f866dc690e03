package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// short is how many characters of an ID are shown in a list.
const short = 8

// shortID is the beginning of what makes an ID different from others.
func shortID(id memory.ID) string {
	rest := strings.TrimPrefix(string(id), "urn:ump:")
	return rest[:min(short, len(rest))]
}

// clean makes text that came from elsewhere harmless on a terminal: control
// characters, those that change the direction of writing, and those that nobody sees
// are shown by number. Line ends and tabs stay.
func clean(s string) string {
	if !strings.ContainsFunc(s, codec.Unseen) && utf8.ValidString(s) {
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
// steers the terminal or nobody sees; see [codec.Unseen]. A single character that joins
// letters of other scripts, or the parts of an emoji, belongs to the one before it.
func hazardous(before, r rune) bool {
	switch r {
	case '\n', '\t':
		return false
	case '\u200c', '\u200d', '\ufe0e', '\ufe0f':
		return before < utf8.RuneSelf || codec.Unseen(before) && !(r == '\u200d' && before == '\ufe0f')
	}
	return codec.Unseen(r)
}

// oneLine puts a text on one line of at most most characters, 0 for no bound.
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if most > 1 && utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// raw is a record for machines, exactly as it is kept.
func raw(rec memory.Record) (json.RawMessage, error) {
	data, err := ump.Encode(rec)
	return data, err
}

func raws(recs []memory.Record) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(recs))
	for i, rec := range recs {
		var err error
		if out[i], err = raw(rec); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// listed returns the text of a record in a list. For a memory that was forgotten while
// its text is still kept, it says so: an erased memory has no text any more.
func (a *app) listed(o *opened, rec memory.Record) string {
	if rec.Body.Text != ump.Erased {
		return rec.Body.Text
	}
	kept, err := o.Get(a.ctx, o.owner(), rec.ID, memory.CurrentView)
	if err != nil || kept.Body.Text == ump.Erased || kept.Body.Text == ump.ErasedExpired {
		return rec.Body.Text
	}
	return "[forgotten; satchel get ID shows it]"
}

// table writes one line per record, with the whole texts or as much of them as a terminal
// has room for.
func (a *app) table(o *opened, page vault.Page, full bool) {
	short := a.shortener(o, page.Records)
	room := a.room(70)
	if full {
		room = 0
	}
	var lines strings.Builder
	w := tabwriter.NewWriter(&lines, 0, 4, 2, ' ', 0)
	now := a.now()
	for _, rec := range page.Records {
		words := state(rec, now)
		if by := broughtBy(rec); by != "" {
			words += ", " + by
		}
		words += anothers(rec, o.Owner)
		if page.Forked[rec.ID] {
			words += forkMark
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", short(rec.ID), rec.Kind, orDash(clean(rec.Scope.Project)),
			visibilityOf(rec), words, oneLine(a.listed(o, rec), room))
	}
	w.Flush() //nolint:errcheck // a builder takes everything
	a.columns(ident, lines.String())
}

// room is how many columns remain for a text beside others of taken columns.
func (a *app) room(taken int) int {
	if width := a.width(); width > 0 {
		return max(width-taken, 30)
	}
	return 0
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// anothers says in a list that a record belongs to another owner.
func anothers(rec memory.Record, owner memory.DID) string {
	if rec.Scope.Owner == owner {
		return ""
	}
	return ", of " + string(rec.Scope.Owner)
}

// state says how old a record is, and what is special about it.
func state(rec memory.Record, now time.Time) string {
	words := howOld(rec.Time.Created, now)
	switch {
	case rec.Lifecycle.Status.Or() != memory.Active:
		words += ", " + string(rec.Lifecycle.Status)
	case len(rec.SupersededBy) > 0:
		words += ", superseded"
	case !rec.Time.ValidAt(now):
		words += ", not valid now"
	}
	return words
}

// details writes a record that owner keeps for people. called names tokens by their jti.
func (a *app) details(rec memory.Record, owner memory.DID, called map[string]string) {
	a.print("%s\n", clean(rec.Body.Text))
	var lines strings.Builder
	w := tabwriter.NewWriter(&lines, 0, 4, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, oneLine(value, 0))
		}
	}
	line("id", string(rec.ID))
	line("kind", string(rec.Kind))
	line("project", rec.Scope.Project)
	if rec.Scope.Owner != owner {
		line("owner", string(rec.Scope.Owner)+" (another's, kept as signed)")
	}
	line("visibility", string(visibilityOf(rec)))
	line("status", string(rec.Lifecycle.Status.Or()))
	line("created", local(rec.Time.Created))
	line("valid", validity(rec.Time))
	if p := rec.Provenance; p != nil {
		line("from", fmt.Sprintf("%s (%s), %s", p.Actor, p.ActorKind, p.Method))
		for _, ref := range tokensOf(rec) {
			line("came in with", tokenName(ref, called))
		}
		line("source", sourceOf(p))
	}
	if c := rec.Consent; c != nil {
		line("retention", c.Retention)
		line("redact", strings.Join(c.Redact, ", "))
	}
	for _, r := range rec.Relations {
		line(r.Type, r.Target)
	}
	for _, id := range rec.Supersedes {
		line("supersedes", string(id))
	}
	for _, id := range rec.SupersededBy {
		line("superseded by", string(id))
	}
	line("signature", signature(rec))
	w.Flush() //nolint:errcheck // a builder takes everything
	a.columns(aside, lines.String())
}

// tokenMark begins the reference that a record has to the token it came in with.
const tokenMark = "token:"

// tokensOf returns the tokens, by jti, that a record and the versions before it
// came in with.
func tokensOf(rec memory.Record) []string {
	var found []string
	add := func(ref string) {
		if jti, ok := strings.CutPrefix(ref, tokenMark); ok && !slices.Contains(found, jti) {
			found = append(found, jti)
		}
	}
	if p := rec.Provenance; p != nil {
		if p.Source != nil {
			add(p.Source.Ref)
		}
		for _, e := range p.Evidence {
			add(e.Ref)
		}
	}
	return found
}

// tokenName names a token as people and as programs know it.
func tokenName(jti string, called map[string]string) string {
	if name := called[jti]; name != "" {
		return fmt.Sprintf("token %s (%s)", name, jti)
	}
	return "token " + jti
}

// sourceOf says where a record was taken from, unless that is a token.
func sourceOf(p *memory.Provenance) string {
	if p.Source == nil {
		return ""
	}
	parts := []string{p.Source.Provider, p.Source.Ref}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" || strings.HasPrefix(s, tokenMark) })
	return strings.Join(parts, ": ")
}

// mostSource is how many characters of a name say where a record comes from.
const mostSource = 24

// broughtBy says in short which assistant stored a record, or which import brought it;
// "" where the owner did.
func broughtBy(rec memory.Record) string {
	p := rec.Provenance
	if p == nil {
		return ""
	}
	name := ""
	if p.Source != nil {
		name = oneLine(p.Source.Provider, mostSource)
	}
	switch p.ActorKind {
	case memory.ByUser:
		return ""
	case memory.ByImport:
		if name == "" {
			name = oneLine(p.Method, mostSource)
		}
		return "from " + name
	default:
		if name == "" && !strings.HasPrefix(p.Actor, "did:") {
			name = oneLine(p.Actor, mostSource)
		}
	}
	if name == "" {
		return "by an assistant"
	}
	return "by " + name
}

func validity(t memory.Times) string {
	from := "from " + local(t.From())
	if t.ValidTo.IsZero() {
		return from
	}
	return from + " to " + local(t.ValidTo)
}

// signature says whether a record is signed and the signature good.
func signature(rec memory.Record) string {
	if rec.Integrity == nil {
		return "unsigned"
	}
	if err := ump.Verify(rec.Form()); err != nil {
		return "does not verify"
	}
	return "verified, by " + string(rec.Integrity.Signer)
}
