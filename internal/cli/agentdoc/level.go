package agentdoc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentLevelCmd struct {
	File      string `arg:"" help:"A definition, a manifest or a report, or - for standard input."`
	Direction string `default:"producer" enum:"producer,consumer,both" help:"producer: what the definition shows. consumer: what a platform has to show for those levels. Or both." placeholder:"D"`
	Require   string `help:"End with 4 unless the definition has this level: ${levels}." placeholder:"LEVEL"`

	CheckFlags
}

// levelOut lists the levels of a document, for JSON.
type levelOut struct {
	Kind     aaif.Kind    `json:"kind"`
	Held     []aaif.Level `json:"held"`
	Highest  []aaif.Level `json:"highest"` // one per branch
	Missing  []gapOut     `json:"missing"` // for every next level
	Duties   []gapOut     `json:"consumer,omitempty"`
	Claims   []claimOut   `json:"claims,omitempty"`
	Required aaif.Level   `json:"required,omitempty"`
	Met      *bool        `json:"met,omitempty"`
}

// gapOut is a missing requirement of a level, or a duty.
type gapOut struct {
	Level   aaif.Level `json:"level"`
	Pointer string     `json:"pointer"`
	Rule    string     `json:"rule"`
	Message string     `json:"message"`
}

// claimOut is a level that a platform claims.
type claimOut struct {
	Level     aaif.Level     `json:"level"`
	Direction aaif.Direction `json:"direction"`
	Passed    int            `json:"passed"`
	Total     int            `json:"total"`
}

// Run shows the levels of a document. An invalid document has none, and ends the command
// with status 3.
func (c *agentLevelCmd) Run(a *cli.App) error {
	required, err := LevelNamed(c.Require)
	if err != nil {
		return err
	}
	j, err := c.Checker(a)
	if err != nil {
		return err
	}
	d, err := Read(a, c.File)
	if err != nil {
		return err
	}
	if d.Kind != aaif.AgentKind {
		if required != "" {
			return cli.Usagef("--require is for definitions; this is a document of type %s", d.Kind)
		}
		return tellClaims(a, j, d, c.File)
	}
	if err := j.requireSound(a, d, c.File); err != nil {
		return err
	}
	j = j.withFilesOf(c.File)
	produced, err := j.produced(a, d)
	if err != nil {
		return err
	}
	out := levelsOf(d, produced)
	if c.Direction != string(aaif.Producer) {
		out.Duties = dutiesOf(out.Held)
	}
	if required != "" {
		met := slices.Contains(out.Held, required)
		out.Required, out.Met = required, &met
		out.Missing = j.gapsBelow(d, required)
		for _, m := range missingOf(produced.Missing) { // such as a malformed signature
			if slices.Contains(levelsUpTo(required), m.Level) && !slices.Contains(out.Missing, m) {
				out.Missing = append(out.Missing, m)
			}
		}
	}
	if err := out.tell(a, c.Direction); err != nil {
		return err
	}
	if required != "" && !*out.Met {
		a.Say("%s is not at level %s", cli.Clean(c.File), required)
		return cli.Silent(cli.ExitRefused)
	}
	return nil
}

// withFilesOf returns a checker that knows the files in the folder of a document, which
// tools refer to. Standard input has no folder (AAIF-6-4).
func (j Checker) withFilesOf(file string) Checker {
	if file == "-" {
		return j
	}
	j.Validator = j.WithFiles(func(path string) bool {
		if !filepath.IsLocal(path) {
			return false
		}
		info, err := os.Stat(filepath.Join(filepath.Dir(file), path))
		return err == nil && info.Mode().IsRegular()
	})
	return j
}

// LevelNamed returns a level by its name in any spelling.
func LevelNamed(name string) (aaif.Level, error) {
	for _, l := range aaif.Levels() {
		if strings.EqualFold(string(l), name) || strings.EqualFold(strings.ReplaceAll(string(l), "-", ""), name) {
			return l, nil
		}
	}
	if name == "" {
		return "", nil
	}
	return "", cli.Usagef("%s is no conformance level; there are %s", cli.Clean(name), LevelNames())
}

