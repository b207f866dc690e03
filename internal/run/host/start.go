package host

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// Start says which run to start.
type Start struct {
	RunID     string // a UUID
	Agent     string // id of a kept agent
	Revision  int    // 0: the newest
	Input     canon.Value
	Variables canon.Value // an object; undefined: none
	Limits    run.Limits  // zero members: those of the settings; none can be wider
	Origin    canon.Value // what starts the run, kept as it is; undefined: the owner
	User      string      // whose run it is, as the owner calls them; empty: the owner's
	Session   string      // that the run is part of; empty: it is one of its own
	State     canon.Value // the checkpoint to go on from; undefined: the run begins
	// Here is the id of the kept checkpoint that State is. Start fails if the checkpoint may have
	// left for another platform. Empty: Start does not look.
	Here string
}

// Start stores a new run of a kept agent and returns it. Nobody executes it yet. If the agent
// cannot run here, nothing is stored, and the error joins the reasons, [*codec.ParseError]
// values.
func (h *Host) Start(ctx context.Context, c memory.Caller, s Start) (run.Run, error) {
	d, kept, err := h.agent(ctx, c, s.Agent, s.Revision)
	if err != nil {
		return run.Run{}, err
	}
	set, err := h.settings()
	if err != nil {
		return run.Run{}, err
	}
	notices, err := h.ready(d, nil, kept, set)
	if err != nil {
		return run.Run{}, err
	}
	pins, seal, err := h.staff(ctx, c, d, set)
	if err != nil {
		return run.Run{}, err
	}
	start, more, err := h.startOf(d, kept, s, set)
	if err != nil {
		return run.Run{}, err
	}
	start.Trace = h.origin(ctx, d, s, set)
	start.Agents = pins
	if team, err := teamOf(d, func(string) (aaif.Definition, bool) { return aaif.Definition{}, false }); err == nil {
		start.Leads = team != nil
	}
	begins := first(start, h.opt.Now(), append(notices, more...))
	r, begins, err := h.restored(ctx, c, s, begins)
	if err != nil {
		return run.Run{}, err
	}
	draft := runstore.Draft{
		Run:  runstore.Run{ID: s.RunID, Agent: kept.AgentID, Revision: int64(kept.Revision), Status: string(r.Status), Wake: r.Next(h.opt.Now()).Until},
		Seal: seal, Here: s.Here,
	}
	var rows []runstore.Event
	for _, e := range begins {
		raw, err := e.Encode()
		if err != nil {
			return run.Run{}, err
		}
		rows = append(rows, runstore.Event{At: e.At, Document: raw})
	}
	if _, err := h.runs.Start(ctx, c, draft, rows); err != nil {
		if errors.Is(err, runstore.ErrLeft) {
			return run.Run{}, &aaif.Fault{Code: aaif.StateLeft, Text: "the checkpoint left, or a token for another platform was issued for it: its run goes on there"}
		}
		if errors.Is(err, audit.ErrDamaged) {
			return run.Run{}, errors.Join(&aaif.Fault{Code: aaif.AuditUnavailable, Text: err.Error()}, err)
		}
		return run.Run{}, err
	}
	h.wake()
	return r, nil
}

// agent returns a kept definition.
func (h *Host) agent(ctx context.Context, c memory.Caller, id string, revision int) (aaif.Definition, aaif.KeptAgent, error) {
	kept, err := h.opt.Agents.Agent(ctx, c, id, revision)
	if err != nil {
		return aaif.Definition{}, aaif.KeptAgent{}, err
	}
	d := aaif.ReadDefinition(kept.Document)
	d.ID = kept.AgentID
	return d, kept, nil
}

// ready returns why an agent cannot run here, as an error, or what its runs report when
// they start (section 7). over are the agents that it works for.
func (h *Host) ready(d aaif.Definition, over []aaif.Definition, kept aaif.KeptAgent, s Settings) ([]policy.Notice, error) {
	o := s.operator(d.Agent)
	plan := route.Decide(run.RoutesUnder(d, over, 0, h.opt.Now()), o, nil)
	var routes []*codec.ParseError
	if len(plan.Order) == 0 {
		routes = append(routes, aaif.Violation("aaif", aaif.Code(plan.Code), "4.2-16", "/agent/model", "no model can be asked: %s", plan))
	}
	if len(kept.CannotRun) > 0 {
		var all []error
		if plan.Code == route.ResidencyUnsatisfied {
			all = append(all, joined(routes))
		}
		for _, line := range kept.CannotRun {
			all = append(all, aaif.Violation("aaif", aaif.UnsatisfiedCapabilities, "7-12", "", "%s", line))
		}
		return nil, errors.Join(all...)
	}
	_, judged := judgeOf(d, over, o)
	reasons, notices := policy.Preflight(d, policy.PreflightOptions{Over: over, Rules: s.Rules, Judge: judged, Context: s.prompter()})
	for _, capability := range kept.Off {
		notices = append(notices, policy.Disabled(capability, ""))
	}
	notices = append(notices, s.collecting(d)...)
	return notices, joined(append(reasons, routes...))
}

func joined(reasons []*codec.ParseError) error {
	var all []error
	for _, r := range reasons {
		all = append(all, r)
	}
	return errors.Join(all...)
}

// startOf returns what a run starts with, held to its definition.
func (h *Host) startOf(d aaif.Definition, kept aaif.KeptAgent, s Start, set Settings) (run.Start, []policy.Notice, error) {
	start := run.Start{
		Agent: kept.AgentID, Revision: kept.Revision, Digest: kept.Digest, Flags: h.opt.Flags,
		Limits: set.Limits.Within(s.Limits).Of(d.Agent), Origin: run.Raw(s.Origin), User: s.User, Session: s.Session,
	}
	personal := policy.NewPersonal(d)
	variables, notices, err := personal.Value(s.Variables)
	if err != nil {
		return run.Start{}, nil, err
	}
	start.Variables = run.Raw(variables)
	if s.State.Type() != canon.TypeUndefined {
		start.State, start.Input = run.Raw(s.State), run.Raw(run.InputOf(s.State))
		return start, notices, nil
	}
	shapes, err := policy.NewShapes(d)
	if err != nil {
		return run.Start{}, nil, err
	}
	if err := shapes.CheckInput(s.Input); err != nil {
		return run.Start{}, nil, err
	}
	input, found, err := personal.Value(s.Input)
	start.Input = run.Raw(input)
	return start, append(notices, found...), err
}

// first returns the events that a run begins with.
func first(s run.Start, at time.Time, notices []policy.Notice) []run.Event {
	at = at.UTC().Truncate(time.Microsecond)
	all := []run.Event{{Number: 1, At: at, Kind: run.Started, Start: &s}}
	for i, n := range notices {
		all = append(all, run.Event{Number: int64(i + 2), At: at, Kind: run.Noted, Code: n.Event, Text: n.String()})
	}
	return all
}
