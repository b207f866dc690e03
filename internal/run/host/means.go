package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

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
	return h.meansOf(ctx, d, r.Context, string(c.Owner))
}

func (h *Host) meansOf(ctx context.Context, d aaif.Definition, read json.RawMessage, person string) (*run.Means, error) {
	s := h.opt.Settings
	operator := s.operator(d.Agent)
	models := h.models(operator)
	tools, err := tool.Open(ctx, d.Agent.Tools, tool.Options{
		Operator: s.Tools, Agent: d.ID, Person: personOf(person, d.ID), Strict: d.Agent.Compliance.Safety.IsStrict(), Env: s.Env, Vault: s.Vault,
		Now: h.opt.Now, Dir: s.Folder, Shared: h.shared,
	})
	if err != nil {
		return nil, err
	}
	var judges spent
	guard, err := run.NewGuard(d, h.prompter(), read, s.Rules, h.judge(d, operator, &judges))
	if err != nil {
		_ = tools.Close() // what keeps the run away is the guard's reason
		return nil, err
	}
	return &run.Means{
		Definition: d, Operator: operator, Models: models, Tools: tools, Rules: guard, Judged: judges.take,
		Close: func() {
			if err := tools.Close(); err != nil {
				h.opt.Log.Warn("a tool did not end well", "agent", d.ID, "err", err)
			}
		},
	}, nil
}

// models returns what asks models.
func (h *Host) models(o route.Operator) run.Models {
	if h.opt.Models != nil {
		return h.opt.Models
	}
	return model.Providers{Client: h.client, Operator: o, Keys: h.opt.Settings.Keys}
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
