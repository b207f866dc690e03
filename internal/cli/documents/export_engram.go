package documents

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// engramFlags are the flags that apply to exports of Engram only.
type engramFlags struct {
	Category    []engram.Category `help:"With --to engram: only this category. May be repeated." placeholder:"C"`
	Exclude     []engram.Category `help:"With --to engram: leave this category out. May be repeated." placeholder:"C"`
	Purpose     string            `help:"With --to engram: the purpose, written into the export." placeholder:"TEXT"`
	IssuedTo    string            `help:"With --to engram: the URI of the assistant, https://…, did:… or urn:…. Other assistants refuse the export." placeholder:"URI"`
	ValidUntil  cli.When          `help:"With --to engram: the latest time of use." placeholder:"TIME"`
	AsOf        cli.When          `help:"With --to engram: the values at this time." placeholder:"TIME"`
	For         cli.Span          `help:"With --to engram: how long the export is valid: 90m, 12h. Default: 12h." placeholder:"TIME"`
	WithResidue bool              `help:"With --to engram: include everything Engram cannot express, in x_ump. For your own stores."`
	NoPending   bool              `help:"With --to engram: leave out corrections that wait for you."`
	NoConsents  bool              `help:"With --to engram: leave out what you granted to assistants."`
	Edition     string            `name:"engram-edition" enum:",0.1,0.1.2" default:"" help:"With --to engram: 0.1, or 0.1.2, which has constraints. Default: 0.1." placeholder:"N"`
}

// given reports whether any of the flags is set.
func (f engramFlags) given() bool {
	return len(f.Category)+len(f.Exclude) > 0 || f.Purpose != "" || f.IssuedTo != "" || !f.ValidUntil.IsZero() ||
		!f.AsOf.IsZero() || f.For.Text != "" || f.WithResidue || f.NoPending || f.NoConsents || f.Edition != ""
}

// engram writes the memory as one signed document of Engram.
func (c *ExportCmd) engram(a *cli.App, to target) error {
	q, lifetime, err := c.engramQuery(a.Now())
	if err != nil {
		return err
	}
	if lifetime > engram.MaxLifetime {
		a.Warn("warning: exports should be good for 24 hours at most: until then nobody notices that something was corrected or deleted here")
	}
	return a.With(cli.Preparing, func(o *cli.Session) error {
		way, err := Leaving(o, a.Ctx)
		if err != nil {
			return err
		}
		var report func() error
		err = o.Beliefs().ExportContext(a.Ctx, o.Caller(), q, func(v engram.View) error {
			hidden := c.edition(&v)
			c.define(&v)
			raw, s, err := Issued(o, a, v, lifetime)
			if err != nil {
				return err
			}
			report = func() error { return c.reportEngram(a, v, s, lifetime, hidden) }
			return way.Place(a, c.Output, func(w io.Writer) error {
				_, err := w.Write(append(raw, '\n'))
				return errors.Join(err, to.unsign(a))
			})
		})
		if err != nil {
			return err
		}
		return report()
	})
}

// engramQuery returns the part of the memory to export, and the export's lifetime.
func (c *ExportCmd) engramQuery(now time.Time) (engram.Query, time.Duration, error) {
	q := engram.Query{
		Scope: engram.Scope(c.Scope), Categories: c.Category, Excluded: c.Exclude,
		AsOf: c.AsOf.Time, NoPending: c.NoPending, History: c.WithResidue,
	}
	lifetime := engram.DefaultLifetime
	if c.For.Text != "" {
		lifetime = c.For.After(now).Sub(now)
	}
	flags := c.bundleFlags
	flags.Scope = ""
	switch {
	case flags != (bundleFlags{}) || slices.Contains([]string{"FULL", "DNA_ONLY", "SINCE"}, c.Scope):
		return q, 0, cli.Usagef("--history, --include-embeddings, --embedding-model, --ids, --no-sign and a --scope in capitals are for bundles; say --to %s", bundles)
	case len(c.ID)+len(c.Kind)+len(c.Project) > 0 || c.Public || c.ToPeer || !c.Since.IsZero() || c.NDJSON:
		return q, 0, cli.Usagef("an Engram export holds the memory in a scope: full, professional, personal, financial, minimal, or categories; " +
			"for single memories, --project, --kind, --public, --to-peer, --since and --ndjson say --to ump")
	case c.WellKnown != "" || c.Markdown || c.Endpoint != "" || c.Prune:
		return q, 0, cli.Usagef("--well-known, --markdown, --endpoint and --prune are for UMP documents")
	case c.IssuedTo != "" && !engram.IsRuntimeURI(c.IssuedTo):
		return q, 0, cli.Usagef("--issued-to is the URI of an assistant: https://…, did:… or urn:… [ENGRAM-3.7-7]")
	case !c.ValidUntil.IsZero() && !c.ValidUntil.After(now):
		return q, 0, cli.Usagef("--valid-until is over")
	case c.AsOf.After(now):
		return q, 0, cli.Usagef("--as-of is yet to come")
	case lifetime < time.Minute:
		return q, 0, cli.Usagef("--for is a minute at least")
	}
	return q, lifetime, q.Check()
}

