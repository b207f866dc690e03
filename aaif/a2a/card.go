package a2a

import (
	"net/url"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// format is the name of this format in errors.
const format = "a2a"

// Version is an edition of A2A.
type Version string

// The editions to write. Cards of both can be read.
const (
	V1  Version = "1.0" // with supportedInterfaces
	V03 Version = "0.3" // with url, preferredTransport and protocolVersion
)

// Extension names AAIF among the extensions of a card.
const Extension = "https://schemacommons.org/SC-006/agent.schema.json"

// noVersion is the card version of an agent without one.
const noVersion = "0.0.0"

// Options hold what a card needs and no definition has.
type Options struct {
	URL        string  // the address of the agent; required, HTTP
	Version    Version // of A2A; empty: 1.0
	Binding    string  // the protocol binding: JSONRPC, GRPC, HTTP+JSON or another; empty: JSONRPC
	Homepage   string  // the author's homepage; empty: the host of URL
	Definition string  // the address of the definition; empty: none
	exchange.Options
}

// To returns the Agent Card of a definition, and its losses by pointers into the
// definition. Errors are of type [codec.ParseError]: the definition is invalid or holds a
// secret, or the options are incomplete.
func To(d aaif.Definition, o Options) (canon.Value, []codec.Loss, error) {
	if !exchange.IsHTTP(o.URL) {
		return canon.Value{}, nil, exchange.Refuse(format, "11-2", "/url", aaif.Incomplete, "a card wants the address where the agent is reached, of HTTP")
	}
	if o.Version != "" && o.Version != V1 && o.Version != V03 {
		return canon.Value{}, nil, exchange.Refuse(format, "11-3", "/protocolVersion", aaif.VersionUnsupported, "cards are written of A2A 1.0 and 0.3")
	}
	if err := o.checkPublic(); err != nil {
		return canon.Value{}, nil, err
	}
	v, err := exchange.Ready(d, o.Options)
	if err != nil {
		return canon.Value{}, nil, err
	}
	d = aaif.ReadDefinition(v)
	card := written(d, o)
	back, _, err := from(card, o.Options, true)
	if err != nil {
		return canon.Value{}, nil, err
	}
	again := back.Document()
	if d.Agent.Description == d.Agent.Goal && d.Agent.Description != "" { // the card holds one text for both
		again = again.With("agent", again.Get("agent").With("description", canon.String(d.Agent.Description)))
	}
	lost := exchange.Lost(v, again, map[string]string{
		"/agent/instructions":   "a card is public and tells nobody how an agent is instructed",
		"/agent/tools":          "a card is public and tells nobody what an agent has at hand",
		"/provenance/signature": "is of the definition, and not of its card",
	})
	for _, rules := range []string{"/agent/constraints", "/agent/compliance"} {
		lost = exchange.Whole(lost, rules, "a card describes an agent and binds nobody: none of this is in it")
	}
	return card, lost, nil
}

func written(d aaif.Definition, o Options) canon.Value {
	description := d.Agent.Description
	if description == "" {
		description = d.Agent.Goal
	}
	version := d.Agent.Version
	if version == "" {
		version = noVersion
	}
	modes := canon.Array(canon.String(mode(d.Agent.IO.Format)))
	card := canon.Object(
		member("name", canon.String(d.Agent.Name)),
		member("description", canon.String(description)),
		member("version", canon.String(version)))
	card = withInterfaces(card, o)
	if by := d.Provenance.AuthoredBy; by != "" {
		card = card.With("provider", canon.Object(member("organization", canon.String(by)), member("url", canon.String(o.homepage()))))
	}
	card = card.With("capabilities", canon.Object(
		member("streaming", d.Agent.IO.Value.Get("streaming")),
		member("extensions", canon.Array(extension(d, o)))))
	return card.With("defaultInputModes", modes).With("defaultOutputModes", modes).With("skills", skills(d))
}

// withInterfaces adds the address and protocol of the agent (AAIF-11-3).
func withInterfaces(card canon.Value, o Options) canon.Value {
	binding := o.Binding
	if binding == "" {
		binding = "JSONRPC"
	}
	if o.Version == V03 {
		return card.With("protocolVersion", canon.String("0.3.0")).
			With("url", canon.String(o.URL)).With("preferredTransport", canon.String(binding))
	}
	return card.With("supportedInterfaces", canon.Array(canon.Object(
		member("url", canon.String(o.URL)),
		member("protocolBinding", canon.String(binding)),
		member("protocolVersion", canon.String(string(V1))))))
}

// homepage returns the address that a card requires of a provider.
func (o Options) homepage() string {
	if o.Homepage != "" {
		return o.Homepage
	}
	u, err := url.Parse(o.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func extension(d aaif.Definition, o Options) canon.Value {
	params := canon.Object(
		member("sc_standard", canon.String(aaif.StandardID)),
		member("sc_version", d.Value.Get("sc_version")),
		member("agent_id", d.Value.Get("agent_id")))
	if o.Definition != "" {
		params = params.With("definition", canon.String(o.Definition))
	}
	return canon.Object(
		member("uri", canon.String(Extension)),
		member("description", canon.String("The agent is defined in AAIF (SC-006).")),
		member("required", canon.Bool(false)),
		member("params", params))
}

// goalSkill is the id of the skill that stands for an agent without skills.
const goalSkill = "goal"

func skills(d aaif.Definition) canon.Value {
	if len(d.Agent.Skills) == 0 {
		return canon.Array(skill(d, goalSkill, d.Agent.Name))
	}
	list := make([]canon.Value, len(d.Agent.Skills))
	for i, id := range d.Agent.Skills {
		list[i] = skill(d, id, id)
	}
	return canon.Array(list...)
}

func skill(d aaif.Definition, id, name string) canon.Value {
	tags := []canon.Value{canon.String(id)}
	for _, tag := range d.Tags {
		tags = append(tags, canon.String(tag))
	}
	return canon.Object(
		member("id", canon.String(id)), member("name", canon.String(name)),
		member("description", canon.String(d.Agent.Goal)), member("tags", canon.Array(tags...)))
}

// mode returns the media type of a format of agent.io.
func mode(format string) string {
	switch format {
	case "json", "structured":
		return "application/json"
	case "markdown":
		return "text/markdown"
	}
	return "text/plain"
}

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }
