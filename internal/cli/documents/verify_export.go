package documents

import (
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// JudgeFlags say how to judge an export of Engram.
type JudgeFlags struct {
	Issuer   string `help:"For an export: the address of the required issuer. Default: any trusted issuer." placeholder:"URL"`
	Audience string `help:"For an export: the URI of the assistant that uses it. Default: any." placeholder:"URI"`
	Fetch    bool   `help:"For an export of an unknown issuer: fetch its keys once from the address in the export. The signature can then be valid, but its signer stays unknown."`
}

// Judging returns how to judge exports by these flags and the named keys.
func (f JudgeFlags) Judging(a *cli.App, named []string) (Judging, error) {
	how := Judging{issuer: f.Issuer, audience: f.Audience, fetch: f.Fetch}
	if err := cli.CheckIssuerURL(f.Issuer); err != nil {
		return how, err
	}
	for _, arg := range named {
		found, _, err := IssuerKeysNamed(a, arg, f.Issuer)
		if err == nil {
			how.keys, err = JoinedKeys(how.keys, found)
		}
		if err != nil {
			return how, err
		}
	}
	return how, nil
}

// verifyExport judges an export and prints the verdict.
func (c *VerifyCmd) verifyExport(a *cli.App, d *document) error {
	if c.Signature != "" {
		return cli.Usagef("--signature goes with a bundle; an export holds its own")
	}
	how, err := c.Judging(a, c.Key)
	if err != nil {
		return err
	}
	raw, err := d.Export()
	if err != nil {
		return err
	}
	j, err := Judge(a, raw, how)
	if err != nil {
		return err
	}
	if a.JSON {
		err = a.Emit(j)
	} else {
		j.show(a)
	}
	if status := j.Status(c.AllowUnsigned); err == nil && status != cli.ExitDone {
		err = cli.Silent(status)
	}
	return err
}

// show prints the verdict for people.
func (j ExportVerdict) show(a *cli.App) {
	a.Print("%s", j.Words())
	if j.Verdict != rejectedExport {
		a.Print("%s, issued %s, good until %s", scopeOf(j.Doc), LocalStamp(j.Issued), LocalStamp(j.Until))
	}
	for _, w := range j.Warnings {
		a.Warn("warning: %s", cli.Clean(w))
	}
	j.Advise(a)
}

// scopeOf describes the part of a memory that an export holds, and its recipient.
func scopeOf(d engram.Document) string {
	text := "scope " + cli.Clean(string(d.Scope))
	if d.Definition == nil {
		return text
	}
	if d.Scope == engram.Custom {
		text += " ("
		for i, c := range d.Definition.Included {
			if i > 0 {
				text += ", "
			}
			text += cli.OneLine(string(c), 30)
		}
		text += ")"
	}
	if d.Definition.IssuedTo != "" {
		text += ", for " + cli.OneLine(d.Definition.IssuedTo, 100)
	}
	if d.Definition.Purpose != "" {
		text += ", " + cli.OneLine(d.Definition.Purpose, 100)
	}
	return text
}
