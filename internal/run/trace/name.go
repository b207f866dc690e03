package trace

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/text/redact"
)

// attributes builds the attributes of a span.
type attributes []Attribute

// add adds a text of a definition under its names. An empty text says nothing.
func (a *attributes) add(text string, names ...string) {
	if text == "" {
		return
	}
	text = Plain(text)
	for _, name := range names {
		*a = append(*a, Attribute{name, text})
	}
}

// Plain returns a text of a definition without secrets and e-mail addresses.
func Plain(text string) string {
	text, _ = redact.Redactor{KeepPhones: true, KeepSSNs: true}.Text(text)
	return text
}

// operation says what a span is in the terms of gen_ai.
func (a *attributes) operation(name string) {
	*a = append(*a, Attribute{"gen_ai.operation.name", name})
}

// AboutRun returns the attributes of a run's root span.
func AboutRun(d aaif.Definition) []Attribute {
	var a attributes
	a = append(a, Attribute{"agent.id", d.ID}, Attribute{"gen_ai.agent.id", d.ID})
	a.add(d.Agent.Name, "agent.name", "gen_ai.agent.name")
	a.add(d.Agent.Version, "agent.version", "gen_ai.agent.version")
	a.add(d.Agent.Model.Provider, "model.provider")
	a.add(provider(cmp.Or(d.Agent.Model.ProviderID, d.Agent.Model.Provider)), "gen_ai.provider.name")
	a.add(d.Agent.Model.Preferred, "model.name", "gen_ai.request.model")
	a.operation("invoke_agent")
	return a
}

// AboutRemote returns the attributes of the work of an agent elsewhere, by the address of its
// card.
func AboutRemote(card string) []Attribute {
	var a attributes
	a.add(endpoint(card), "agent.id", "gen_ai.agent.id")
	a.operation("invoke_agent")
	return a
}

// AboutModel returns the attributes of a question to a model.
func AboutModel(of, name string) []Attribute {
	var a attributes
	a.add(of, "llm.provider")
	a.add(provider(of), "gen_ai.provider.name")
	a.add(name, "llm.model", "gen_ai.request.model")
	a.operation("chat")
	return a
}

// Tokens returns the attributes that count what a model has used.
func Tokens(input, output int) []Attribute {
	return []Attribute{{"llm.input_tokens", input}, {"gen_ai.usage.input_tokens", input}, {"llm.output_tokens", output}, {"gen_ai.usage.output_tokens", output}}
}

// AboutTool returns the attributes of a call of a tool. name is that under which it is
// offered.
func AboutTool(name string, of aaif.Tool) []Attribute {
	var a attributes
	a.add(name, "tool.name", "gen_ai.tool.name")
	protocol := of.Protocol
	if protocol == "" {
		protocol = aaif.FunctionTool
	}
	a.add(string(protocol), "tool.protocol")
	a.add(endpoint(of.Endpoint), "tool.endpoint")
	a.operation("execute_tool")
	return a
}

// AboutMemory returns the attributes of a read or a write of memory.
func AboutMemory(scope, backend string) []Attribute {
	return []Attribute{{"memory.scope", scope}, {"memory.backend", backend}}
}

// AboutHandoff returns the attributes of a handoff.
func AboutHandoff(target string, passContext bool) []Attribute {
	if strings.Contains(target, "://") { // the card of an agent elsewhere
		target = Plain(endpoint(target))
	}
	return []Attribute{{"target_agent.id", target}, {"pass_context", passContext}}
}

// endpoint returns an address without what may be a secret in it: user, query and fragment.
func endpoint(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	if u.User == nil {
		return address // with the placeholders as they are
	}
	u.User = nil
	return u.String()
}

// provider returns the name of a provider in gen_ai, where it has another one there.
func provider(name string) string {
	if known, ok := map[string]string{
		"google": "gcp.gemini", "vertex_ai": "gcp.vertex_ai", "azure_openai": "azure.ai.openai", "bedrock": "aws.bedrock", "mistral": "mistral_ai", "xai": "x_ai",
	}[name]; ok {
		return known
	}
	return name
}
