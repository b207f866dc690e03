package agent

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

	agentJudgeFlags
}

// levelOut says which levels a document has, for machines.
type levelOut struct {
	Kind     aaif.Kind    `json:"kind"`
	Held     []aaif.Level `json:"held"`
	Highest  []aaif.Level `json:"highest"` // one of each branch
	Missing  []missingOut `json:"missing"` // for every level that is next
	Duties   []missingOut `json:"consumer,omitempty"`
	Claims   []claimOut   `json:"claims,omitempty"`
	Required aaif.Level   `json:"required,omitempty"`
	Met      *bool        `json:"met,omitempty"`
}

// missingOut is what keeps something from a level, or what it asks for.
type missingOut struct {
	Level   aaif.Level `json:"level"`
	Pointer string     `json:"pointer"`
	Rule    string     `json:"rule"`
	Message string     `json:"message"`
}

// claimOut is a level that a platform says to have.
type claimOut struct {
	Level     aaif.Level     `json:"level"`
	Direction aaif.Direction `json:"direction"`
	Passed    int            `json:"passed"`
	Total     int            `json:"total"`
}

// Run says which levels a document has. One that does not validate has none, and ends
// with status 3.
func (c *agentLevelCmd) Run(a *cli.App) error {
	required, err := LevelNamed(c.Require)
	if err != nil {
		return err
	}
	j, err := c.judge(a)
	if err != nil {
		return err
	}
	d, err := agentDocument(a, c.File)
	if err != nil {
		return err
	}
	if d.Kind != aaif.AgentKind {
		if required != "" {
			return cli.Usagef("--require is for definitions; this is a document of type %s", d.Kind)
		}
		return claimed(a, j, d, c.File)
	}
	if err := j.sound(a, d, c.File); err != nil {
		return err
	}
	j = j.beside(c.File)
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
		out.Missing = j.keeping(d, required)
		for _, m := range missingOf(produced.Missing) { // such as a signature that only looks like one
			if slices.Contains(upTo(required), m.Level) && !slices.Contains(out.Missing, m) {
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

// beside returns a judge that knows the files in the folder of a document, which tools
// refer to; of standard input there is none (AAIF-6-4).
func (j agentJudge) beside(file string) agentJudge {
	if file == "-" {
		return j
	}
	j.Validator = j.Beside(func(path string) bool {
		if !filepath.IsLocal(path) {
			return false
		}
		info, err := os.Stat(filepath.Join(filepath.Dir(file), path))
		return err == nil && info.Mode().IsRegular()
	})
	return j
}

// LevelNamed returns a level by its name, however that is spelled.
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

func missingOf(missing []aaif.Missing) []missingOut {
	out := []missingOut{}
	for _, m := range missing {
		out = append(out, missingOut{m.Level, m.Pointer, m.Rule, m.Text})
	}
	return out
}

// produced returns the levels of a definition. A signature that is there and wrong is none:
// with it no level is held that needs one, nor what is above (AAIF-6-8, AAIF-12-17).
func (j agentJudge) produced(a *cli.App, d aaif.Document) (aaif.Conformance, error) {
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
	produced.Missing = slices.DeleteFunc(produced.Missing, func(m aaif.Missing) bool { return over(m.Level) })
	produced.Missing = append(produced.Missing, aaif.Missing{Level: aaif.Enterprise, Pointer: wrong.Path, Rule: wrong.Rule, Text: wrong.Err.Error()})
	return produced, nil
}

// upTo returns a level and those below it.
func upTo(level aaif.Level) (all []aaif.Level) {
	for l := level; l != ""; l = l.Below() {
		all = append(all, l)
	}
	return all
}

// keeping returns all that keeps a definition from a level: what is missing for the levels
// below it counts, that of other branches does not.
func (j agentJudge) keeping(d aaif.Document, level aaif.Level) []missingOut {
	return missingOf(j.Lacks(d, level))
}

// reach refuses a definition that does not have a level (AAIF-6-14).
func (j agentJudge) reach(d aaif.Document, level aaif.Level) error {
	if level == "" || j.Produced(d).Has(level) {
		return nil
	}
	var lacks []string
	for _, m := range j.keeping(d, level) {
		lacks = append(lacks, fmt.Sprintf("%s: %s [%s]", m.Pointer, m.Message, m.Rule))
	}
	return cli.Refusedf("this definition is not at level %s: %s", level, cli.Clean(strings.Join(lacks, "; ")))
}

// dutiesOf lists what a consumer has to show for levels.
func dutiesOf(levels []aaif.Level) []missingOut {
	var duties []missingOut
	for _, d := range aaif.Duties() {
		if slices.Contains(levels, d.Level) {
			duties = append(duties, missingOut{Level: d.Level, Rule: d.Rule, Message: d.Text})
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

// lattice prints the levels as they stand above each other.
func (o levelOut) lattice(a *cli.App) {
	for _, l := range aaif.Levels() {
		var lacks []missingOut
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

// claimed tells what a manifest or a report claims, which nothing in it shows.
func claimed(a *cli.App, j agentJudge, d aaif.Document, path string) error {
	out := levelOut{Kind: d.Kind, Held: []aaif.Level{}, Highest: []aaif.Level{}, Missing: []missingOut{}, Claims: []claimOut{}}
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
	if err := j.sound(a, d, path); err != nil {
		return err
	}
	if d.Kind == aaif.ReportKind {
		for _, p := range aaif.ReadReport(d.Value).Unborne() {
			a.Warn("%s: %s [%s]", cli.Clean(p.Path), cli.Clean(p.Err.Error()), p.Rule)
			out.Missing = append(out.Missing, missingOut{Pointer: p.Path, Rule: p.Rule, Message: p.Err.Error()})
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
