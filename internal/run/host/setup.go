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

// setup returns what a run works with. It fails if the run cannot go on here.
func (h *Host) setup(ctx context.Context, c memory.Caller, r *run.Run) (*run.Setup, error) {
	d, err := h.Definition(ctx, c, r)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(r.Start.Flags, h.opt.Flags) {
		with := "without further settings"
		if len(r.Start.Flags) > 0 {
			with = "with " + strings.Join(r.Start.Flags, " ")
		}
		return nil, &aaif.Fault{Code: settingsDiffer, Text: "the run was started " + with + ": it goes on with the same"}
	}
	return h.setupOf(ctx, d, r.Context, string(c.Owner))
}

// setupOf returns what a run of a definition works with. tests says that the run is a test.
func (h *Host) setupOf(ctx context.Context, d aaif.Definition, read json.RawMessage, person string, tests ...rehearsal) (*run.Setup, error) {
	s, err := h.settings()
	if err != nil {
		return nil, err
	}
	operator := s.operator(d.Agent)
	models := h.models(operator, s.Keys)
	options := tool.Options{
		Operator: s.Tools, Agent: d.ID, Person: personOf(person, d.ID), Strict: d.Agent.Compliance.Safety.IsStrict(), Env: s.Env, Vault: s.Vault,
		Now: h.opt.Now, Dir: s.Folder, Shared: h.shared,
	}
	for _, test := range tests {
		options.Stub, options.StubReads, options.Shared = test.stub, !test.reads, nil // what a stub answers is kept for no run
	}
	tools, err := tool.Open(ctx, d.Agent.Tools, options)
	if err != nil {
		return nil, err
	}
	var judges judgeUsage
	guard, err := run.NewGuard(d, s.prompter(), read, s.Rules, judge(d, operator, models, &judges))
	if err != nil {
		_ = tools.Close() // what keeps the run away is the guard's reason
		return nil, err
	}
	return &run.Setup{
		Definition: d, Operator: operator, Models: models, Tools: tools, Rules: guard, Judged: judges.take,
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

// personOf names a person to the caches of tools.
func personOf(owner, agent string) string {
	sum := sha256.Sum256([]byte(owner + "\x00" + agent))
	return hex.EncodeToString(sum[:8])
}

// prompter returns what writes system prompts, with what the owner lets be read.
func (s Settings) prompter() *policy.Prompter {
	p := &policy.Prompter{Fetch: s.Fetch, Files: s.Files}
	if p.Fetch == nil {
		p.Fetch = fetch
	}
	return p
}
