package notebook

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
)

// Record makes the first record of a note that this program wrote and that is one memory.
// It sets the data of [Properties].
func (n *Note) Record() memory.Record {
	r := memory.Record{Kind: memory.Semantic, Time: n.Times}
	if kind := memory.Kind(n.Front.Get("kind").Text()); kind.Valid() {
		r.Kind = kind
	}
	at := func(name string) time.Time {
		at, _ := markdown.Date(n.Front.Get(name).Text())
		return at
	}
	r.Time.Observed, r.Time.ValidFrom, r.Time.ValidTo = at("observed"), at("valid_from"), at("valid_to")
	r.Scope.Project = n.Front.Get("project").Text()
	return r
}

// Properties give a record's kind, its times and its project.
func Properties(r memory.Record) []canon.Member {
	members := []canon.Member{{Name: "kind", Value: canon.String(string(r.Kind))}}
	for _, at := range []struct {
		name string
		time.Time
	}{{"created", r.Time.Created}, {"observed", r.Time.Observed}, {"valid_from", r.Time.ValidFrom}, {"valid_to", r.Time.ValidTo}} {
		if !at.IsZero() {
			members = append(members, canon.Member{Name: at.name, Value: canon.String(at.UTC().Format(time.RFC3339Nano))})
		}
	}
	if r.Scope.Project != "" {
		members = append(members, canon.Member{Name: "project", Value: canon.String(r.Scope.Project)})
	}
	return members
}
