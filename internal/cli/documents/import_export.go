package documents

import (
	"fmt"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// takeInFlags steer the import of an Engram export.
type takeInFlags struct {
	AllowUnsigned bool `help:"For an export: accept one without a signature."`
	AllowExpired  bool `help:"For an export: accept an expired one."`
	Fetch         bool `help:"For an export of an unknown issuer: fetch its keys once from the address in the export, and check the signature with them."`

	judging Judging
}

// said reports whether any of the flags is set.
func (f takeInFlags) said() bool { return f.AllowUnsigned || f.AllowExpired || f.Fetch }

// how returns how to judge an export before its import.
func (f takeInFlags) how(a *cli.App, named []string) (Judging, error) {
	how, err := JudgeFlags{Fetch: f.Fetch}.Judging(a, named)
	how.expired = f.AllowExpired
	return how, err
}

// fitsExport refuses flags that have no meaning for an export.
func (c *ImportCmd) fitsExport(d *document, alone bool) error {
	switch {
	case c.Project != "" || c.Here || c.Adopt != "":
		return cli.Usagef("%s is an Engram export: what is in it becomes yours, and of no project. Leave --project, --here and --adopt out, "+
			"or make records of it first (satchel convert) and import those", cli.Clean(d.Source.Name))
	case alone && (c.Signature != "" || c.OnNewer == string(aimem.UpdateNewer) || c.AcceptForeignIDs || c.Restore):
		return cli.Usagef("%s is an Engram export; --signature, --on-newer, --accept-foreign-ids and --restore are for bundles: of a belief the later change wins, and what was deleted here stays deleted", cli.Clean(d.Source.Name))
	case c.Verify == string(aimem.RequireSignature) && (c.AllowUnsigned || c.Fetch):
		return cli.Usagef("--verify require takes in what an issuer has signed that is known: leave --allow-unsigned and --fetch out")
	}
	return nil
}

// takenExport is the result of an export's import.
type takenExport struct {
	Format  string `json:"format"`
	Name    string `json:"name"`
	DryRun  bool   `json:"dry_run"`
	Checked bool   `json:"signature_checked"`
	ExportVerdict
	Added     int      `json:"added"`
	Updated   int      `json:"updated"`
	Deleted   int      `json:"deleted"`
	Unchanged int      `json:"unchanged"`
	Older     int      `json:"older"`
	Identity  bool     `json:"identity"`
	Notes     []string `json:"notes"`

	Secrets *secretsFound `json:"secrets,omitempty"`
}

// takeExport verifies an export and imports it (decision E-47).
func (c *ImportCmd) takeExport(a *cli.App, o *cli.Session, d *document) (takenExport, error) {
	out := takenExport{Format: d.Format.Name, Name: d.Source.Name, DryRun: c.DryRun, Checked: c.Verify != string(aimem.SkipSignature)}
	raw, err := d.Export()
	if err != nil {
		return out, err
	}
	if out.ExportVerdict, err = c.judgeExport(a, o, raw); err != nil {
		return out, err
	}
	done, err := o.Beliefs().ImportContext(a.Ctx, o.Caller(), out.Doc, c.DryRun)
	out.Added, out.Updated, out.Deleted, out.Unchanged, out.Older = done.Added, done.Updated, done.Deleted, done.Unchanged, done.Older
	out.Identity, out.Notes = done.Identity, append([]string{}, done.Warnings...)
	if err == nil {
		out.Secrets = c.inExport(raw)
	}
	return out, err
}

// judgeExport judges an export, and refuses one that may not be imported.
func (c *ImportCmd) judgeExport(a *cli.App, o *cli.Session, raw []byte) (ExportVerdict, error) {
	if c.Verify == string(aimem.SkipSignature) {
		doc, _, err := engram.Parse(raw, engram.ReadOptions{})
		return outline(doc), err
	}
	how := c.judging
	how.expired = c.AllowExpired
	j, err := JudgeWith(a, raw, how, func(issuer string) (KnownKeys, error) { return KeysOfIssuer(o, a, issuer) })
	if err != nil {
		return j, err
	}
	if err = c.admit(j); err != nil && j.Refusal != nil {
		j.Advise(a)
	}
	return j, err
}

// admit says why an export is refused, and what the owner can do.
func (c *ImportCmd) admit(j ExportVerdict) error {
	switch j.Verdict {
	case goodExport:
		return nil
	case unknownIssuer:
		return nil // the user asked to fetch the keys
	case unsignedExport:
		if c.AllowUnsigned {
			return nil
		}
		return cli.Refusedf("nobody signed it, and so nothing says whose it is: --allow-unsigned takes it in all the same [ENGRAM-12.6-2]")
	case unknownKeys:
		return cli.Refusedf("no key of its issuer %s is known here. If you know the issuer: satchel trust add %[1]s. --fetch asks it for its keys this once", cli.Clean(j.Issuer))
	}
	if j.Refusal != nil && (j.Refusal.Reason == engram.Expired || j.Refusal.Reason == engram.KeyExpired) {
		return cli.Refusedf("%s; --allow-expired takes it in for what it was when it was issued [%s]", j.Reason, j.Rule)
	}
	status := cli.ExitRefused
	if j.Refusal != nil && (j.Refusal.Reason == engram.MalformedExport || j.Refusal.Reason == engram.VersionRefused) {
		status = cli.ExitInvalid
	}
	return cli.WithStatus(status, fmt.Errorf("the export is not to be used: %s [%s]", j.Reason, j.Rule))
}

// lost lists the differences between the import and the export.
func (t takenExport) lost() []codec.Loss {
	var losses []codec.Loss
	for _, note := range t.Notes {
		losses = append(losses, codec.Loss{Reason: note})
	}
	return losses
}

func (t takenExport) machineReadable() (any, error) { return t, nil }

// show reports the import of an export to people.
func (t takenExport) show(a *cli.App) {
	verb := "imported"
	if t.DryRun {
		verb = "would import"
	}
	a.Print("%s %s (engram): %d added, %d updated, %d deleted, %d known already, %d newer here", verb, cli.Clean(t.Name), t.Added, t.Updated, t.Deleted, t.Unchanged, t.Older)
	if t.Identity {
		a.Print("  and who you are: satchel passport shows it")
	}
	t.Secrets.show(a)
	switch {
	case !t.Checked:
		a.Warn("warning: the signature was not looked at; the export says it is of %s", cli.Clean(t.Issuer))
	case t.Verdict == goodExport:
		a.Print("  %s", t.Words())
	default:
		a.Warn("warning: %s", t.Words())
	}
	if t.Ended {
		a.Warn("warning: it ended %s; it was taken for what it was when it was issued", LocalStamp(t.Until))
	}
	for _, w := range append(append([]string{}, t.Notes...), t.Warnings...) {
		a.Warn("warning: %s", cli.Clean(w))
	}
}
