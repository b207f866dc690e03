package agentdoc

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentNegotiateCmd struct {
	File         string `arg:"" help:"A definition, or - for standard input."`
	Manifest     string `xor:"manifest" required:"" help:"The manifest of the platform: its .well-known/aaif-manifest.json." placeholder:"FILE"`
	ManifestURL  string `name:"manifest-url" xor:"manifest" required:"" help:"Fetch the manifest from this platform, such as https://agents.example." placeholder:"URL"`
	CA           string `name:"ca" help:"With --manifest-url: a file of certificates to trust, beside those of this machine." placeholder:"FILE"`
	CustomRegion string `help:"The region that the data residency custom stands for." placeholder:"REGION"`

	CheckFlags
}

// Run compares an agent's needs with a platform. If the agent can run without some of
// them, it ends with status 0 and names them. If the agent is refused, it ends with
// status 4.
func (c *agentNegotiateCmd) Run(a *cli.App) error {
	switch {
	case c.File == "-" && c.Manifest == "-":
		return cli.Usagef("standard input can be one of the two only")
	case c.CA != "" && c.ManifestURL == "":
		return cli.Usagef("--ca goes with --manifest-url")
	}
	j, d, err := c.definition(a, c.File)
	if err != nil {
		return err
	}
	m, err := c.manifest(a, j)
	if err != nil {
		return err
	}
	registries, err := c.registries(a)
	if err != nil {
		return err
	}
	n := aaif.Negotiate(aaif.ReadDefinition(d.Value), m, aaif.NegotiateOptions{Now: a.Now(), Registries: registries, CustomRegion: c.CustomRegion})
	if err := c.tell(a, n, m); err != nil {
		return err
	}
	if n.Verdict == aaif.Rejected {
		return cli.Silent(cli.ExitRefused)
	}
	return nil
}

// manifest reads the manifest from a file, or fetches it from the platform (AAIF-7-17).
func (c *agentNegotiateCmd) manifest(a *cli.App, j Checker) (aaif.Manifest, error) {
	if c.ManifestURL == "" {
		return manifest(a, j, c.Manifest)
	}
	target := &cli.Server{URL: c.ManifestURL, CA: c.CA}
	carrier, err := target.Client()
	if err != nil {
		return aaif.Manifest{}, err
	}
	m, err := aaifhttp.Client{HTTP: carrier, Now: a.Now}.FetchManifest(a.Ctx, c.ManifestURL)
	if err == nil || aaif.CodeOf(err) != "" {
		return m, Refused(a, err, "the manifest of "+c.ManifestURL)
	}
	return m, target.WithAdvice(fmt.Errorf("fetch the manifest: %w", err))
}

// manifest reads a valid manifest.
func manifest(a *cli.App, j Checker, path string) (aaif.Manifest, error) {
	d, err := Read(a, path)
	if err != nil {
		return aaif.Manifest{}, InFile("--manifest", path, err)
	}
	if d.Kind != aaif.ManifestKind {
		return aaif.Manifest{}, cli.Invalidf("%s is a document of type %s, and no manifest of a platform", cli.Clean(path), d.Kind)
	}
	return aaif.ReadManifest(d.Value), j.requireSound(a, d, path)
}

func (c *agentNegotiateCmd) tell(a *cli.App, n aaif.Negotiation, m aaif.Manifest) error {
	if a.JSON {
		v := n.Value()
		var required []canon.Value
		for _, need := range n.Needs {
			if !need.Implicit {
				required = append(required, canon.String(need.Capability))
			}
		}
		v = v.With("required", canon.Array(required...)).With("platform", canon.String(m.Platform.Name))
		if found := parseErrors(n.Err()); len(found) > 0 {
			f := findingOf(found[0])
			v = v.With("error", ObjectOf("code", canon.String(f.Code), "pointer", canon.String(f.Pointer), "rule", canon.String(f.Rule), "message", canon.String(f.Message)))
		}
		return a.Emit(RawValue(v))
	}
	for _, need := range n.Needs {
		if need.Satisfied {
			a.Print("has       %s%s", cli.OneLine(need.Capability, 80), usedMark(need))
		}
	}
	for _, line := range n.Words() {
		a.Print("lacks     %s", cli.Clean(line))
	}
	a.Print("%s by %s, at safety level %s", n.Verdict, cli.OneLine(m.Platform.Name, 80), n.Safety)
	if off := n.Disabled(); len(off) > 0 {
		a.Say("what depends on these is off: %s", cli.OneLine(strings.Join(off, ", "), 400))
	}
	if found := parseErrors(n.Err()); len(found) > 0 {
		a.Warn("%s: %s [%s]", codeOf(found[0]), cli.Clean(found[0].Err.Error()), found[0].Rule)
	}
	if n.Audit {
		a.Say("at this safety level the refusal belongs into the audit log of the platform")
	}
	return nil
}

// usedMark marks a capability that the definition uses without listing it.
func usedMark(need aaif.Need) string {
	if need.Implicit {
		return ", used without being listed"
	}
	return ""
}
