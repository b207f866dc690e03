package memories

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// listed returns the text of a record in a list. It marks a forgotten memory whose text is
// still stored; an erased memory has no text any more.
func listed(a *cli.App, o *cli.Session, rec memory.Record) string {
	if rec.Body.Text != ump.Erased {
		return rec.Body.Text
	}
	kept, err := o.Get(a.Ctx, o.Caller(), rec.ID, memory.CurrentView)
	if err != nil || kept.Body.Text == ump.Erased || kept.Body.Text == ump.ErasedExpired {
		return rec.Body.Text
	}
	return "[forgotten; satchel get ID shows it]"
}

// table writes one line for each record, with whole texts or as much as the terminal has
// room for.
func table(a *cli.App, o *cli.Session, page vault.Page, full bool) {
	short := a.Shortener(o, page.Records)
	room := a.Room(70)
	if full {
		room = 0
	}
	var lines strings.Builder
	w := tabwriter.NewWriter(&lines, 0, 4, 2, ' ', 0)
	now := a.Now()
	for _, rec := range page.Records {
		words := state(rec, now)
		if by := broughtBy(rec); by != "" {
			words += ", " + by
		}
		words += anothers(rec, o.Owner)
		if page.Forked[rec.ID] {
			words += forkMark
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", short(rec.ID), rec.Kind, cli.OrDash(cli.Clean(rec.Scope.Project)),
			visibilityOf(rec), words, cli.OneLine(listed(a, o, rec), room))
	}
	w.Flush() //nolint:errcheck // a builder takes everything
	a.Columns(cli.StyleID, lines.String())
}

// anothers marks a record of another owner in a list.
func anothers(rec memory.Record, owner memory.DID) string {
	if rec.Scope.Owner == owner {
		return ""
	}
	return ", of " + string(rec.Scope.Owner)
}

// state says how old a record is, and what is special about it.
func state(rec memory.Record, now time.Time) string {
	words := cli.HowOld(rec.Time.Created, now)
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

// details writes a record of owner for people. called names tokens by their jti.
func details(a *cli.App, rec memory.Record, owner memory.DID, called map[string]string) {
	a.Print("%s\n", cli.Clean(rec.Body.Text))
	var lines strings.Builder
	w := tabwriter.NewWriter(&lines, 0, 4, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, cli.OneLine(value, 0))
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
	line("created", cli.Local(rec.Time.Created))
	line("valid", validity(rec.Time))
	if p := rec.Provenance; p != nil {
		line("from", fmt.Sprintf("%s (%s), %s", p.Actor, p.ActorKind, p.Method))
		for _, ref := range tokensOf(rec) {
			line("came in with", cli.TokenName(ref, called))
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
	a.Columns(cli.StyleAside, lines.String())
}

// tokensOf returns the tokens, by jti, with which a record and its earlier versions
// arrived.
func tokensOf(rec memory.Record) []string {
	var found []string
	add := func(ref string) {
		if jti, ok := strings.CutPrefix(ref, cli.TokenMark); ok && !slices.Contains(found, jti) {
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

// sourceOf names a record's source, unless that is a token.
func sourceOf(p *memory.Provenance) string {
	if p.Source == nil {
		return ""
	}
	parts := []string{p.Source.Provider, p.Source.Ref}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" || strings.HasPrefix(s, cli.TokenMark) })
	return strings.Join(parts, ": ")
}

// mostSource is how many characters of a source's name appear.
const mostSource = 24

// broughtBy names the assistant or the import that stored a record; "" for the owner.
func broughtBy(rec memory.Record) string {
	p := rec.Provenance
	if p == nil {
		return ""
	}
	name := ""
	if p.Source != nil {
		name = cli.OneLine(p.Source.Provider, mostSource)
	}
	switch p.ActorKind {
	case memory.ByUser:
		return ""
	case memory.ByImport:
		if name == "" {
			name = cli.OneLine(p.Method, mostSource)
		}
		return "from " + name
	default:
		if name == "" && !strings.HasPrefix(p.Actor, "did:") {
			name = cli.OneLine(p.Actor, mostSource)
		}
	}
	if name == "" {
		return "by an assistant"
	}
	return "by " + name
}

func validity(t memory.Times) string {
	from := "from " + cli.Local(t.From())
	if t.ValidTo.IsZero() {
		return from
	}
	return from + " to " + cli.Local(t.ValidTo)
}

// signature says whether a record is signed, and whether the signature is valid.
func signature(rec memory.Record) string {
	if rec.Integrity == nil {
		return "unsigned"
	}
	if err := ump.Verify(rec.Form()); err != nil {
		return "does not verify"
	}
	return "verified, by " + string(rec.Integrity.Signer)
}
