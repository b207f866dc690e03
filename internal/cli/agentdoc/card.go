package agentdoc

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
)

type agentCardCmd struct {
	File         string `arg:"" help:"A definition, or - for standard input."`
	URL          string `name:"url" required:"" help:"The URL of the agent." placeholder:"URL"`
	A2A          string `name:"a2a" aliases:"a2a-version" default:"1.0" enum:"1.0,0.3" help:"The edition of A2A: 1.0 or 0.3." placeholder:"V"`
	Definition   string `help:"The URL of the definition, which the card names." placeholder:"URL"`
	Output       string `short:"o" help:"The file for the card. Default: standard output." placeholder:"FILE"`
	StrictLosses bool   `help:"End with 5 if the card lost anything. The card is written in any case."`

	OverFlags
	documents.ReportFlags
}

// Run writes the card of a definition, and lists what the card does not hold. A card is
// public, and holds no instructions, tools or rules.
func (c *agentCardCmd) Run(a *cli.App) error {
	if err := c.fit(); err != nil {
		return err
	}
	_, d, err := CheckFlags{}.definition(a, c.File)
	if err != nil {
		return err
	}
	card, losses, err := a2a.To(aaif.ReadDefinition(d.Value), a2a.Options{URL: c.URL, Version: a2a.Version(c.A2A), Definition: c.Definition})
	if err != nil {
		return err
	}
	if err := putForeign(a, Placement{Path: c.Output, OverFlags: c.OverFlags}, cardWords, card); err != nil {
		return err
	}
	return tellLosses(a, c.Output, c.ReportFlags, c.StrictLosses, foreignLosses{cardFormat, documents.OnWriting, losses})
}

// fit refuses addresses that cannot be requested.
func (c *agentCardCmd) fit() error {
	for _, at := range []struct{ flag, address string }{{"--url", c.URL}, {"--definition", c.Definition}} {
		u, err := url.Parse(at.address)
		if at.address != "" && (err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https") {
			return cli.Usagef("%s takes an address such as https://agents.example/clerk", at.flag)
		}
	}
	return nil
}

// foreignLosses are the losses of a conversion to or from a foreign format.
type foreignLosses struct {
	format, direction string
	losses            []codec.Loss
}

// showLost lists the losses by reason. It shows the ordinary losses of a public card only
// if they are rules of the agent.
func showLost(a *cli.App, losses []documents.LossOut) {
	var reasons []string
	places := map[string][]string{}
	mild := map[string]bool{}
	for _, l := range losses {
		if places[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		places[l.Reason] = append(places[l.Reason], cmp.Or(l.Pointer, "the document"))
		mild[l.Reason] = !exchange.Matters(l.Loss) || l.Format == cardFormat && !strings.HasSuffix(l.Reason, bindingRule)
	}
	for _, reason := range reasons {
		show := a.Warn
		if mild[reason] {
			show = a.Say
		}
		show("lost: %s: %s", cli.OneLine(strings.Join(places[reason], ", "), mostOfPlaces), cli.Clean(reason))
	}
}

const (
	cardFormat   = "a2a"
	bindingRule  = "[AAIF-12-6]" // marks lost constraints and compliance
	mostOfPlaces = 800
)

// tellLosses shows the losses, and writes them to a report.
func tellLosses(a *cli.App, out string, report documents.ReportFlags, strict bool, losses ...foreignLosses) error {
	all := report.Ledger()
	for _, f := range losses {
		all.Lost(f.direction, f.format, f.losses)
	}
	if err := all.File(); err != nil {
		return err
	}
	if a.JSON && !cli.IsStdout(out) {
		if err := a.Emit(map[string]any{"file": out, "format": losses[len(losses)-1].format, "losses": append([]documents.LossOut{}, all.Losses...)}); err != nil {
			return err
		}
	} else {
		showLost(a, all.Losses)
	}
	n := 0
	for _, l := range all.Losses {
		if exchange.Matters(l.Loss) {
			n++
		}
	}
	if strict && n > 0 {
		a.Warn("%s lost on the way, and --strict-losses was given", cli.Plural(n, "detail was", "details were"))
		return cli.Silent(cli.ExitDiffers)
	}
	return nil
}
