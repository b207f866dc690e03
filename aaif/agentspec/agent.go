package agentspec

import (
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

// all takes the parts of an agent.
func (r *reader) all() {
	a := r.agent
	r.identity()
	r.instructions()
	r.model(r.follow(a.Get("llm_config")))
	r.tools(a.Get("tools"))
	r.boxes(a.Get("toolboxes"))
	if r.special.Has() {
		r.special.Get("component_type").Skip()
		r.special.Get("id").Skip()
		r.tools(r.special.Get("additional_tools"))
	}
	var protocols []string
	if r.servers {
		protocols = []string{"mcp"}
	}
	r.draft.Approve(r.approve, protocols...)
	r.teamwork()
	r.draft.Set(canon.String("agentspec"), "provenance", "source_platform")
	r.source.Goal(r.draft, a.Get("description").Peek(), a.Get("system_prompt").Peek(), a.Get("name").Peek())
}

// identity takes what agents and flows both have.
func (r *reader) identity() {
	a := r.agent
	a.Get("component_type").Skip()
	r.draft.ID(a.Get("id"))
	if r.isTeam() {
		r.draft.Set(canon.String(r.idOf(a)), "agent_id")
	}
	a.Get("id").Skip()
	r.draft.Set(a.Get("name").NonEmpty(), "agent", "name")
	r.draft.Set(a.Get("description").NonEmpty(), "agent", "description")
	r.draft.Set(properties(a.Get("inputs")), "agent", "io", "input_schema")
	r.draft.Set(properties(a.Get("outputs")), "agent", "io", "output_schema")
}

// instructions takes the prompt and its additions.
func (r *reader) instructions() {
	prompt := r.agent.Get("system_prompt").Text()
	if r.special.Has() {
		if more := r.special.Get("additional_instructions").Text(); more != "" {
			prompt = strings.TrimPrefix(prompt+"\n\n"+more, "\n\n")
		}
	}
	if prompt != "" {
		r.draft.Set(canon.String(prompt), "agent", "instructions")
	}
}

// model takes the model of an agent.
func (r *reader) model(c exchange.Place) {
	kind := c.Get("component_type")
	if kind.Peek() == "" {
		return
	}
	c.Get("id").Skip()
	maker := provider(kind.Peek())
	if kind.Peek() == "LlmConfig" {
		maker = c.Get("api_provider").Text()
		if maker == "" {
			maker = c.Get("provider").Text()
		}
	}
	kind.Skip()
	r.draft.Provider(maker)
	r.draft.Set(c.Get("model_id").NonEmpty(), "agent", "model", "preferred")
	if at := c.Get("url"); exchange.IsHTTP(at.Peek()) {
		r.draft.Set(canon.String(baseURL(at.Text(), kind.Peek())), "agent", "model", "base_url")
	}
	if api := c.Get("api_type"); api.Peek() == "chat_completions" {
		api.Skip()
	}
	for _, name := range []string{"api_key", "key_file", "cert_file", "ca_file"} {
		c.Get(name).Lose("what a provider is shown of who calls is a matter of the platform, and not taken over [AAIF-12-3]")
	}
	r.parameters(c.Get("default_generation_parameters"))
}

// parameters takes the model's parameters. Those without a member in definitions are
// passed on as they are.
func (r *reader) parameters(p exchange.Place) {
	r.draft.Parameters(p)
	var more []canon.Member
	for i, inner := range p.Members() {
		switch name := p.Value.Members()[i].Name; name {
		case "temperature", "top_p", "frequency_penalty", "presence_penalty", "max_tokens", "seed", "stop":
		case "messages", "tools", "model", "stream": // decision R12a
		default:
			more = append(more, canon.Member{Name: name, Value: inner.Take()})
		}
	}
	if v := canon.Object(more...); v.Len() > 0 {
		r.draft.Set(v, "agent", "model", "params", "extended")
	}
}

// provider returns the provider of a model component.
func provider(kind string) string {
	switch kind {
	case "OciGenAiConfig":
		return "oci"
	case "OpenAiCompatibleConfig":
		return "openai_compatible"
	}
	return strings.ToLower(strings.TrimSuffix(kind, "Config"))
}

// baseURL returns the address to which /chat/completions is appended. OpenAI-like servers
// have it below /v1, which documents omit.
func baseURL(address, kind string) string {
	u, err := url.Parse(address)
	if err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return address
	}
	switch kind {
	case "VllmConfig", "OllamaConfig", "OpenAiCompatibleConfig":
		return strings.TrimSuffix(address, "/") + "/v1"
	}
	return address
}

// properties takes a list of properties as the schema of an object. It ignores properties
// without a title, or with a duplicate one.
func properties(p exchange.Place) canon.Value {
	var all []canon.Member
	var required []canon.Value
	had := map[string]bool{}
	for _, i := range p.Items() {
		title := i.Get("title").Peek()
		if title == "" || had[title] {
			continue
		}
		had[title] = true
		v := i.Take()
		all = append(all, canon.Member{Name: title, Value: v})
		if !v.Has("default") {
			required = append(required, canon.String(title))
		}
	}
	if len(all) == 0 {
		return canon.Value{}
	}
	var needed canon.Value
	if len(required) > 0 {
		needed = canon.Array(required...)
	}
	return canon.Object(
		canon.Member{Name: "type", Value: canon.String("object")},
		canon.Member{Name: "properties", Value: canon.Object(all...)},
		canon.Member{Name: "required", Value: needed})
}
