package ump

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// fill supplies what an unsigned draft or a record in a file may lack
// (decision UD-2). What is there, even if it is wrong, stays.
func (d *decoder) fill(v canon.Value, r *memory.Record) {
	if d.mode == complete {
		return
	}
	if d.mode == draft {
		supply(d, v, "ump", &r.Version, Edition)
		supply(d, v, "kind", &r.Kind, memory.Semantic)
		supply(d, v.Get("scope"), "owner", &r.Scope.Owner, d.opt.Owner)
	}
	scope := v.Get("scope")
	supply(d, scope, "project", &r.Scope.Project, d.opt.Project)
	supply(d, scope, "visibility", &r.Scope.Visibility, memory.Private)
	if d.mode == filed {
		supply(d, v.Get("time"), "created", &r.Time.Created, d.dated(r.Time))
		if r.Provenance != nil {
			supply(d, v.Get("provenance"), "actor", &r.Provenance.Actor, string(r.Scope.Owner))
		}
	}
}

// supply sets a member that parent does not have.
func supply[T comparable](d *decoder, parent canon.Value, name string, member *T, value T) {
	var nothing T
	if value == nothing || *member != nothing || parent.Has(name) {
		return
	}
	*member = value
	d.filled = true
}

// dated returns when a record without time.created was authored, as well as can
// be known.
func (d *decoder) dated(t memory.Times) time.Time {
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
