package a2a

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Edition returns the edition of a card, "" if the document is no card.
func Edition(v canon.Value) Version {
	switch {
	case v.Get("name").Type() != canon.TypeString || v.Get("capabilities").Type() != canon.TypeObject && v.Get("skills").Type() != canon.TypeArray:
		return ""
	case v.Get("supportedInterfaces").Type() == canon.TypeArray:
		return V1
	case v.Get("url").Type() == canon.TypeString:
		return V03
	}
	return ""
}

// From returns the definition that an Agent Card of either edition describes, and its
// losses by pointers into the card. It refuses other documents with a [codec.ParseError].
//
// A card never holds constraints and compliance. The card of an AAIF agent therefore does
// not become the definition of that same agent: its agent_id is not taken over, and both
// losses are listed (AAIF-3-4, AAIF-12-6).
func From(v canon.Value, o exchange.Options) (aaif.Definition, []codec.Loss, error) {
	return from(v, o, false)
}

// from is From. same lets it take over the agent_id of a card that was just written.
func from(v canon.Value, o exchange.Options, same bool) (aaif.Definition, []codec.Loss, error) {
	s, err := exchange.Open(format, v, o)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	root := s.Root()
	if Edition(root.Value) == "" {
		return aaif.Definition{}, nil, s.Refuse(root, "11-3", "no Agent Card: neither supportedInterfaces nor url, with a name and skills or capabilities")
	}
	r := reader{s, exchange.NewDraft(), root, same}
	r.skipInterfaces()
	r.loseSecurity(root)
	r.readExtension()
	if err := r.agent(); err != nil {
		return aaif.Definition{}, nil, err
	}
	return s.Finish(r.draft)
}

// reader reads a card into a draft.
type reader struct {
	source *exchange.Source
	draft  *exchange.Draft
	root   exchange.Place
	same   bool // the definition is that of the card's own agent
}

// skipInterfaces settles the address and protocol of the agent, which definitions do not
// have.
func (r reader) skipInterfaces() {
	const elsewhere = "where an agent is reached is no part of its definition"
	for _, name := range []string{"supportedInterfaces", "url", "additionalInterfaces"} {
		r.root.Get(name).Lose(elsewhere)
	}
	r.root.Get("protocolVersion").Skip()
	r.root.Get("preferredTransport").Skip()
}

// loseSecurity lists what a card, or a skill, requires of callers. Even an empty list of
// scopes says something.
func (r reader) loseSecurity(of exchange.Place) {
	for _, name := range []string{"security", "securityRequirements", "securitySchemes"} {
		if p := of.Get(name); p.Value.Len() > 0 {
			r.source.Lose(p.Pointer, "what an agent asks of whoever calls it is no part of its definition")
			p.Skip()
		}
	}
}

// extension returns the card's AAIF extension, if it has one.
func (r reader) extension() (params exchange.Place, ok bool) {
	for _, e := range r.root.Get("capabilities").Get("extensions").Items() {
		if e.Get("uri").Peek() == Extension {
			return e, true
		}
	}
	return exchange.Place{}, false
}

// readExtension reads the AAIF extension.
func (r reader) readExtension() {
	e, ok := r.extension()
	if !ok {
		r.draft.Set(canon.String("a2a"), "provenance", "source_platform")
		return
	}
	e.Get("uri").Skip()
	e.Get("description").Skip()
	e.Get("required").Skip()
	params := e.Get("params")
	params.Get("sc_standard").Skip()
	r.draft.Value = r.draft.Value.Without("sc_version")
	r.draft.Set(params.Get("sc_version").NonEmpty(), "sc_version")
	r.source.Lose(e.Pointer, "a card never carries the constraints and compliance of an agent, which what is made of it is not held to: take the definition itself [AAIF-3-4] [AAIF-12-6]")
	if r.same {
		r.draft.ID(params.Get("agent_id"))
	}
	params.Get("agent_id").Lose("the agent_id is that of the agent with its constraints and compliance, and what is made of its card is another [AAIF-3-4] [AAIF-12-6]")
	params.Get("definition").Lose("where a definition is had is no part of it")
}

func (r reader) agent() error {
	name, description := r.root.Get("name"), r.root.Get("description")
	if name.Peek() == "" {
		return r.source.Refuse(name, "4-7", "an agent wants a name")
	}
	_, ours := r.extension()
	r.draft.Set(name.NonEmpty(), "agent", "name")
	if goal, ok := r.goal(); ours && ok {
		r.draft.Set(goal, "agent", "goal")
		if description.Peek() == goal.Text() {
			description.Skip()
		}
	}
	if description.Peek() != "" && (!ours || description.Peek() != r.draft.Get("agent", "goal").Text()) {
		r.draft.Set(description.NonEmpty(), "agent", "description")
	}
	if version := r.root.Get("version"); ours && version.Peek() == noVersion {
		version.Skip()
	} else {
		r.draft.Version(version)
	}
	r.draft.Set(r.root.Get("capabilities").Get("streaming").Of(canon.TypeBool), "agent", "io", "streaming")
	r.modes()
	r.skills(ours)
	r.draft.Set(r.root.Get("provider").Get("organization").NonEmpty(), "provenance", "authored_by")
	r.source.Goal(r.draft, description.Peek(), name.Peek())
	return nil
}

// goal returns the common description of all skills, which cards of AAIF agents have.
func (r reader) goal() (canon.Value, bool) {
	skills := r.root.Get("skills").Value.Items()
	if len(skills) == 0 || skills[0].Get("description").Text() == "" {
		return canon.Value{}, false
	}
	return skills[0].Get("description"), true
}

// modes takes the output format, and the input format if it is the same.
func (r reader) modes() {
	in, out := r.root.Get("defaultInputModes"), r.root.Get("defaultOutputModes")
	if len(out.Items()) != 1 {
		return
	}
	switch mode := out.Items()[0]; mode.Peek() {
	case "application/json":
		r.draft.Set(canon.String("json"), "agent", "io", "format")
	case "text/markdown":
		r.draft.Set(canon.String("markdown"), "agent", "io", "format")
	case "text/plain": // the default
	default:
		return
	}
	out.Skip()
	if canon.Equal(in.Value, out.Value) {
		in.Skip()
	}
}

// skills takes the ids and tags of skills.
func (r reader) skills(ours bool) {
	all := r.root.Get("skills").Items()
	var ids, tags []exchange.Place
	for _, s := range all {
		id, name := s.Get("id"), s.Get("name")
		tags = append(tags, tagsOf(s)...)
		r.loseSecurity(s)
		if ours && s.Get("description").Peek() == r.draft.Get("agent", "goal").Text() {
			s.Get("description").Skip()
		}
		switch goal := ours && len(all) == 1 && id.Peek() == goalSkill && name.Peek() == r.root.Get("name").Peek(); {
		case goal:
			id.Skip()
			name.Skip()
			continue
		case name.Peek() == id.Peek():
			name.Skip()
		}
		ids = append(ids, id)
	}
	r.draft.Texts(ids, "agent", "skills")
	r.draft.Texts(tags, "tags")
	if len(all) > 1 && !ours && r.draft.Get("tags").Len() > 0 {
		r.source.Lose("/skills", "the tags of skills become tags of the agent: which skill has which is lost")
	}
}

// tagsOf returns the tags of a skill. Its id may be the first.
func tagsOf(skill exchange.Place) []exchange.Place {
	tags := skill.Get("tags").Items()
	if len(tags) > 0 && tags[0].Peek() == skill.Get("id").Peek() {
		tags[0].Skip()
		return tags[1:]
	}
	return tags
}
