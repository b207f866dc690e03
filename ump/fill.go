package ump

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// fill supplies the members that an unsigned draft or a record in a file may lack
// (decision UD-2). It never changes a member that is there, even a wrong one.
func (d *decoder) fill(v canon.Value, r *memory.Record) {
	if d.mode == modeComplete {
		return
	}
	if d.mode == modeDraft {
		setMissing(d, v, "ump", &r.Version, Edition)
		setMissing(d, v, "kind", &r.Kind, memory.Semantic)
		setMissing(d, v.Get("scope"), "owner", &r.Scope.Owner, d.opt.Owner)
	}
	scope := v.Get("scope")
	setMissing(d, scope, "project", &r.Scope.Project, d.opt.Project)
	setMissing(d, scope, "visibility", &r.Scope.Visibility, memory.Private)
	if d.mode == modeFile {
		setMissing(d, v.Get("time"), "created", &r.Time.Created, d.creationTime(r.Time))
		if r.Provenance != nil {
			setMissing(d, v.Get("provenance"), "actor", &r.Provenance.Actor, string(r.Scope.Owner))
		}
	}
}

// setMissing sets a member that parent does not have.
func setMissing[T comparable](d *decoder, parent canon.Value, name string, member *T, value T) {
	var nothing T
	if value == nothing || *member != nothing || parent.Has(name) {
		return
	}
	*member = value
	d.filled = true
}

// creationTime returns the best known creation time of a record without
// time.created.
func (d *decoder) creationTime(t memory.Times) time.Time {
	switch {
	case !t.Observed.IsZero():
		return t.Observed
	case !t.ValidFrom.IsZero():
		return t.ValidFrom
	case !d.modified.IsZero():
		return d.modified
	case d.opt.Now != nil:
		return d.opt.Now()
	}
	return time.Time{}
}
