package vault

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// naming says which thing elsewhere a record tells of, such as a note of Claude
// Code. When the thing is imported again and says something else, the new record
// supersedes the old one.
type naming struct {
	space, name string
	id          memory.ID
}

// named returns the naming of an imported record. A reference to a place inside
// a file has a "#" and names nothing that lasts; nor does a bare file name where
// no project tells two folders with such a file apart.
func named(rec memory.Record) (naming, bool) {
	p := rec.Provenance
	if p == nil || p.ActorKind != memory.ByImport || p.Source == nil || p.Source.Ref == "" || strings.Contains(p.Source.Ref, "#") {
		return naming{}, false
	}
	if rec.Scope.Project == "" && !strings.Contains(p.Source.Ref, "/") {
		return naming{}, false
	}
	return naming{space: "import:" + p.Source.Provider, name: rec.Scope.Project + "\x00" + p.Source.Ref, id: rec.ID}, true
}

// supersedeNamed makes p the successor of the live record that told of the same
// thing before, if there is one.
func (v *Vault) supersedeNamed(w store.Writer, p prepared) (prepared, error) {
	n, ok := named(p.rec)
	if !ok || p.mergeKey == "" {
		return p, nil
	}
	id, err := w.Alias(n.space, n.name)
	if errors.Is(err, store.ErrNotFound) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	r, err := w.Row(id)
	if errors.Is(err, store.ErrNotFound) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	old, err := v.record(w, r)
	if err != nil || old.Lifecycle.Status.Or() != memory.Active || len(old.SupersededBy) > 0 {
		return p, nil // forgotten, replaced by hand, or damaged: nothing to continue
	}
	next := p.rec
	next.ID, next.Integrity, next.Supersedes = "", nil, []memory.ID{id}
	p.rec, err = v.authored(next)
	return p, err
}
