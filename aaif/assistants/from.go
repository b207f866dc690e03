package assistants

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// IsAssistant reports whether a document looks like an assistant.
func IsAssistant(v canon.Value) bool {
	if kind := v.Get("object"); kind.Type() != canon.TypeUndefined {
		return kind.Text() == "assistant"
	}
	if v.Get("metadata").Get(carryKey).Type() == canon.TypeString {
		return true // an assistant of the specification's own converter may have a name alone
	}
	return v.Get("model").Type() == canon.TypeString && (v.Has("instructions") || v.Get("tools").Type() == canon.TypeArray)
}

// reader reads an assistant into a draft.
type reader struct {
	source *exchange.Source
	draft  *exchange.Draft
	root   exchange.Place
	ours   bool     // the metadata hold a part of a definition
	theirs bool     // the part is a summary, as the specification's own converter writes it
	gone   []string // functions of the definition that the assistant no longer has
}

// From returns the definition that an assistant describes, and its losses by pointers
// into it. It refuses other documents with a [codec.ParseError].
func From(v canon.Value, o exchange.Options) (aaif.Definition, []codec.Loss, error) {
	c, err := carriedPart(v.Get("metadata"))
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	part, ours, was := c.part, c.part.Len() > 0, c.part.Get(sumKey)
	isOne, cut := IsAssistant(v), missingLosses(part.Get(cutKey))
	part = part.Without(sumKey).Without(cutKey)
	if c.pieces > 0 {
		meta := v.Get("metadata")
		for i := range c.pieces {
			meta = meta.Without(pieceKey(i))
		}
		v = v.With("metadata", meta)
	}
	s, err := exchange.Open(format, v, o)
	if err != nil {
		return aaif.Definition{}, nil, err
	}
	r := &reader{source: s, draft: exchange.NewDraft(), root: s.Root(), ours: ours, theirs: c.theirs}
	if !isOne {
		return aaif.Definition{}, nil, s.Refuse(r.root, "11-4", "no assistant: its object is another, or it has no model with instructions or tools")
	}
	r.root.Get("object").Skip()
	r.carry(part)
	r.agent()
	r.model()
	r.tools()
	r.origin()
	s.Goal(r.draft, r.draft.Get("agent", "description").Text(), r.draft.Get("agent", "instructions").Text(), r.draft.Get("agent", "name").Text())
	d, lost, err := s.Finish(r.draft)
	if err == nil && was.Text() != "" && d.Provenance.Signature != "" && !canon.Equal(was, sum(d.Document())) {
		d, lost = dropStaleSignature(d, lost)
	}
	if err == nil {
		lost = append(lost, append(cut, brokenConditions(d, r.gone)...)...)
	}
	return d, lost, err
}

// dropStaleSignature removes a signature that no longer fits the definition.
func dropStaleSignature(d aaif.Definition, lost []codec.Loss) (aaif.Definition, []codec.Loss) {
	v := d.Document()
	d = aaif.ReadDefinition(v.With("provenance", v.Get("provenance").Without("signature")))
	return d, append(lost, codec.Loss{Pointer: "/metadata/" + carryKey, Reason: "the signature, which was of the definition before the assistant was edited: sign it anew [AAIF-12-17]"})
}

// carry begins with the part of a definition in the metadata, or with the few members
// that earlier converters put there.
func (r *reader) carry(part canon.Value) {
	switch {
	case !r.ours:
		return
	case part.Get("sc_standard").Text() == aaif.StandardID:
		r.draft.Value = part
		return
	}
	for _, m := range part.Members() {
		switch m.Name {
		case "agent_id", "sc_version":
			r.draft.Set(m.Value, m.Name)
		case "goal", "tools":
			r.draft.Set(m.Value, "agent", m.Name)
		case "provider", "provider_id", "response_format":
			r.draft.Set(m.Value, "agent", "model", m.Name)
		default:
			r.source.Lose("/metadata/"+carryKey, "the member "+exchange.Printable(m.Name)+", which is part of no definition")
		}
	}
}

// agent takes the name and instructions of the agent.
func (r *reader) agent() {
	r.text("name")
	r.text("description")
	r.text("instructions")
	if r.draft.Get("agent", "name").Text() == "" {
		r.draft.Set(canon.String("assistant"), "agent", "name")
		r.source.Lose("", "it has no name: it is called assistant [AAIF-4-7]")
	}
}

// text takes a text, unless the carried text appears in the assistant as this one.
func (r *reader) text(name string) {
	p := r.root.Get(name)
	if r.same(name) {
		p.Skip()
		return
	}
	if r.ours && p.Peek() == "" {
		r.draft.Remove("agent", name)
	}
	r.draft.Set(p.NonEmpty(), "agent", name)
}

// same reports whether a carried member appears in the assistant unchanged.
func (r *reader) same(name string) bool {
	is, was := r.root.Get(name).Value, visiblePart(r.draft.Value).Get(name)
	return is.Type() == was.Type() && canon.Equal(is, was)
}

func (r *reader) model() {
	name := r.root.Get("model")
	switch {
	case r.same("model"):
		name.Skip()
	case !r.ours || r.draft.Get("agent", "model", "preferred").Type() != canon.TypeUndefined:
		for _, other := range []string{"provider", "provider_id", "base_url", "preferred"} {
			r.draft.Remove("agent", "model", other)
		}
		if name.Peek() != "" {
			r.draft.Provider("openai")
		}
	}
	r.draft.Set(name.NonEmpty(), "agent", "model", "preferred")
	r.draft.Number(r.root.Get("temperature"), 0, 2, "agent", "model", "temperature")
	r.draft.Number(r.root.Get("top_p"), 0, 1, "agent", "model", "params", "top_p")
	if effort := r.root.Get("reasoning_effort"); effort.Peek() != "" {
		r.draft.Extended(effort, "reasoning_effort")
	}
	if format := r.root.Get("response_format"); r.same("response_format") {
		format.Skip()
	} else {
		if r.theirs && shownFormat(r.draft.Get("agent")).Get("type").Text() != "text" {
			r.draft.Remove("agent", "model", "response_format")
		}
		if format.Get("json_schema").Get("name").Peek() == schemaName {
			format.Get("json_schema").Get("name").Skip()
		}
		r.draft.ResponseFormat(format)
	}
}

// origin sets the provenance of an assistant that was no definition before.
func (r *reader) origin() {
	if r.ours {
		return
	}
	r.draft.Set(canon.String("openai-assistants"), "provenance", "source_platform")
	const last = 253402300799 // in the year 9999
	if at := r.root.Get("created_at"); at.Value.Type() == canon.TypeNumber && at.Value.Float() >= 0 && at.Value.Float() <= last && !strings.ContainsAny(at.Value.Spelling(), ".eE") {
		r.draft.Set(canon.String(time.Unix(int64(at.Take().Float()), 0).UTC().Format(time.RFC3339)), "provenance", "created_at")
	}
}
