package vault

import (
	"context"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// carried takes in the records that are no chunks: closed ones, which make history.
// They are judged as those of any import are. Only the owner in person brings them.
func (m *bringing) carried(ctx context.Context) error {
	words := &preparer{vault: m.vault, caller: m.caller, now: m.now, words: &recall.Indexer{}}
	err := m.bundle.Carried(func(form canon.Value) error {
		rec, err := ump.Decode(form.Append(nil), codec.Options{})
		if err != nil || m.caller.Role != memory.Owner || rec.Scope.Owner != m.caller.Owner {
			return m.step(ctx, 1, m.leaveOut)
		}
		p, err := words.prepare(rec)
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

func (m *bringing) leaveOut(store.Reader, store.Writer) error {
	m.foreign++
	return nil
}

// takeCarried stages one carried record, unless it is here.
func (m *bringing) takeCarried(r store.Reader, w store.Writer, p prepared) error {
	p.imp, p.restores = m.number, m.asked.Restore
	if w == nil {
		p.imp = lookingOnly
	}
	if _, _, err := m.held(r, p.rec.ID); err != nil { // another import brings it
		return err
	}
	judged, err := m.vault.judge(r, p, m.now)
	if err != nil {
		if memory.KindOf(err) == memory.InvalidRecord { // something else stands here under its id
			return m.leaveOut(r, w)
		}
		return err
	}
	if judged.why == anothersID || judged.why == ownersID {
		return m.leaveOut(r, w)
	}
	if judged.outcome == memory.Created {
		m.tell(p.rec)
	}
	if w == nil {
		return nil
	}
	return m.admit(w, p, true)
}
