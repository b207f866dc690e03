package agent

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agentdoc"
	"github.com/satchel-memory/satchel/internal/run/evaluate"
	"github.com/satchel-memory/satchel/keys"
)

type agentStatusCmd struct {
	Agent  string `arg:"" help:"The file of a definition; or the agent's id in the store, or its first characters."`
	Status string `arg:"" optional:"" enum:"draft,active,deprecated," default:"" help:"draft, active or deprecated. Default: show the status, and the latest evaluation."`
	Output string `short:"o" help:"Of a file: write the definition there, and leave the file as it is." placeholder:"FILE"`
}

// Run shows the status of a definition, or changes it. A definition becomes active only after
// an evaluation that it passed, where the operator requires that (require_eval).
func (c *agentStatusCmd) Run(a *cli.App) error {
	need := cli.Reading
	if c.Status != "" {
		need = cli.Signing
	}
	return withKeeper(a, need, func(o *cli.Session, s *agents.Service) error {
		change := statusChange{to: aaif.Status(c.Status), output: c.Output}
		if c.Agent != "-" && !cli.Exists(c.Agent) {
			kept, err := agentKept(a, o, s, c.Agent, 0)
			if err != nil {
				return err
			}
			if c.Status == "" {
				return showStatus(a, o.Home, kept.Document)
			}
			return told(a, func() (*promotion, error) { return change.ofKept(a, o, s, kept) })
		}
		d, err := agentdoc.Definition(a, c.Agent)
		if err != nil {
			return err
		}
		if c.Status == "" {
			return showStatus(a, o.Home, d.Value)
		}
		if change.to == aaif.Active {
			if passed, err := passedHere(o.Home, d.Value); err != nil || !passed {
				return cmp.Or(err, cli.Refusedf("%s: %s has not passed an evaluation here, which is required of active agents: satchel agent eval %s --promote [AAIF-U.I-3]",
					agents.NotEvaluated, cli.Clean(c.Agent), shellWord(c.Agent)))
			}
		}
		return told(a, func() (*promotion, error) { return change.ofFile(a, o, d, c.Agent) })
	})
}

// told changes a status, and tells of it.
func told(a *cli.App, change func() (*promotion, error)) error {
	p, err := change()
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Emit(p)
	}
	p.tell(a)
	return nil
}

// showStatus shows the status of a definition, and its latest evaluation.
func showStatus(a *cli.App, h cli.Home, v canon.Value) error {
	d := aaif.ReadDefinition(v)
	known, err := readEvaluations(h)
	if err != nil {
		return err
	}
	last, found := known[d.ID]
	same := last.Content == evaluate.ContentOf(v)
	if a.JSON {
		out := map[string]any{"agent_id": d.ID, "status": d.Status}
		if found {
			out["evaluation"] = map[string]any{"passed": last.Passed, "at": last.At, "of_this_definition": same}
		}
		return a.Emit(out)
	}
	a.Print("%s  %s", cli.OneLine(d.ID, 80), d.Status)
	switch {
	case !found:
		a.Say("it was not evaluated here: satchel agent eval")
	case !same:
		a.Say("it was changed since it was evaluated at %s", cli.Local(last.At))
	case last.Passed:
		a.Say("it passed its evaluation at %s", cli.Local(last.At))
	default:
		a.Say("it did not pass its evaluation at %s", cli.Local(last.At))
	}
	return nil
}

// promotion is a status that was given, for JSON.
type promotion struct {
	AgentID  string      `json:"agent_id"`
	Status   aaif.Status `json:"status"`
	Was      aaif.Status `json:"was"`
	File     string      `json:"file,omitempty"`
	Revision int         `json:"revision,omitempty"` // in the store
	// Signature is "kept" if nothing changed, "renewed" by the owner's key, or "removed"; empty:
	// there was none.
	Signature string `json:"signature,omitempty"`
}

func (p *promotion) tell(a *cli.App) {
	where := p.File
	if where == "" {
		where = fmt.Sprintf("revision %d", p.Revision)
	}
	a.Print("%s  %s, after %s  %s", cli.OneLine(p.AgentID, 80), p.Status, p.Was, cli.Clean(where))
	switch p.Signature {
	case "renewed":
		a.Say("signed again with the owner's key")
	case "removed":
		a.Warn("its signature was for the earlier status and is gone, as it was not of the owner's key: satchel agent sign")
	}
}

// statusChange gives definitions a status.
type statusChange struct {
	to     aaif.Status
	output string
}

