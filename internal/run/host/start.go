package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/topology"
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
	// Now holds the run at once, for Continue of this Host, or for Drive if it is called. Start
	// then fails with the code [aaif.ConcurrencyLimit] if as many runs of the agent are executed
	// as its definition allows; otherwise the run waits for its turn (decision R31).
	Now bool
	// Claim lets only one program of those that share the store start the run. The others fail
	// with cause [runstore.ErrClaimed].
	Claim runstore.Claim
	// By says what started the run, unless a person did: Code and Text are noted in the run,
	// and Code in the audit log.
	By run.Note
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
	d = set.library.whole(d)
	team, _ := teamOf(d, named(ctx, h, c, d)) // staff says what is wrong with it
	notices, err := h.ready(d, nil, kept, set, team)
	if err != nil {
		return run.Run{}, err
	}
	pins, seal, err := staffOf(ctx, h, c, d, set)
	if err != nil {
		return run.Run{}, err
	}
	start, more, err := h.startOf(d, kept, s, set)
	if err != nil {
		return run.Run{}, err
	}
	start.Trace = h.origin(ctx, d, s, set)
	start.Agents, start.Leads, start.Schemas = pins, team != nil, set.library.read
	begins := first(start, h.opt.Now(), append(notices, more...))
	if s.By.Code != "" {
		begins = append(begins, run.Event{Number: int64(len(begins) + 1), At: begins[0].At, Kind: run.Noted, Code: s.By.Code, Text: s.By.Text})
	}
	r, begins, err := restored(ctx, h, c, s, begins)
	if err != nil {
		return run.Run{}, err
	}
	draft := runstore.Draft{
		Run: runstore.Run{ID: s.RunID, Agent: kept.AgentID, Revision: int64(kept.Revision), Status: string(r.Status), Wake: r.Next(h.opt.Now()).Until,
			Queue: d.Agent.Runtime.Queue, Slots: int64(max(d.Agent.Runtime.Concurrency, 1))},
		Seal: seal, Here: s.Here, Claim: s.Claim, Why: s.By.Code,
	}
	if s.Now {
		draft.Hold = runstore.Hold{Holder: h.opt.Holder, Lease: h.opt.Lease, Executes: true}
	}
	var rows []runstore.Event
	for _, e := range begins {
		raw, err := e.Encode()
		if err != nil {
			return run.Run{}, err
		}
		rows = append(rows, runstore.Event{At: e.At, Document: raw})
	}
	row, err := h.runs.Start(ctx, c, draft, rows)
	if err != nil {
		return run.Run{}, notStarted(err, draft.Slots)
	}
	if s.Now {
		h.backlog.begun(row)
	}
	h.wake()
	return r, nil
}

// notStarted says why the store did not start a run of an agent that may have so many at
// once.
func notStarted(err error, slots int64) error {
	if errors.Is(err, runstore.ErrCrowded) {
		return &aaif.Fault{Code: aaif.ConcurrencyLimit, Text: fmt.Sprintf("as many runs of the agent are executed as its definition allows at once (runtime.concurrency, %d): wait, or start a job, which waits for its turn (--detach; over HTTP Prefer: respond-async)", slots)}
	}
	if errors.Is(err, runstore.ErrLeft) {
		return &aaif.Fault{Code: aaif.StateLeft, Text: "the checkpoint left, a token for another platform was issued for it, or the platform that it came from may not know that it arrived: its run goes on there"}
	}
	if errors.Is(err, audit.ErrDamaged) {
		return errors.Join(&aaif.Fault{Code: aaif.AuditUnavailable, Text: err.Error()}, err)
	}
	return err
}

// IsAsync reports whether who starts a run of an agent gets a job (decision R32).
func (h *Host) IsAsync(ctx context.Context, c memory.Caller, agent string, revision int) (bool, error) {
	d, _, err := h.agent(ctx, c, agent, revision)
	return d.Agent.IsAsync(), err
}

// agent returns a kept definition.
func (h *Host) agent(ctx context.Context, c memory.Caller, id string, revision int) (aaif.Definition, aaif.KeptAgent, error) {
	if h.test != nil && id == h.test.agent.AgentID {
		return h.test.definition, h.test.agent, nil
	}
	kept, err := h.opt.Agents.Agent(ctx, c, id, revision)
	if err != nil {
		return aaif.Definition{}, aaif.KeptAgent{}, err
	}
	d := aaif.ReadDefinition(kept.Document)
	d.ID = kept.AgentID
	return d, kept, nil
}

// ready returns why an agent cannot run here, as an error, or what its runs report when
// they start (section 7). over are the agents that it works for, and team those that work for it.
func (h *Host) ready(d aaif.Definition, over []aaif.Definition, kept aaif.KeptAgent, s Settings, team *topology.Team) ([]policy.Notice, error) {
	o := s.operator(d.Agent)
	plan := route.Decide(run.RoutesUnder(d, over, 0, h.opt.Now()), o, nil)
	var routes []*codec.ParseError
	if len(plan.Order) == 0 && team.AsksOwnModel() {
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
	_, judged := judgeOf(d, over, s.operator(judgedBy(d, over).Agent))
	reasons, notices := policy.Preflight(d, policy.PreflightOptions{Over: over, Rules: s.Rules, Judge: judged, Context: s.prompter(), Hook: s.Tools.HasHook})
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
