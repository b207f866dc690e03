package model

import (
	"math"
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// check refuses parameters that are out of bounds (AAIF-4.2-25). It returns the first one's
// name; "": there is none.
func (r Request) check() string {
	p := r.Params
	for _, b := range []struct {
		name      string
		value     *float64
		low, high float64
	}{
		{"temperature", r.Temperature, 0, 2}, {"top_p", p.TopP, 0, 1},
		{"frequency_penalty", p.FrequencyPenalty, -2, 2}, {"presence_penalty", p.PresencePenalty, -2, 2},
	} {
		if b.value != nil && !(*b.value >= b.low && *b.value <= b.high) {
			return b.name
		}
	}
	switch {
	case p.MaxTokens != nil && *p.MaxTokens < 1:
		return "max_tokens"
	case len(p.Stop) > 4:
		return "stop"
	case r.Model == "":
		return "model"
	}
	return ""
}

// params returns the parameters that a provider knows, in its bounds, named as names says by
// the definition's spelling; a name that is missing there is the same. Notes tell the rest.
func (p profile) params(r Request, names map[string]string) (members []canon.Member, notes []Note) {
	add := func(name string, v canon.Value) {
		switch {
		case v.Type() == canon.TypeUndefined:
		case slices.Contains(p.lacks, name):
			notes = append(notes, Note{Dropped, name})
		default:
			members = append(members, canon.Member{Name: renamed(name, p.rename, names), Value: v})
		}
	}
	temperature := r.Temperature
	if temperature != nil && *temperature > p.hottest {
		temperature = &p.hottest
		notes = append(notes, Note{Clamped, "temperature"})
	}
	add("temperature", number(temperature))
	add("max_tokens", integer(r.Params.MaxTokens))
	add("top_p", number(r.Params.TopP))
	add("frequency_penalty", number(r.Params.FrequencyPenalty))
	add("presence_penalty", number(r.Params.PresencePenalty))
	if len(r.Params.Stop) > 0 {
		var stops []canon.Value
		for _, s := range r.Params.Stop {
			stops = append(stops, canon.String(s))
		}
		add("stop", canon.Array(stops...))
	}
	add("seed", integer(r.Params.Seed))
	return members, notes
}

func renamed(name string, tables ...map[string]string) string {
	for _, t := range tables {
		if other := t[name]; other != "" {
			return other
		}
	}
	return name
}

func number(f *float64) canon.Value {
	if f == nil || math.IsNaN(*f) {
		return canon.Value{}
	}
	return canon.Number(*f)
}

func integer(n *int) canon.Value {
	if n == nil {
		return canon.Value{}
	}
	return canon.Int(int64(*n))
}

// format returns the format and the schema to ask for, "" for one that providers have no
// word for. Without a schema, or where the provider takes none, json_schema is json.
func (p profile) format(r Request) (format string, schema canon.Value, notes []Note) {
	switch r.Format {
	case "json":
		return "json", canon.Value{}, nil
	case "json_schema":
		if r.Schema.Type() != canon.TypeUndefined && !p.schemaless {
			return "json_schema", r.Schema, nil
		}
		return "json", canon.Value{}, []Note{{Dropped, "response_format"}}
	}
	return "", canon.Value{}, nil
}
