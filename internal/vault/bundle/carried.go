package bundle

import (
	"context"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// carried imports the records that are not chunks: closed ones, which are history. They
// are judged like those of any import. Only the owner in person may import them.
func (m *bundleImport) carried(ctx context.Context) error {
	words := &vault.Preparer{Vault: m.kernel.Vault, Caller: m.Caller, Now: m.Now, Words: &recall.Indexer{}}
	err := m.bundle.Carried(func(form canon.Value) error {
		rec, err := ump.Decode(form.Append(nil), codec.Options{})
		if err != nil || m.Caller.Role != memory.Owner || rec.Scope.Owner != m.Caller.Owner {
			return m.step(ctx, 1, m.leaveOut)
		}
		p, err := words.Prepare(rec)
		if err != nil {
			return m.step(ctx, 1, m.leaveOut)
		}
		return m.step(ctx, 1, func(r store.Reader, w store.Writer) error { return m.takeCarried(r, w, p) })
	})
	if err != nil {
		return err
	}
	return m.step(ctx, 1, func(store.Reader, store.Writer) error {
		if m.foreign > 0 {
			m.warn(aimem.Warning{Code: aimem.WarnRecordsLeft, Pointer: aimem.CarriedPointer, Chunks: m.foreign,
				Detail: "records of other owners, and such as cannot be verified, are left out"})
		}
		return nil
	})
}

func (m *bundleImport) leaveOut(store.Reader, store.Writer) error {
	m.foreign++
	return nil
}

// takeCarried stages one carried record, unless it is here.
func (m *bundleImport) takeCarried(r store.Reader, w store.Writer, p vault.Prepared) error {
	p.Imp, p.Restores = m.Number, m.asked.Restore
	if w == nil {
		p.Imp = vault.LookingOnly
	}
	if _, _, err := m.held(r, p.Rec.ID); err != nil { // another import stages it
		return err
	}
	judged, err := m.kernel.Judge(r, p, m.Now)
	if err != nil {
		if memory.KindOf(err) == memory.InvalidRecord { // another record has its id here
			return m.leaveOut(r, w)
		}
		return err
	}
	if judged.Why == vault.AnothersID || judged.Why == vault.OwnersID {
		return m.leaveOut(r, w)
	}
	if judged.Outcome == memory.Created {
		m.tell(p.Rec)
	}
	if w == nil {
		return nil
	}
	return m.Admit(w, p, true)
}
