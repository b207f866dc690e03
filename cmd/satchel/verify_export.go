package main

import "github.com/satchel-memory/satchel/engram"

// judgeFlags say how an export of Engram is judged.
type judgeFlags struct {
	Issuer   string `help:"For an export: the address of the required issuer. Default: any trusted issuer." placeholder:"URL"`
	Audience string `help:"For an export: the URI of the assistant that uses it. Default: any." placeholder:"URI"`
	Fetch    bool   `help:"For an export of an unknown issuer: fetch its keys once from the address in the export. The signature can then be valid, but its signer stays unknown."`
}

// judging returns how exports are judged by these flags and keys that were named.
func (f judgeFlags) judging(a *app, named []string) (judging, error) {
	how := judging{issuer: f.Issuer, audience: f.Audience, fetch: f.Fetch}
	if err := checkIssuerURL(f.Issuer); err != nil {
		return how, err
	}
	for _, arg := range named {
		found, _, err := a.issuerKeysNamed(arg, f.Issuer)
		if err == nil {
			how.keys, err = joinedKeys(how.keys, found)
		}
		if err != nil {
			return how, err
		}
	}
	return how, nil
}

// verifyExport says what an export is worth.
func (c *verifyCmd) verifyExport(a *app, d *document) error {
	if c.Signature != "" {
		return usagef("--signature goes with a bundle; an export holds its own")
	}
	how, err := c.judging(a, c.Key)
	if err != nil {
		return err
	}
	raw, err := d.export()
	if err != nil {
		return err
	}
	j, err := a.judge(raw, how)
	if err != nil {
		return err
	}
	if a.json {
		err = a.emit(j)
	} else {
		j.show(a)
	}
	if status := j.status(c.AllowUnsigned); err == nil && status != exitDone {
		err = silent(status)
	}
	return err
}

// show tells people what an export is worth.
func (j judged) show(a *app) {
	a.print("%s", j.words())
	if j.Verdict != rejectedExport {
		a.print("%s, issued %s, good until %s", scopeOf(j.doc), localStamp(j.Issued), localStamp(j.Until))
	}
	for _, w := range j.Warnings {
		a.warn("warning: %s", clean(w))
	}
	j.advise(a)
}

// scopeOf says in words which part of a memory an export holds, and for whom.
func scopeOf(d engram.Document) string {
	text := "scope " + clean(string(d.Scope))
	if d.Definition == nil {
		return text
	}
	if d.Scope == engram.Custom {
		text += " ("
		for i, c := range d.Definition.Included {
			if i > 0 {
				text += ", "
			}
			text += oneLine(string(c), 30)
		}
		text += ")"
	}
	if d.Definition.IssuedTo != "" {
		text += ", for " + oneLine(d.Definition.IssuedTo, 100)
	}
	if d.Definition.Purpose != "" {
		text += ", " + oneLine(d.Definition.Purpose, 100)
	}
	return text
}
