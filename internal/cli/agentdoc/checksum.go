package agentdoc

import (
	"cmp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentChecksumCmd struct {
	File     string `arg:"" help:"A checkpoint, or - for standard input."`
	Set      bool   `help:"Write the checkpoint with its checksum. Default: check it."`
	External bool   `help:"With --set: remove the stack trace of its error first, so that the checkpoint may go to another platform."`
	Output   string `short:"o" help:"With --set: the file for the checkpoint, CBOR if the name ends in .cbor. Default: standard output." placeholder:"FILE"`

	OverFlags
	CheckFlags
}

// Run checks the checksum of a checkpoint, or sets it if the checkpoint is valid and
// holds no secret.
func (c *agentChecksumCmd) Run(a *cli.App) error {
	if !c.Set && (c.External || c.Force || c.Output != "") {
		return cli.Usagef("--external, --force and -o go with --set")
	}
	d, err := Read(a, c.File)
	if err != nil {
		return err
	}
	if d.Kind != aaif.StateKind {
		return cli.Usagef("a document of type %s has no checksum; checkpoints of runs do", d.Kind)
	}
	if c.Set {
		return c.set(a, d)
	}
	there := d.Value.Get("provenance").Has("checksum")
	sum, err := aaif.Checksum(d.Value), aaif.VerifyChecksum(d.Value)
	if a.JSON {
		out := map[string]any{"checksum": sum, "written": d.Value.Get("provenance").Get("checksum").Text(), "match": err == nil}
		if failed := a.Emit(out); failed != nil {
			return failed
		}
	} else {
		a.Print("%s", sum)
	}
	if !there {
		a.Warn("it has no checksum, which it needs before it leaves [AAIF-8.1-24]; --set writes it")
		return cli.Silent(cli.ExitRefused)
	}
	if err != nil {
		found := parseErrors(err)[0]
		a.Warn("%s: %s: %s [%s]; --set writes the right one", aaif.CodeOf(err), found.Path, found.Err, found.Rule)
		return cli.Silent(cli.ExitRefused)
	}
	a.Say("it is the checksum of this checkpoint")
	return nil
}

func (c *agentChecksumCmd) set(a *cli.App, d aaif.Document) error {
	j, err := c.Checker(a)
	if err != nil {
		return err
	}
	if err := j.requireSound(a, d, c.File); err != nil {
		return err
	}
	v := d.Value
	if c.External {
		v = aaif.WithoutTrace(v)
	}
	v = aaif.WithChecksum(v)
	if err := Put(a, Placement{c.Output, "", c.OverFlags}, v); err != nil {
		return err
	}
	sum := v.Get("provenance").Get("checksum").Text()
	if a.JSON && !cli.IsStdout(c.Output) {
		return a.Emit(map[string]any{"file": c.Output, "checksum": sum})
	}
	a.Say("the checksum of %s is %s", cli.Clean(cmp.Or(c.Output, c.File)), sum)
	return nil
}
