package vault

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// clearing is how long an erasure waits until the files are clear of erased content. A
// longer reader prevents that; a later clearing makes up for it.
const clearing = 5 * time.Second

// cleared clears erased content from the files and reports whether that is done. In a
// shared store that is the operator's task.
func (e *eraser) cleared(ctx context.Context) (bool, error) {
	s, ok := e.store.(store.Compacter)
	if !ok {
		return true, nil
	}
	within, stop := context.WithTimeout(ctx, clearing)
	defer stop()
	err := s.Compact(within)
	if ctx.Err() == nil && (errors.Is(err, store.ErrBusy) || errors.Is(err, store.ErrOperator) || errors.Is(err, context.DeadlineExceeded)) {
		return false, nil
	}
	return err == nil, err
}

// compactIfOwed clears deleted content from the files, if there is any and the store's
// operator does not do it.
func (e *eraser) compactIfOwed(ctx context.Context) error {
	s, ok := e.store.(store.Compacter)
	if !ok {
		return nil
	}
	owed, err := s.Owed(ctx)
	if err != nil || !owed {
		return err
	}
	if err = s.Compact(ctx); errors.Is(err, store.ErrOperator) {
		return nil
	}
	return err
}

// Pending reports whether erased content may still be in the files.
func (v *Vault) Pending(ctx context.Context) (bool, error) {
	s, ok := v.store.(store.Compacter)
	if !ok {
		return false, nil
	}
	owed, err := s.Owed(ctx)
	return owed, v.refusal(memory.Caller{}, "erase", "", err)
}

// rowsToForget returns the rows to forget: the named record; with Hard also every
// earlier version, because each may repeat the content; with Chain every version.
func rowsToForget(w store.Writer, f memory.ForgetRequest) ([]store.Row, error) {
	r, err := w.Row(f.ID)
	if err != nil {
		return nil, err
	}
	if f.Chain {
		return w.Rows(store.Filter{Lineage: r.Columns.Lineage}, store.Cursor{}, ChainLimit)
	}
	if !f.Hard {
		return []store.Row{r}, nil
	}
	rows, seen := []store.Row{r}, map[memory.ID]bool{r.ID: true}
	if rec, err := Decoded(r); err == nil && ofToken(rec) {
		return rows, nil // forgetting somebody else's statement keeps the owner's
	}
	for i := 0; i < len(rows) && len(rows) < ChainLimit; i++ {
		rec, err := Decoded(rows[i])
		if err != nil {
			continue // its references cannot be read
		}
		for _, id := range rec.Supersedes {
			if seen[id] {
				continue
			}
			seen[id] = true
			earlier, err := w.Row(id)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if earlier.Columns.Lineage == r.Columns.Lineage {
				rows = append(rows, earlier)
			}
		}
	}
	return rows, nil
}

// erase removes a record, the receipts with its id, and what an imported document said
// beside its records. The change feed keeps the id, from which subscribers learn what to
// erase, and a tombstone keeps its belief's name.
func (e *eraser) erase(w store.Writer, r store.Row, as BeliefName, now time.Time) error {
	rec, damaged := Decoded(r)
	if damaged == nil {
		if err := e.reopenAfterToken(w, rec); err != nil {
			return err
		}
	}
	if err := e.beliefs.KeepTombstone(w, r, as, now); err != nil {
		return err
	}
	return e.remove(w, r, now)
}

// remove is erase without what reopens other records or keeps a belief's name.
func (e *eraser) remove(w store.Writer, r store.Row, now time.Time) error {
	rec, damaged := Decoded(r)
	if err := w.Delete(r.ID); err != nil {
		return err
	}
	if err := w.DropReceipts(r.ID); err != nil {
		return err
	}
	if err := dropResidue(w, r.Columns.Import); err != nil {
		return err
	}
	change := store.Change{At: now, Type: store.ErasedPrivately, ID: r.ID, First: r.Number, Last: r.Number}
	if damaged == nil {
		if Visibility(rec).WiderThan(memory.Private) {
			change.Type = store.Erased
		}
		var err error
		if change.Mark, err = e.whereabouts(w, rec); err != nil {
			return err
		}
	}
	_, err := w.Record(change)
	return err
}

// whereabouts returns the marks of an erased record's project and agent, by which their
// followers learn of the erasure. Without the owner's key there are none.
func (j *journal) whereabouts(r store.Reader, rec memory.Record) (string, error) {
	n, err := projectNames(r)
	if err != nil {
		return "", err
	}
	l := j.ledger(rec.Scope.Owner)
	return l.Mark("project "+n.canonical(rec.Scope.Project)) + " " + l.Mark("agent "+rec.Scope.Agent), nil
}

// reopenAfterToken puts a record in force again that a token's record had superseded:
// forgetting somebody else's statement reverts it.
func (e *eraser) reopenAfterToken(w store.Writer, rec memory.Record) error {
	if !ofToken(rec) {
		return nil
	}
	return e.reopen(w, rec)
}

// dropResidue forgets the residue of an import's document, which may repeat the content
// of its records.
func dropResidue(w store.Writer, number int64) error {
	if number == 0 {
		return nil
	}
	i, err := w.Import(number)
	left := withoutWords(i.Residue)
	if errors.Is(err, store.ErrNotFound) || err == nil && len(left) == len(i.Residue) {
		return nil
	}
	if err != nil {
		return err
	}
	i.Residue = left
	_, err = w.SetImport(i)
	return err
}

// EraseOwner erases everything of the caller's: every record with its versions, the
// index, imports, receipts, tokens and the change feed. The audit log stays, which names
// nothing, and the ids of tokens, all of them ended; of used migration tokens digests
// stay. Only the owner in person may call it. The result is false while the files still
// hold erased content. See [Vault.EraseBrain] for the details.
func (v *Vault) EraseOwner(ctx context.Context, c memory.Caller) (cleared bool, err error) {
	e, err := v.EraseBrain(ctx, c)
	return err == nil && !e.Pending, err
}

// empty erases an owner's rows and ends all tokens that were issued here. The ids of
// issued and revoked tokens stay until the tokens expire, so that nobody is admitted
// with one; so do marks of used migration tokens (AAIF-8.2-8).
func (e *eraser) empty(w store.Writer) error {
	grants, err := w.Grants()
	if err != nil {
		return err
	}
	now := Instant(e.now())
	served, err := SpentTokens(w, now)
	if err != nil {
		return err
	}
	edition, err := EditionOf(w)
	if err != nil {
		return err
	}
	if err := errors.Join(w.EraseOwner(), SetEdition(w, edition, now)); err != nil {
		return err
	}
	if err := SpendAll(w, served, now); err != nil {
		return err
	}
	for _, g := range grants {
		if !g.Expires.IsZero() && now.After(g.Expires.Add(memory.ClockSkew)) {
			continue
		}
		left := store.Grant{ID: g.ID, Issued: g.Issued, Expires: g.Expires, Revoked: cmp.Or(g.Revoked, now)}
		if err := w.SetGrant(left); err != nil {
			return err
		}
	}
	return nil
}

// clearSealed clears the files of plain text that was sealed or replaced since. If that
// has to wait, a later clearing makes up for it, as after an erasure.
func (e *eraser) clearSealed(ctx context.Context) {
	within, stop := context.WithTimeout(ctx, clearing)
	defer stop()
	if err := e.compactIfOwed(within); err != nil {
		e.log.Warn("vault", "op", "agent keep", "err", err)
	}
}