// edition removes constraints that the edition cannot hold, and returns how many are
// in force.
func (c *ExportCmd) edition(v *engram.View) int {
	if c.Edition == cli.ConstraintsEdition {
		return 0
	}
	n := CountsOf(v.Memory).Constraints
	v.Constraints = nil
	return n
}

// define writes the export's purpose, recipient and latest end into it. An export for an
// assistant does not say what other assistants were granted.
func (c *ExportCmd) define(v *engram.View) {
	if c.NoConsents || c.IssuedTo != "" {
		v.Consents = nil
	}
	if c.Purpose == "" && c.IssuedTo == "" && c.ValidUntil.IsZero() {
		return
	}
	if v.Definition == nil {
		v.Definition = &engram.Definition{Included: engram.Categories(), Excluded: []engram.Category{}}
	}
	v.Definition.Purpose, v.Definition.IssuedTo, v.Definition.ValidUntil = c.Purpose, c.IssuedTo, c.ValidUntil.UTC().Truncate(time.Second)
}

// Issued signs a view as the store's issuer, with a key that stays valid for a while.
func Issued(o *cli.Session, a *cli.App, v engram.View, lifetime time.Duration) ([]byte, engram.Signer, error) {
	var err error
	if o.Config, err = o.Renewed(a, o.Config); err != nil {
		return nil, engram.Signer{}, err
	}
	s, err := o.Config.CurrentIssuer().Signer(o.Key)
	if err != nil {
		return nil, s, err
	}
	s.URL, s.Lifetime = IssuerURL(o.Config), lifetime
	raw, err := s.Issue(v, a.Now())
	return raw, s, err
}

// IssuerURL is the address of the issuer: the address of serve, unless the
// configuration sets another.
func IssuerURL(c cli.Config) string {
	if url := c.CurrentIssuer().URL; url != "" {
		return url
	}
	return "http://127.0.0.1:" + strconv.Itoa(c.Port)
}

// reportEngram reports what was exported, and how to verify it.
func (c *ExportCmd) reportEngram(a *cli.App, v engram.View, s engram.Signer, lifetime time.Duration, hidden int) error {
	end := a.Now().Add(lifetime)
	if !c.ValidUntil.IsZero() && c.ValidUntil.Before(end) {
		end = c.ValidUntil.Time
	}
	if a.JSON && !cli.IsStdout(c.Output) {
		return a.Emit(map[string]any{
			"issuer": s.URL, "kid": s.Kid, "scope": v.Scope, "until": cli.Stamp(end.UTC().Truncate(time.Second)), "counts": CountsOf(v.Memory), "consents": len(v.Consents),
		})
	}
	n := CountsOf(v.Memory)
	a.Say("exported %s, scope %s, good until %s, signed with %s of %s", exportedBeliefs(n), v.Scope, cli.Local(end), s.Kid, cli.Clean(s.URL))
	if len(v.Consents) > 0 {
		a.Say("with %s; --no-consents leaves that out", cli.Plural(len(v.Consents), "grant to an assistant", "grants to assistants"))
	}
	if n.Pending > 0 {
		a.Say("with %s for you, marked so; --no-pending leaves that out", cli.Plural(n.Pending, "correction that waits", "corrections that wait"))
	}
	if hidden > 0 {
		a.Warn("left out %s; --engram-edition 0.1.2 takes them along", cli.Plural(hidden, "constraint", "constraints"))
	}
	if !strings.HasPrefix(s.URL, "https://") {
		a.Say("others cannot fetch your keys from %s: say your address with satchel keys issuer --url https://NAME, or hand the keys out with satchel keys issuer -o FILE", cli.Clean(s.URL))
	}
	return nil
}

// exportedBeliefs says how many beliefs were exported, and how many tombstones of
// others.
func exportedBeliefs(n Counts) string {
	text := cli.Plural(n.Beliefs[engram.Active]+n.Beliefs[engram.Archived], "belief", "beliefs")
	if gone := n.Beliefs[engram.Deleted]; gone > 0 {
		text += " and " + cli.Plural(gone, "tombstone", "tombstones")
	}
	return text
}
