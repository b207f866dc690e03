package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/memory"
)

// means returns what a run works with. It fails if the run cannot go on here.
func (h *Host) means(ctx context.Context, c memory.Caller, r *run.Run) (*run.Means, error) {
	d, err := h.Definition(ctx, c, r)
	if err != nil {
		return nil, err
	}
	return h.meansOf(ctx, d, string(c.Owner))
}

func (h *Host) meansOf(ctx context.Context, d aaif.Definition, person string) (*run.Means, error) {
	s := h.opt.Settings
	models := asker{h.opt.Asker, s.operator(d.Agent), s.Keys}
	tools, err := tool.Open(ctx, d.Agent.Tools, tool.Options{
		Operator: s.Tools, Agent: d.ID, Person: personOf(person, d.ID), Strict: d.Agent.Compliance.Safety.IsStrict(), Env: s.Env, Vault: s.Vault,
		Now: h.opt.Now, Dir: s.Folder, Shared: h.shared,
	})
	if err != nil {
		return nil, err
	}
	guard, err := run.NewGuard(d, h.prompter(), s.Rules, h.judge(d, models))
	if err != nil {
		_ = tools.Close() // what keeps the run away is the guard's reason
		return nil, err
	}
	return &run.Means{
		Definition: d, Operator: models.operator, Models: models, Tools: tools, Rules: guard,
		Close: func() {
			if err := tools.Close(); err != nil {
				h.opt.Log.Warn("a tool did not end well", "agent", d.ID, "err", err)
			}
		},
	}, nil
}

// personOf names a person to the caches of tools.
func personOf(owner, agent string) string {
	sum := sha256.Sum256([]byte(owner + "\x00" + agent))
	return hex.EncodeToString(sum[:8])
}

// prompter returns what writes system prompts, with what the owner lets be read.
func (h *Host) prompter() *policy.Prompter {
	return &policy.Prompter{Fetch: fetch, Files: h.opt.Settings.Files}
}

// asker asks models at the addresses that the operator set up.
type asker struct {
	asker    model.Asker
	operator route.Operator
	keys     model.Keys
}

var _ run.Models = asker{}

// Ask implements [run.Models].
func (a asker) Ask(ctx context.Context, c route.Candidate, q model.Request) (model.Answer, route.Outcome, error) {
	e, err := model.Locate(a.operator, a.keys, c)
	if err != nil {
		return model.Answer{}, route.Outcome{}, fmt.Errorf("%s: %w", c.Target, err)
	}
	return a.asker.Ask(ctx, e, q)
}
