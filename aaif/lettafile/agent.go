package lettafile

import (
	"strings"

	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

// all takes the parts of an agent.
func (r *reader) all() {
	a := r.agent
	r.draft.Set(a.Get("name").NonEmpty(), "agent", "name")
	r.draft.Set(a.Get("description").NonEmpty(), "agent", "description")
	r.draft.Set(a.Get("system").NonEmpty(), "agent", "instructions")
	r.draft.Texts(a.Get("tags").Items(), "tags")
	r.draft.ResponseFormat(a.Get("response_format"))
	r.model()
	r.memory()
	r.tools()
	r.run()
	r.draft.Set(canon.String("letta"), "provenance", "source_platform")
	for _, p := range []exchange.Place{a, r.root} {
		if at := p.Get("created_at"); r.draft.Get("provenance", "created_at").Type() == canon.TypeUndefined {
			r.draft.Moment(at, "provenance", "created_at")
		}
	}
	r.source.Goal(r.draft, a.Get("description").Peek(), a.Get("system").Peek(), a.Get("name").Peek())
}

// model takes the model, from the old settings or from the new ones.
func (r *reader) model() {
	c := r.agent.Get("llm_config")
	maker, name := c.Get("provider_name"), c.Get("model")
	if maker.Peek() == "" {
		maker = c.Get("model_endpoint_type")
	} else if maker.Peek() == c.Get("model_endpoint_type").Peek() {
		c.Get("model_endpoint_type").Skip()
	}
	handle := r.agent.Get("model")
	if name.Peek() == "" {
		name = handle
	}
	if name.Peek() != "" {
		provider, model := maker.Text(), name.Text()
		if before, after, ok := strings.Cut(model, "/"); ok && provider == "" {
			provider, model = before, after
		}
		r.draft.Provider(provider)
		r.draft.Set(canon.String(model), "agent", "model", "preferred")
		for _, h := range []exchange.Place{handle, c.Get("handle")} {
			if h.Peek() == provider+"/"+model {
				h.Skip()
			}
		}
	}
	r.draft.Address(c.Get("model_endpoint"))
	r.draft.Parameters(c)
	settings := r.agent.Get("model_settings")
	r.draft.Parameters(settings)
	r.draft.Number(settings.Get("max_output_tokens"), 1, 1<<53, "agent", "model", "params", "max_tokens")
	if effort := c.Get("reasoning_effort"); effort.Peek() != "" {
		r.draft.Extended(effort, "reasoning_effort")
	}
}

// memory takes the blocks of an agent: its own, and those it names.
func (r *reader) memory() {
	r.blocks()
	if len(r.entries) > 0 {
		r.draft.Set(canon.Array(r.entries...), "agent", "memory")
	}
}

func (r *reader) blocks() {
	for _, list := range []string{"core_memory", "memory_blocks"} {
		for _, b := range r.agent.Get(list).Items() {
			r.block(b)
		}
	}
	has := map[string]bool{}
	for _, id := range r.agent.Get("block_ids").Items() {
		has[id.Peek()] = true
	}
	known := map[string]bool{}
	if r.agent.Pointer == "" {
		return
	}
	for _, b := range r.root.Get("blocks").Items() {
		if id := b.Get("id").Peek(); id != "" && has[id] {
			known[id] = true
			r.block(b)
		}
	}
	for _, id := range r.agent.Get("block_ids").Items() {
		if known[id.Peek()] {
			id.Skip()
		}
	}
}

// block takes a block as memory of a user: it is never shared with other users.
func (r *reader) block(b exchange.Place) {
	if b.Get("value").Value.Type() != canon.TypeString {
		return
	}
	b.Get("id").Skip()
	r.entries = append(r.entries, canon.Object(
		canon.Member{Name: "scope", Value: canon.String("user")},
		canon.Member{Name: "content", Value: b.Get("value").Take()},
		canon.Member{Name: "key", Value: b.Get("label").NonEmpty()}))
}

// run settles the members of a run and its server, which may hold secrets.
func (r *reader) run() {
	for _, name := range []string{"in_context_message_ids", "in_context_message_indices"} {
		r.agent.Get(name).Lose("what of a conversation a model is shown is for the platform to decide")
	}
	for _, name := range []string{"tool_exec_environment_variables", "secrets"} {
		r.agent.Get(name).Lose("what tools run with may be a secret, and is not taken over [AAIF-12-3]")
	}
	r.agent.Get("id").Skip()
}