// LevelNames lists the levels for the help of a flag.
func LevelNames() string {
	var names []string
	for _, l := range aaif.Levels() {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

func levelsOf(d aaif.Document, produced aaif.Conformance) levelOut {
	return levelOut{
		Kind: d.Kind, Held: append([]aaif.Level{}, produced.Held...), Highest: append([]aaif.Level{}, produced.Highest()...),
		Missing: missingOf(produced.Missing),
	}
}

func missingOf(missing []aaif.Gap) []gapOut {
	out := []gapOut{}
	for _, m := range missing {
		out = append(out, gapOut{m.Level, m.Pointer, m.Rule, m.Text})
	}
	return out
}

// produced returns the levels of a definition. A wrong signature counts as none: the
// definition has no level that needs one (AAIF-6-8, AAIF-12-17).
func (j Checker) produced(a *cli.App, d aaif.Document) (aaif.Conformance, error) {
	produced := j.Produced(d)
	if !produced.Has(aaif.Enterprise) {
		return produced, nil
	}
	_, err := (&agentVerifyCmd{}).verify(a, d, &agentSignature{})
	switch err = changedSince(a, d, err); {
	case err == nil:
		return produced, nil
	case aaif.CodeOf(err) == aaif.SignatureUntrusted:
		a.Warn("its signature is of a key that is not known here: whether it is of what the definition says now was not checked; satchel agent verify --key KEY does")
		return produced, nil
	case aaif.CodeOf(err) != aaif.SignatureInvalid:
		return produced, err
	}
	wrong := parseErrors(err)[0]
	over := func(l aaif.Level) bool { return l.Below() == aaif.Enterprise }
	produced.Held = slices.DeleteFunc(produced.Held, func(l aaif.Level) bool { return l == aaif.Enterprise || over(l) })
	produced.Missing = slices.DeleteFunc(produced.Missing, func(m aaif.Gap) bool { return over(m.Level) })
	produced.Missing = append(produced.Missing, aaif.Gap{Level: aaif.Enterprise, Pointer: wrong.Path, Rule: wrong.Rule, Text: wrong.Err.Error()})
	return produced, nil
}

// levelsUpTo returns a level and those below it.
func levelsUpTo(level aaif.Level) (all []aaif.Level) {
	for l := level; l != ""; l = l.Below() {
		all = append(all, l)
	}
	return all
}

// gapsBelow returns the gaps up to a level: those of the levels below it count, those of
// other branches do not.
func (j Checker) gapsBelow(d aaif.Document, level aaif.Level) []gapOut {
	return missingOf(j.Lacks(d, level))
}

// reach refuses a definition below a level (AAIF-6-14).
func (j Checker) reach(d aaif.Document, level aaif.Level) error {
	if level == "" || j.Produced(d).Has(level) {
		return nil
	}
	var lacks []string
	for _, m := range j.gapsBelow(d, level) {
		lacks = append(lacks, fmt.Sprintf("%s: %s [%s]", m.Pointer, m.Message, m.Rule))
	}
	return cli.Refusedf("this definition is not at level %s: %s", level, cli.Clean(strings.Join(lacks, "; ")))
}

// dutiesOf lists the duties of consumers at some levels.
func dutiesOf(levels []aaif.Level) []gapOut {
	var duties []gapOut
	for _, d := range aaif.Duties() {
		if slices.Contains(levels, d.Level) {
			duties = append(duties, gapOut{Level: d.Level, Rule: d.Rule, Message: d.Text})
		}
	}
	return duties
}

func (o levelOut) tell(a *cli.App, direction string) error {
	if a.JSON {
		return a.Emit(o)
	}
	if direction != string(aaif.Consumer) {
		o.lattice(a)
	}
	for _, d := range o.Duties {
		a.Print("consumer  %-11s %s [%s]", d.Level, d.Message, d.Rule)
	}
	return nil
}

// lattice prints the levels in their order.
func (o levelOut) lattice(a *cli.App) {
	for _, l := range aaif.Levels() {
		var lacks []gapOut
		for _, m := range o.Missing {
			if m.Level == l {
				lacks = append(lacks, m)
			}
		}
		switch {
		case slices.Contains(o.Held, l):
			a.Print("held      %s", l)
		case len(lacks) == 0 && o.Required == "":
			a.Print("later     %s, after %s", l, l.Below())
		}
		for _, m := range lacks {
			a.Print("missing   %s: %s: %s [%s]", l, cli.Clean(m.Pointer), cli.Clean(m.Message), m.Rule)
		}
	}
}

// tellClaims prints the claims of a manifest or a report, which the document cannot
// prove.
func tellClaims(a *cli.App, j Checker, d aaif.Document, path string) error {
	out := levelOut{Kind: d.Kind, Held: []aaif.Level{}, Highest: []aaif.Level{}, Missing: []gapOut{}, Claims: []claimOut{}}
	switch d.Kind {
	case aaif.ManifestKind:
		out.Claims = append(out.Claims, claimOut{Level: aaif.Level(d.Value.Get("platform").Get("aaif_conformance_level").Text()), Direction: aaif.Consumer})
	case aaif.ReportKind:
		for _, item := range d.Value.Get("claims").Items() {
			suite := item.Get("test_suite")
			out.Claims = append(out.Claims, claimOut{aaif.Level(item.Get("level").Text()), aaif.Direction(item.Get("direction").Text()), int(suite.Get("passed").Float()), int(suite.Get("total").Float())})
		}
	default:
		return cli.Usagef("a document of type %s has no level; name a definition, a manifest or a report", d.Kind)
	}
	if err := j.requireSound(a, d, path); err != nil {
		return err
	}
	if d.Kind == aaif.ReportKind {
		for _, p := range aaif.ReadReport(d.Value).UnprovenClaims() {
			a.Warn("%s: %s [%s]", cli.Clean(p.Path), cli.Clean(p.Err.Error()), p.Rule)
			out.Missing = append(out.Missing, gapOut{Pointer: p.Path, Rule: p.Rule, Message: p.Err.Error()})
		}
	}
	if a.JSON {
		return a.Emit(out)
	}
	for _, c := range out.Claims {
		run := ""
		if c.Total > 0 {
			run = fmt.Sprintf(", %d of %d passed", c.Passed, c.Total)
		}
		a.Print("claimed   %s as %s%s", cli.Clean(string(c.Level)), cli.Clean(string(c.Direction)), run)
	}
	return nil
}
