package agent

import (
	"cmp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

type agentValidateCmd struct {
	File   string `arg:"" help:"A document in JSON or CBOR, or - for standard input."`
	Kind   string `default:"" enum:",agent,agent-state,platform-manifest,conformance-report,registry,state,manifest,report" help:"The kind of document: agent, agent-state (or state), platform-manifest (or manifest), conformance-report (or report) or registry. Default: detected." placeholder:"KIND"`
	Strict bool   `help:"Check as satchel agent lint does."`

	agentJudgeFlags
}

// Run prints every violation; a document with any that is no warning ends with status 3.
func (c *agentValidateCmd) Run(a *cli.App) error {
	return judgeAgent(a, c.File, kindNamed(c.Kind), c.agentJudgeFlags, c.Strict)
}

// kindNamed returns the kind of a word, of which some have a shorter one.
func kindNamed(word string) aaif.Kind {
	switch word {
	case "state":
		return aaif.StateKind
	case "manifest":
		return aaif.ManifestKind
	case "report":
		return aaif.ReportKind
	}
	return aaif.Kind(word)
}

type agentLintCmd struct {
	File     string `arg:"" help:"A document in JSON or CBOR, or - for standard input."`
	Kind     string `default:"" enum:",agent,agent-state,platform-manifest,conformance-report,registry,state,manifest,report" help:"The kind of document, as for satchel agent validate. Default: detected." placeholder:"KIND"`
	Warnings bool   `help:"Warnings end the command with 3 too."`

	agentJudgeFlags
}

// Run is that of validate --strict.
func (c *agentLintCmd) Run(a *cli.App) error {
	found, err := judgedAgent(a, c.File, kindNamed(c.Kind), c.agentJudgeFlags, true)
	if err == nil {
		err = found.tell(a, c.File)
	}
	if err == nil && c.Warnings && len(found.Violations) > 0 {
		a.Say("%s, and --warnings was given", cli.Plural(len(found.Violations), "warning", "warnings"))
		return cli.Silent(cli.ExitInvalid)
	}
	return err
}

// agentVerdict is what came of judging a document, for machines.
type agentVerdict struct {
	Kind       aaif.Kind      `json:"kind"`
	Version    string         `json:"sc_version,omitempty"` // in force, also where none is written
	Valid      bool           `json:"valid"`
	Violations []agentFinding `json:"violations"`
	Advice     string         `json:"advice,omitempty"`  // what helps where it is of no type
	OpenAPI    []openapiOut   `json:"openapi,omitempty"` // what tools of this protocol offer
}

func agentVerdictOf(d aaif.Document, found []*codec.ParseError) agentVerdict {
	v := agentVerdict{Kind: d.Kind, Valid: !aaif.Refused(found), Violations: agentFindings(found)}
	if d.Kind != aaif.RegistryKind && d.Kind != aaif.ReportKind {
		v.Version = cmp.Or(d.Value.Get("sc_version").Text(), map[aaif.Kind]string{aaif.AgentKind: aaif.Version, aaif.StateKind: "3.0.0"}[d.Kind])
	}
	return v
}

// judgeAgent judges a document and tells what came of it.
func judgeAgent(a *cli.App, path string, kind aaif.Kind, by agentJudgeFlags, strict bool) error {
	found, err := judgedAgent(a, path, kind, by, strict)
	if err != nil {
		return err
	}
	return found.tell(a, path)
}

// judgedAgent judges a document. One that cannot be read has one violation.
func judgedAgent(a *cli.App, path string, kind aaif.Kind, by agentJudgeFlags, strict bool) (agentVerdict, error) {
	j, err := by.judge(a)
	if err != nil {
		return agentVerdict{}, err
	}
	raw, err := agentBytes(a, path)
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
		if d.Value.Len() > 0 { // of no type, and perhaps with a secret
			found = append(found, aaif.Secrets(d, j.secrets)...)
		}
		v := agentVerdictOf(d, found)
		if v.Advice = otherForm(path, raw, d.Value, err); v.Advice == "" && aaif.CodeOf(err) == aaif.UnknownType {
			v.Advice = "--kind says what it is meant to be, and then what is wrong with it is listed"
		}
		return v, nil
	}
	found := j.judge(d, strict)
	if !strict {
		return agentVerdictOf(d, found), nil
	}
	offers, lacks := openapiTools(path, d)
	v := agentVerdictOf(d, append(found, lacks...))
	v.OpenAPI = offers
	return v, nil
}

// tell prints what was found. A document that is not valid ends with status 3.
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
