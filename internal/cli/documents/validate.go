package documents

import (
	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// ValidateCmd is the command satchel validate.
type ValidateCmd struct {
	File    string `arg:"" help:"A file, a folder, an archive, or - for standard input."`
	From    string `name:"format" aliases:"from" help:"The format. Default: detected." placeholder:"FORMAT"`
	Strict  bool   `help:"Apply the rules for writers: report unknown members and warnings too. For a context file, warnings count as errors."`
	Partial bool   `help:"For a context file: it is a part, without a conversation."`
	Force   bool   `help:"For a context file: check a later major version too."`
}

// violation is one finding for machines.
type violation struct {
	File     string `json:"file,omitempty"`
	Path     string `json:"path,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Message  string `json:"message"`
	Warning  bool   `json:"warning,omitempty"` // the document is still valid
	Line     int    `json:"line,omitempty"`    // this and the fields below: of context files
	Section  string `json:"section,omitempty"`
	Code     string `json:"code,omitempty"`
	Severity string `json:"severity,omitempty"`

	text string // for people
}

func violationOf(e *codec.ParseError) violation {
	return violation{File: e.File, Path: e.Path, Rule: e.Rule, Message: e.Err.Error(), Warning: e.Warning, text: e.Error()}
}

// violationList collects the violations of a document. People see each one at once;
// machines get the first mostViolations, and the total.
type violationList struct {
	app   *cli.App
	found []violation
	total int
	wrong int // violations, without warnings
}

const mostViolations = 10_000

func (v *violationList) add(one violation) {
	v.total++
	if !one.Warning {
		v.wrong++
	}
	if !v.app.JSON {
		one.show(v.app)
	} else if len(v.found) < mostViolations {
		v.found = append(v.found, one)
	}
}

// judge finds the violations of a document.
func (c *ValidateCmd) judge(a *cli.App, d *document) (*violationList, error) {
	v := &violationList{app: a}
	if d.isContextFile() {
		found, err := c.findings(d)
		for _, one := range found {
			v.add(one)
		}
		return v, err
	}
	if c.Partial || c.Force {
		return v, cli.Usagef("--partial and --force are for context files; this is %s", d.Format.Name)
	}
	err := d.Validate(d.Source, codec.Options{Strict: c.Strict, Now: a.Now, Owner: inspected}, func(e *codec.ParseError) {
		v.add(violationOf(e))
	})
	return v, err
}

// show prints the violation for people.
func (v violation) show(a *cli.App) {
	grade := ""
	switch {
	case v.Severity == aicf.Notice.String():
		grade = "notice: "
	case v.Warning:
		grade = "warning: "
	}
	a.Print("%s%s", grade, cli.Clean(v.text))
}

// Run prints every violation; a document with any that is not a warning ends with
// status 3.
func (c *ValidateCmd) Run(a *cli.App) error {
	d, err := ReadDocument(a, c.File, c.From)
	if err != nil {
		return err
	}
	defer d.Close()
	v, err := c.judge(a, d)
	if err != nil {
		return err
	}
	wrong := v.wrong
	out := map[string]any{"format": d.Format.Name, "valid": wrong == 0, "violations": append([]violation{}, v.found...)}
	if more := v.total - len(v.found); more > 0 {
		out["violations_not_listed"] = more
	}
	if d.isBundle() && wrong == 0 {
		s, err := sumUp(a, d, c.File)
		if err != nil {
			return err
		}
		out["bundle"] = s
		s.warn(a)
	}
	if d.isExport() && wrong == 0 {
		s, err := sumUpExport(a, d)
		if err != nil {
			return err
		}
		out["export"] = s
		for _, w := range s.Judged.Warnings {
			a.Warn("warning: %s", cli.Clean(w))
		}
		a.Say("%s", s.Judged.Words())
	}
	if a.JSON {
		if err := a.Emit(out); err != nil {
			return err
		}
	}
	if wrong > 0 {
		a.Say("%s: %s", cli.Clean(d.Source.Name), cli.Plural(wrong, "violation", "violations"))
		return cli.Silent(cli.ExitInvalid)
	}
	a.Say("%s: valid %s", cli.Clean(d.Source.Name), d.Format.Name)
	return nil
}
