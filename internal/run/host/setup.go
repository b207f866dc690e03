package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/memory"
)

// settingsDiffer is the code of a run that was started with other settings than are there.
const settingsDiffer aaif.Code = "SETTINGS_DIFFER"

// setup returns what a thread of a run works with. It fails if the run cannot go on here.
func (h *Host) setup(ctx context.Context, c memory.Caller, r *run.Run, t *run.Thread) (*run.Setup, error) {
	if !slices.Equal(r.Start.Flags, h.opt.Flags) {
		with := "without further settings"
		if len(r.Start.Flags) > 0 {
			with = "with " + strings.Join(r.Start.Flags, " ")
		}
		return nil, &aaif.Fault{Code: settingsDiffer, Text: "the run was started " + with + ": it goes on with the same"}
	}
	above, err := over(ctx, h, c, r, t)
	if err != nil {
		return nil, err
	}
	s, err := h.settings()
	if err != nil {
		return nil, err
	}
	at := t.Worker()
	if at.Remote != "" {
		return elsewhere(h, s, at.Remote, above, subjectOf(r, t, above))
	}
	d, err := h.pinned(ctx, c, at)
	if err != nil {
		return nil, err
	}
	if err := s.library.keep(r.Start.Schemas); err != nil {
		return nil, err
	}
	d = s.library.whole(d)
	own := d
	if at.Leads {
		own.Agent.Tools = nil // its subagents have tools, and so has its own part in their work
	}
	of := subjectOf(r, t, append(slices.Clip(above), d))
	m, err := h.setupOf(ctx, s, own, above, t.Context, personOf(c.Owner, r.Start.User), of)
	if err != nil {
		return nil, err
	}
	m.Definition = d
	if guard, ok := m.Rules.(*run.Guard); ok && h.test == nil { // hooks act
		guard.OnCall = hookCaller{h}.onCall(r, s, append(slices.Clip(above), d))
	}
	if !t.Start.Own || len(t.Agents) > 1 {
		if err := complete(ctx, h, c, r, m); err != nil {
			m.Close()
			return nil, err
		}
	}
	if h.test != nil {
		return m, nil // a test reads and writes no notes
	}
	if err := h.remember(ctx, c, r, t, m, s, of); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// setupOf returns what an agent works with. over are the agents whose rules hold as well, and person
// is for whom it works.
func (h *Host) setupOf(ctx context.Context, s Settings, d aaif.Definition, over []aaif.Definition, read json.RawMessage, person string, of subject) (*run.Setup, error) {
	operator := s.operator(d.Agent)
	report := h.reporter(of, s, operator)
	models := reportedModels{h.models(operator, s.Keys), report}
	options := tool.Options{
		Operator: s.Tools, Agent: d.ID, Person: person, Strict: aaif.RulesUnder(d, over).Safety.IsStrict(), Env: s.Env, Vault: s.Vault,
		Now: h.opt.Now, Dir: s.Folder, Shared: h.shared,
	}
	if h.test != nil {
		options.Stub, options.StubReads = h.test.stub, !h.test.reads
	}
	tools, err := tool.Open(report.Within(ctx), d.Agent.Tools, options)
	if err != nil {
		return nil, err
	}
	var judges judgeUsage
	table := s.operator(judgedBy(d, over).Agent)
	judged := judge(d, over, table, reportedModels{h.models(table, s.Keys), report}, &judges)
	guard, err := run.NewGuard(d, over, s.prompter(), read, s.Rules, judged)
	if err != nil {
		_ = tools.Close() // what keeps the run away is the guard's reason
		return nil, err
	}
	return &run.Setup{
		Definition: d, Over: over, Operator: operator, Models: models, Tools: report.tools(tools), Rules: guard, Judged: judges.take, Notices: notices(d, over, s),
		Close: func() {
			if err := tools.Close(); err != nil {
				h.opt.Log.Warn("a tool did not end well", "agent", d.ID, "err", err)
			}
		},
	}, nil
}

// models returns what asks models.
func (h *Host) models(o route.Operator, keys model.Keys) run.Models {
	if h.opt.Models != nil {
		return h.opt.Models
	}
	return model.Providers{Client: h.client, Operator: o, Keys: keys}
}

// personOf names the person whose run it is to the caches of tools (AAIF-4.4-25).
func personOf(owner memory.DID, user string) string {
	sum := sha256.Sum256([]byte(string(owner) + "\x00" + user))
	return hex.EncodeToString(sum[:8])
}

// prompter returns what writes system prompts, with what the owner lets be read.
func (s Settings) prompter() *policy.Prompter {
	return &policy.Prompter{Fetch: s.fetcher(), Files: s.Files}
}
