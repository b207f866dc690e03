package agentdoc

import (
	"cmp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentValidateCmd struct {
	File string `arg:"" help:"A document in JSON or CBOR, or - for standard input."`
	kindFlag
	Strict bool `help:"Check as satchel agent lint does."`

	CheckFlags
}

// Run prints every violation, and ends with status 3 for anything but warnings.
func (c *agentValidateCmd) Run(a *cli.App) error {
	found, err := checkAgent(a, c.File, c.named(), c.CheckFlags, c.Strict)
	if err != nil {
		return err
	}
	return found.tell(a, c.File)
}

// kindFlag says of which kind a document is.
type kindFlag struct {
	Kind string `default:"" enum:",agent,agent-state,platform-manifest,conformance-report,registry,state,manifest,report" help:"The kind of document: agent, agent-state (or state), platform-manifest (or manifest), conformance-report (or report) or registry. Default: detected." placeholder:"KIND"`
}

// named returns the kind with this name. Some kinds have a shorter name, too.
func (f kindFlag) named() aaif.Kind {
	switch f.Kind {
	case "state":
		return aaif.StateKind
	case "manifest":
		return aaif.ManifestKind
	case "report":
		return aaif.ReportKind
	}
	return aaif.Kind(f.Kind)
}

type agentLintCmd struct {
	File string `arg:"" help:"A document in JSON or CBOR, or - for standard input."`
	kindFlag
	Warnings bool `help:"Warnings end the command with 3 too."`

	CheckFlags
}

// Run is validate --strict.
func (c *agentLintCmd) Run(a *cli.App) error {
	found, err := checkAgent(a, c.File, c.named(), c.CheckFlags, true)
	if err == nil {
		err = found.tell(a, c.File)
	}
	if err == nil && c.Warnings && len(found.Violations) > 0 {
		a.Say("%s, and --warnings was given", cli.Plural(len(found.Violations), "warning", "warnings"))
		return cli.Silent(cli.ExitInvalid)
	}
	return err
}

// agentVerdict is the result of checking a document, for JSON.
type agentVerdict struct {
	Kind       aaif.Kind    `json:"kind"`
	Version    string       `json:"sc_version,omitempty"` // the version in force, even if none is written
	Valid      bool         `json:"valid"`
	Violations []Finding    `json:"violations"`
	Advice     string       `json:"advice,omitempty"`  // what helps if its kind is unknown
	OpenAPI    []openapiOut `json:"openapi,omitempty"` // the operations of tools with this protocol
}

func agentVerdictOf(d aaif.Document, found []*codec.ParseError) agentVerdict {
	v := agentVerdict{Kind: d.Kind, Valid: !aaif.HasErrors(found), Violations: Findings(found)}
	if d.Kind != aaif.RegistryKind && d.Kind != aaif.ReportKind {
		v.Version = cmp.Or(d.Value.Get("sc_version").Text(), map[aaif.Kind]string{aaif.AgentKind: aaif.Version, aaif.StateKind: "3.0.0"}[d.Kind])
	}
	return v
}

// checkAgent checks a document. An unreadable one has one violation.
func checkAgent(a *cli.App, path string, kind aaif.Kind, by CheckFlags, strict bool) (agentVerdict, error) {
	j, err := by.Checker(a)
	if err != nil {
		return agentVerdict{}, err
	}
	raw, err := Bytes(a, path)
	if err != nil {
		return agentVerdict{}, err
	}
	d, err := aaif.Read(raw, aaif.ReadOptions{})
	if kind != "" && (err == nil || aaif.CodeOf(err) == aaif.UnknownType) {
		d.Kind, err = kind, nil
	}
	if err != nil {
		found := parseErrors(err)
		if len(found) == 0 {
			return agentVerdict{}, err
		}
		if d.Value.Len() > 0 { // of an unknown kind, but perhaps with a secret
			found = append(found, privacy.Secrets(d, j.secrets)...)
		}
		v := agentVerdictOf(d, found)
		if v.Advice = OtherForm(path, raw, d.Value, err); v.Advice == "" && aaif.CodeOf(err) == aaif.UnknownType {
			v.Advice = "--kind says what it is meant to be, and then what is wrong with it is listed"
		}
		return v, nil
	}
	found := j.Check(d, strict)
	if !strict {
		return agentVerdictOf(d, found), nil
	}
	offers, lacks := openapiTools(path, d)
	v := agentVerdictOf(d, append(found, lacks...))
	v.OpenAPI = offers
	return v, nil
}

// tell prints the findings. An invalid document ends the command with status 3.
func (v agentVerdict) tell(a *cli.App, path string) error {
	wrong := 0
	for _, f := range v.Violations {
		if f.Level == "error" {
			wrong++
		}
		if !a.JSON {
			f.show(a)
		}
	}
	if a.JSON {
		if err := a.Emit(v); err != nil {
			return err
		}
	} else {
		for _, o := range v.OpenAPI {
			o.tell(a)
		}
	}
	switch more := len(v.Violations) - wrong; {
	case wrong > 0:
		a.Say("%s: not valid: %s, %s", cli.Clean(path), cli.Plural(wrong, "violation", "violations"), cli.Plural(more, "warning", "warnings"))
		if v.Advice != "" {
			a.Say("%s", v.Advice)
		}
		return cli.Silent(cli.ExitInvalid)
	case more > 0:
		a.Say("%s: valid, of type %s, with %s", cli.Clean(path), v.Kind, cli.Plural(more, "warning", "warnings"))
	default:
		a.Say("%s: valid, of type %s", cli.Clean(path), v.Kind)
	}
	return nil
}
