package agentdoc

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/text/pattern"
)

type agentBumpCmd struct {
	File   string `arg:"" help:"A definition, or - for standard input."`
	Major  bool   `xor:"part" help:"1.2.3 becomes 2.0.0: a change that may break users of the agent."`
	Minor  bool   `xor:"part" help:"1.2.3 becomes 1.3.0."`
	Patch  bool   `xor:"part" help:"1.2.3 becomes 1.2.4. This is the default."`
	Output string `short:"o" help:"The file for the definition. It is CBOR if the name ends in .cbor, and may be FILE. Default: standard output." placeholder:"FILE"`

	OverFlags
	CheckFlags
}

// versionForm is a version that can be increased: three numbers, as in the schema, each
// small enough to grow.
var versionForm = pattern.New(`^([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})$`)

// Run gives a definition its next version. The id, and thus the agent, stays. The
// signature covered the earlier version and is removed (AAIF-4.1-5).
func (c *agentBumpCmd) Run(a *cli.App) error {
	j, d, err := c.definition(a, c.File)
	if err != nil {
		return err
	}
	was := aaif.ReadDefinition(d.Value).Agent.Version
	next, err := c.next(cmp.Or(was, "0.0.0"))
	if err != nil {
		return err
	}
	v, signed := Changed(a, d.Value.With("agent", d.Value.Get("agent").With("version", canon.String(next))))
	if err := j.requireSound(a, aaif.Document{Kind: d.Kind, Value: v}, c.File); err != nil {
		return err
	}
	if err := Put(a, Placement{c.Output, "", c.OverFlags}, v); err != nil {
		return err
	}
	if a.JSON && !cli.IsStdout(c.Output) {
		return a.Emit(map[string]any{"file": c.Output, "agent_id": v.Get("agent_id").Text(), "from": was, "version": next, "signature_removed": signed})
	}
	a.Say("version %s, after %s", next, cli.OneLine(cmp.Or(was, "none"), 80))
	if signed {
		a.Say("its signature was for the earlier version and is gone: satchel agent sign")
	}
	return nil
}

// Changed returns a definition whose provenance says that the definition changed now. The
// signature covered what it said before and is removed; signed reports whether there was one.
func Changed(a *cli.App, v canon.Value) (changed canon.Value, signed bool) {
	from := v.Get("provenance")
	signed = from.Has("signature")
	if from.Type() != canon.TypeObject {
		from = canon.Object()
	}
	return v.With("provenance", from.Without("signature").With("updated_at", canon.String(a.Now().UTC().Truncate(time.Second).Format(time.RFC3339)))), signed
}

// next returns the next version.
func (c *agentBumpCmd) next(version string) (string, error) {
	parts := versionForm.FindStringSubmatch(version)
	if parts == nil {
		return "", cli.Invalidf("the version %s is not of the form 1.2.3, with nine digits each at most, and nothing follows it", cli.OneLine(version, 80))
	}
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(parts[i+1]) // at most nine digits
	}
	switch {
	case c.Major:
		n = [3]int{n[0] + 1, 0, 0}
	case c.Minor:
		n = [3]int{n[0], n[1] + 1, 0}
	default:
		n[2]++
	}
	return fmt.Sprintf("%d.%d.%d", n[0], n[1], n[2]), nil
}
