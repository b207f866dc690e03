package conform

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agent"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/vault/health"
)

type conformanceAAIFCmd struct {
	cli.Server

	Key      string   `help:"A key file that the platform trusts, to sign definitions and migration tokens. Without it and --own, some rows are not tried." placeholder:"FILE"`
	Issuer   string   `default:"conformance" help:"The name by which the platform knows the key." placeholder:"NAME"`
	Audience string   `help:"The name of the platform in migration tokens. Default: that of its manifest." placeholder:"NAME"`
	States   string   `default:"/aaif/states" help:"The path where the platform accepts states." placeholder:"PATH"`
	Handoff  string   `default:"/aaif/handoff" help:"The path where the platform accepts handoffs." placeholder:"PATH"`
	Runs     string   `default:"/aaif/runs" help:"The path where the platform shows runs." placeholder:"PATH"`
	Listen   string   `default:"127.0.0.1:18790" help:"Where this command plays a model and tools for an agent that the platform runs. The platform must reach it." placeholder:"ADDR"`
	Level    string   `help:"For documents: definitions must have this level: ${levels}." placeholder:"LEVEL"`
	More     []string `arg:"" optional:"" help:"More documents, or folders of documents."`
}

// Run tests a platform or documents, and ends with status 1 unless every row that counts
// passes.
func (c *conformanceAAIFCmd) Run(a *cli.App) error {
	for i, id := range rowsOf("AAIF-", c.Only) {
		if !aaifsuite.Tries(id) {
			return cli.Usagef("there is no row %s", cli.Clean(c.Only[i]))
		}
	}
	if !strings.HasPrefix(c.URL, "http://") && !strings.HasPrefix(c.URL, "https://") {
		return c.documents(a)
	}
	if len(c.More) > 0 {
		return cli.Usagef("one platform is tried at a time: %s is too much", cli.Clean(c.More[0]))
	}
	client, err := c.Client()
	if err != nil {
		return err
	}
	target := aaifsuite.Target{
		URL: c.URL, Client: client, Issuer: c.Issuer, Audience: c.Audience, States: c.States, Handoff: c.Handoff, Runs: c.Runs, Listen: c.Listen, Strict: c.Strict,
		Only: rowsOf("AAIF-", c.Only), Now: a.Now, Random: rand.Reader,
	}
	if err := c.credentials(a, &target); err != nil {
		return err
	}
	if err := reachable(a, client, c.URL); err != nil {
		return c.WithAdvice(err)
	}
	return c.platform(a, target)
}

// platform tests a platform.
func (c *conformanceAAIFCmd) platform(a *cli.App, target aaifsuite.Target) error {
	tried, clear := progress(a)
	began := a.Now()
	summary, err := aaifsuite.Run(a.Ctx, target, tried)
	clear()
	switch {
	case errors.Is(err, aaifsuite.ErrToken):
		return cli.Refusedf("%w: give --token or --token-file; of satchel serve, the file token in the store's folder holds one", err)
	case err != nil:
		return c.WithAdvice(err)
	}
	if err := c.tell(a, summary); err != nil {
		return err
	}
	c.needs(a, summary)
	if err := c.keepShown(a, summary, began); err != nil {
		return err
	}
	if !summary.OK() {
		return cli.Silent(cli.ExitFailed)
	}
	return nil
}

// aaifHands act for the owner of the store under test.
type aaifHands struct{ app *cli.App }

// Audit implements [aaifsuite.Hands].
func (h aaifHands) Audit(ctx context.Context, alter func([][]byte) [][]byte) (entries int64, sound bool, err error) {
	o, err := h.app.Open(cli.Reading)
	if err != nil {
		return 0, false, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	report, err := health.New(o.Vault).TryAudit(ctx, o.Caller(), alter)
	return report.Entries, report.Sound(), err
}

// Promote implements [aaifsuite.Hands].
func (h aaifHands) Promote(_ context.Context, id string) error { return agent.Promote(h.app, id) }

// credentials finds the token, and the key to sign with.
func (c *conformanceAAIFCmd) credentials(a *cli.App, t *aaifsuite.Target) error {
	u, err := c.Address()
	if err != nil {
		return err
	}
	if t.Token, err = c.ReadToken(a); err != nil {
		return err
	}
	own := t.Token == "" && c.Own
	if t.Token == "" && !own {
		return cli.Usagef("a run needs a token that may have definitions taken in: give --token or --token-file, or --own for the server of this store")
	}
	if err := c.Unread(u); err != nil {
		return err
	}
	if own {
		t.Remove, t.Hands = true, aaifHands{a}
		if t.Token, err = ownToken(a); err != nil {
			return err
		}
	}
	if own || c.Key != "" {
		if t.Key, err = agentdoc.SigningKey(a, c.Key); err != nil {
			return err
		}
	}
	after := "which stay there"
	if t.Remove {
		after = "which are removed in the end"
	}
	a.Say("%s will take in agents and some of their states, %s", cli.Clean(c.URL), after)
	return nil
}

// tell prints the results.
func (c *conformanceAAIFCmd) tell(a *cli.App, s aaifsuite.Summary) error {
	if a.JSON {
		return a.Emit(map[string]any{
			"platform": c.URL, "name": s.Platform, "level": s.Level, "levels_shown": cli.OrEmpty(s.Levels()), "strict": c.Strict, "ok": s.OK(), "partial": s.Partial, "counts": s.Counts,
			"rows": s.Rows, "left": cli.OrEmpty(s.Left), "needs": cli.OrEmpty(s.Needs),
		})
	}
	printRows(a, c.All, aaifRow, s.Rows)
	if len(s.Left) > 0 {
		a.Say("it stays there: %s", cli.Clean(strings.Join(s.Left, ", ")))
	}
	a.Print("%s (%s) %s: %s", cli.Clean(c.URL), cli.Clean(s.Platform), standing("AAIF 3.4", s.OK(), s.Partial), tally(s.Counts))
	if len(c.Only) == 0 {
		a.Print("the manifest claims the level %s; these rows show %s", cli.OneLine(cmp.Or(s.Level, "none"), 40), levelWords(s.Levels()))
	}
	return nil
}

// levelWords lists levels.
func levelWords(levels []aaif.Level) string {
	if len(levels) == 0 {
		return "no level"
	}
	var names []string
	for _, l := range levels {
		names = append(names, string(l))
	}
	return "the levels " + strings.Join(names, ", ")
}

// needs says what the operator has to allow before runs of agents can be tried. Nothing
// writes it unasked: it lets an agent call programs of this machine.
func (c *conformanceAAIFCmd) needs(a *cli.App, s aaifsuite.Summary) {
	if len(s.Needs) == 0 {
		return
	}
	a.Say("rows about agents that run were not tried. To try them, put this into the tables of the platform's store, beside what is there, start its server again, and take it out afterwards:")
	for _, line := range s.Needs {
		a.Say("  %s", cli.Clean(line))
	}
}

// aaifRow is the form of a row in print.
const aaifRow = "%-14s %-13s %-8s %s"

// plainly describes a document in one line.
func plainly(d examinedFile) string {
	kind := string(d.Kind)
	if kind == "" {
		kind = "no document of AAIF"
	}
	if len(d.Levels) > 0 {
		kind += fmt.Sprintf(", level %s", strings.Join(d.Levels, " and "))
	}
	return kind
}
