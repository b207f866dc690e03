package belief

import (
	"slices"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// beliefTx is a transaction in which beliefs change.
type beliefTx struct {
	beliefSet
	w      store.Writer
	caller memory.Caller
	actor  string // the actor that the caller names; empty: the caller
	undo   string // names what is done, see vault.UndoNameOf; empty: each act by itself
}

// undoName names an act that can be taken back.
func (g beliefTx) undoName() string {
	if g.undo == "" {
		return vault.NewUndoName()
	}
	return g.undo
}

// lay signs a record that an Engram act has made with its owner's key, and stores it.
func (g beliefTx) lay(rec memory.Record, as store.ChangeType) (memory.Record, error) {
	const op = "engram"
	rec.ID, rec.Origin, rec.Integrity = "", nil, nil // the record differs from what the mapper made
	if err := vault.Admissible(op, g.caller, rec); err != nil {
		return rec, err
	}
	if err := vault.Unexpired(op, rec, g.now); err != nil {
		return rec, err
	}
	rec.Provenance = vault.ActedBy(rec.Provenance, g.actor)
	born, err := g.vault.kernel.AuthoredIn(g.w, rec)
	if err != nil {
		return rec, err
	}
	g.vault.kernel.Vouch(born)
	if _, err := g.vault.kernel.Insert(g.w, vault.Prepared{Rec: born, Indexed: vault.Document(born)}, false); err != nil {
		return rec, err
	}
	if err := g.vault.kernel.SettleChain(g.w, born); err != nil {
		return rec, err
	}
	if err := vault.BroughtIn(g.w, g.caller, born.ID); err != nil {
		return rec, err
	}
	_, err = g.w.Record(store.Change{At: g.now, Type: as, ID: born.ID})
	return born, err
}

// nextVersion is the content of a belief's next version, and the reasons for it.
type nextVersion struct {
	belief  engram.Belief
	change  engram.Change // zero: the value stays
	by      []engram.Correction
	derived memory.ID // the proposal behind it; empty: none
}

// succeed writes the next version of a belief. Its scope and consent stay as they are.
func (g beliefTx) succeed(b beliefRecords, s nextVersion) (beliefRecords, error) {
	prior := b.current()
	rec, err := g.tell.Next(prior, s.belief, s.change, s.by...)
	if err != nil {
		return b, err
	}
	rec.Scope, rec.Consent = prior.Scope, prior.Consent
	if s.derived != "" {
		rec.Relations = vault.Union(rec.Relations, []memory.Relation{{Type: memory.DerivedFrom, Target: string(s.derived)}})
	}
	if rec, err = g.lay(rec, store.Revised); err != nil {
		return b, err
	}
	versions := slices.Clone(b.lineage.Versions)
	versions[len(versions)-1] = vault.Closed(prior, rec)
	b.lineage.Versions = append(versions, rec)
	return g.retold(b)
}
