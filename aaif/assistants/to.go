package assistants

import (
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// format is the name of this format in errors.
const format = "assistants"

// lossFull is the reason for members that the metadata have no room for.
const lossFull = "the metadata of an assistant take 16 texts of 512 characters, which are full"

// To returns the assistant of a definition, and two kinds of losses by pointers into the
// definition: lost members, and members that its metadata carry without effect.
// [exchange.IsCarried] tells them apart. Errors are of type [codec.ParseError]: the
// definition is invalid or holds a secret.
func To(d aaif.Definition, o exchange.Options) (canon.Value, []codec.Loss, error) {
	v, err := exchange.Ready(d, o)
	if err != nil {
		return canon.Value{}, nil, err
	}
	assistant, lost, carried, err := write(v, o, nil)
	if err != nil {
		return canon.Value{}, nil, err
	}
	if v.Get("provenance").Has("signature") && len(lost) > 0 {
		gone := []codec.Loss{{Pointer: "/provenance/signature", Reason: "covers what is lost, so that it would not hold"}}
		unsigned := v.With("provenance", v.Get("provenance").Without("signature"))
		if assistant, lost, carried, err = write(unsigned, o, gone); err != nil {
			return canon.Value{}, nil, err
		}
		lost = append(lost, gone...)
	}
	if !assistant.Has("model") {
		lost = append(lost, codec.Loss{Pointer: "/agent/model/preferred", Reason: "an assistant wants a model, and the definition prefers none"})
	}
	if n := functions(v.Get("agent").Get("tools")); n > mostTools {
		lost = append(lost, codec.Loss{Pointer: "/agent/tools", Reason: fmt.Sprintf("an assistant takes %d functions, and these are %d: the rest is not there to be called [AAIF-11-5]", mostTools, n)})
	}
	return assistant, append(lost, carried...), nil
}

// write returns the assistant of a valid tree, its losses, and the members it carries
// without effect. The assistant notes the losses, including gone.
func write(v canon.Value, o exchange.Options, gone []codec.Loss) (assistant canon.Value, lost, carried []codec.Loss, err error) {
	assistant = visiblePart(v)
	seen, _, err := From(assistant.With("metadata", nothingCarried()), o)
	if err != nil {
		return canon.Value{}, nil, nil, err
	}
	first := summary(v)
	part := withoutSummary(rest(v, seen.Document()), fromSummary(first))
	if v.Get("provenance").Get("signature").Text() != "" {
		part = part.With(sumKey, sum(v))
	}
	if alone, err := enough(v, assistant, first, o); err != nil || alone {
		part = canon.Value{}
	}
	meta, ok := metadata(first, part)
	if ok {
		lost, err = comesBack(v, assistant.With("metadata", meta), nil, o)
	}
	if !ok || len(lost)+len(gone) > 0 && err == nil {
		fits, over := partThatFits(part)
		meta, _ = metadata(first, fits)
		lost, err = comesBack(v, assistant.With("metadata", meta), over, o)
		meta, _ = metadata(first, fits.With(cutKey, cutNote(slices.Concat(lost, gone))))
	}
	if err != nil {
		return canon.Value{}, nil, nil, err
	}
	return assistant.With("metadata", meta), lost, unread(exchange.Carried(v, seen.Document(), lost), v, fromSummary(first)), nil
}

// comesBack returns what a tree loses on the way to its assistant and back. over had no
// room.
func comesBack(v, assistant canon.Value, over []string, o exchange.Options) ([]codec.Loss, error) {
	back, _, err := From(assistant, o)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for _, at := range over {
		reasons[at] = lossFull
	}
	return exchange.Lost(v, back.Document(), reasons), nil
}

// rest returns the members of a definition that its assistant does not show. A model of
// another provider stays, so that a changed model can be noticed.
func rest(v, seen canon.Value) canon.Value {
	agent := v.Get("agent")
	left := without(v.Without("agent"), seen.Without("agent"))
	inner := without(agent.Without("tools").Without("model"), seen.Get("agent"))
	if model := agent.Get("model"); model.Type() == canon.TypeObject {
		less := without(model, seen.Get("agent").Get("model"))
		if p := model.Get("provider").Text(); p != "" && p != "openai" {
			less = less.With("preferred", model.Get("preferred"))
		}
		if less.Len() > 0 || model.Len() == 0 {
			inner = inner.With("model", less)
		}
	}
	inner = inner.With("tools", hiddenTools(agent.Get("tools"), seen.Get("agent").Get("tools"), agent.Get("compliance").Len() > 0))
	left = left.With("sc_standard", v.Get("sc_standard"))
	if inner.Len() > 0 {
		left = left.With("agent", inner)
	}
	return left
}

// without returns an object without the members that another object has as well.
func without(v, seen canon.Value) canon.Value {
	shown := map[string]canon.Value{}
	for _, m := range seen.Members() {
		shown[m.Name] = m.Value
	}
	var left []canon.Member
	for _, m := range v.Members() {
		was := shown[m.Name]
		switch {
		case was.Type() == m.Value.Type() && canon.Identical(m.Value, was):
			continue
		case m.Value.Type() == canon.TypeObject && was.Type() == canon.TypeObject && was.Len() > 0:
			m.Value = without(m.Value, was)
		}
		left = append(left, m)
	}
	return canon.Object(left...)
}
