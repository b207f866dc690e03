package engramgo

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// provider is the system of these files.
const provider = "engram-go"

// record makes the memory of an observation.
func (o observation) record(opt codec.Options) memory.Record {
	r := memory.Record{
		Version: "0.1", Kind: o.kindOf(), Body: memory.Body{Text: o.text(), Structured: o.tags()},
		Scope: memory.Scope{Owner: opt.Owner, Project: o.project(opt), Session: o.Get("session_id").Text(), Visibility: memory.Private},
		Time:  memory.Times{Created: o.created},
		Provenance: &memory.Provenance{
			Actor: string(opt.Owner), ActorKind: memory.ByImport, Method: formatName,
			Source: &memory.Source{Provider: provider, Ref: "observation#" + o.id},
		},
	}
	if changed, ok := dateIn(o.Get("updated_at").Text()); ok && changed.After(o.created) {
		r.Time.Observed = changed
	}
	return codec.WithResidue(r, formatName, o.Without("title").Without("content"))
}

// text is the memory's text: the content, after the title if that adds to it.
func (o observation) text() string {
	if title := strings.TrimSpace(o.title); title != "" && !strings.HasPrefix(o.content, title) {
		return title + ": " + o.content
	}
	return o.content
}

// project is the project of an observation; a personal one applies everywhere.
func (o observation) project(opt codec.Options) string {
	if o.Get("scope").Text() == "personal" {
		return ""
	}
	if p := o.Get("project").Text(); p != "" {
		return p
	}
	return opt.Project
}

// tags are type and topic of an observation.
func (o observation) tags() []byte {
	var items []canon.Value
	for _, tag := range []string{o.kind, o.Get("topic_key").Text()} {
		if tag != "" {
			items = append(items, canon.String(tag))
		}
	}
	if items == nil {
		return nil
	}
	return canon.Object(canon.Member{Name: "tags", Value: canon.Array(items...)}).Append(nil)
}

// kindOf returns the kind of an observation by its type.
func (o observation) kindOf() memory.Kind {
	switch o.kind {
	case "bugfix", "session_summary", "manual":
		return memory.Episodic
	case "pattern", "config":
		return memory.Procedural
	}
	return memory.Semantic
}