// of returns a definition with the status, and the time of the change. The signature covers
// both: it is renewed if it is of the owner's key, and else removed (decision R22).
func (c statusChange) of(a *cli.App, o *cli.Session, d aaif.Document) (aaif.Document, *promotion) {
	read := aaif.ReadDefinition(d.Value)
	p := &promotion{AgentID: read.ID, Status: c.to, Was: read.Status}
	v, signed := agentdoc.Changed(a, d.Value.With("status", canon.String(string(c.to))))
	switch {
	case read.Status == c.to:
		if signed {
			p.Signature = "kept"
		}
		return d, p
	case !signed:
	case isSignedBy(d.Value, o.Key):
		v, p.Signature = aaif.Sign(v, o.Key), "renewed"
	default:
		v, p.Signature = v.Without("x-aaif-signer"), "removed" // the hint names a key that signed it before
	}
	return aaif.Document{Kind: d.Kind, Value: v}, p
}

func isSignedBy(v canon.Value, key keys.Private) bool {
	_, err := aaif.Verify(v, agentdoc.PublicOf(key))
	return err == nil
}

// ofKept adds the next revision of a kept agent.
func (c statusChange) ofKept(a *cli.App, o *cli.Session, s *agents.Service, kept aaif.KeptAgent) (*promotion, error) {
	d, p := c.of(a, o, aaif.Document{Kind: aaif.AgentKind, Value: kept.Document})
	p.AgentID, p.Revision = kept.AgentID, kept.Revision
	if p.Was == p.Status {
		return p, nil
	}
	r, err := s.Intake(a.Ctx, o.Caller(), d.Value.Append(nil), aaif.IntakeOptions{Keep: true, Deprecated: true})
	if err != nil {
		return nil, agentdoc.Refused(a, err, "agent "+cli.OneLine(kept.AgentID, 80)+" stays "+string(p.Was))
	}
	rememberIfSigned(a, d, p)
	p.Revision = r.Kept.Revision
	return p, nil
}

// ofFile writes a definition into its file, or into the output.
func (c statusChange) ofFile(a *cli.App, o *cli.Session, d aaif.Document, file string) (*promotion, error) {
	changed, p := c.of(a, o, d)
	p.File = cmp.Or(c.output, file)
	if p.Was == p.Status && c.output == "" {
		return p, nil
	}
	if err := agentdoc.Put(a, agentdoc.Placement{Path: p.File}, changed.Value); err != nil {
		return nil, err
	}
	rememberIfSigned(a, changed, p)
	return p, nil
}

func rememberIfSigned(a *cli.App, d aaif.Document, p *promotion) {
	if p.Signature == "renewed" {
		agentdoc.RememberSigned(a, d)
	}
}

// evaluation is the latest evaluation of an agent in this home folder.
type evaluation struct {
	Content string    `json:"content"` // of which definition, see [evaluate.ContentOf]
	Passed  bool      `json:"passed"`
	At      time.Time `json:"at"`
}

// evaluationsFile holds the latest evaluations, by agent; policyFile what the operator requires
// of agents.
const (
	evaluationsFile = "evaluations.json"
	policyFile      = "policy.json"
)

// mostEvaluations is how many are remembered.
const mostEvaluations = 300

func readEvaluations(h cli.Home) (map[string]evaluation, error) {
	return readKnown[map[string]evaluation](runPath(h, evaluationsFile))
}

// rememberEvaluation records what an evaluation found, and forgets the oldest.
func rememberEvaluation(h cli.Home, r evaluate.Report) error {
	return changeKnown(runPath(h, evaluationsFile), func(known map[string]evaluation) (bool, error) {
		known[r.Agent.ID] = evaluation{r.Agent.Content, r.Passed, r.At}
		ids := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return known[b].At.Compare(known[a].At) })
		for _, id := range ids[min(len(ids), mostEvaluations):] {
			delete(known, id)
		}
		return true, nil
	})
}

// requiresEvaluation reports whether the operator lets a definition be active only after an
// evaluation that it passed.
func requiresEvaluation(h cli.Home) (bool, error) {
	var p struct {
		RequireEval bool `json:"require_eval"`
	}
	err := cli.ReadJSON(runPath(h, policyFile), &p)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return p.RequireEval, err
}

// requiring tells the keeper of agents whether active definitions have to be evaluated.
func requiring(h cli.Home) func(*agents.Options) {
	return func(o *agents.Options) {
		o.Evaluated = func(definition canon.Value) (bool, error) { return passedHere(h, definition) }
	}
}

// passedHere reports whether a definition may be active: it passed its latest evaluation in
// this home folder, or none is required.
func passedHere(h cli.Home, v canon.Value) (bool, error) {
	required, err := requiresEvaluation(h)
	if err != nil || !required {
		return err == nil, err
	}
	known, err := readEvaluations(h)
	last := known[v.Get("agent_id").Text()]
	return last.Passed && last.Content == evaluate.ContentOf(v), err
}
