package upload

import (
	"context"
	"sync"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Undo is an import that is being taken back, or was.
type Undo struct {
	Report vault.UndoReport
	Ended  bool
	Err    error
}

type undoKey struct {
	owner  memory.DID
	number int64
}

// importUndo is an import that is taken back in the background.
type importUndo struct {
	mu sync.Mutex
	Undo
}

// Undo takes an import back in the background. A second call while that goes on does
// nothing. The work on a file of that import has to be stopped before.
func (b *Inbox) Undo(c memory.Caller, number int64) {
	key := undoKey{c.Owner, number}
	b.mu.Lock()
	defer b.mu.Unlock()
	if u := b.undos[key]; u != nil && !u.snapshot().Ended {
		return
	}
	u := &importUndo{}
	b.undos[key] = u
	b.working.Go(func() {
		report, err := b.vault.UndoTelling(b.ctx, c, number, u.tell)
		u.end(report, err)
		if report := b.options.Report; report != nil && memory.KindOf(err) == memory.Internal && b.ctx.Err() == nil {
			report(err)
		}
	})
}

// Undone says how far the taking back of an import is; false: nobody began it since the
// inbox was made.
func (b *Inbox) Undone(owner memory.DID, number int64) (Undo, bool) {
	b.mu.Lock()
	u := b.undos[undoKey{owner, number}]
	b.mu.Unlock()
	if u == nil {
		return Undo{}, false
	}
	return u.snapshot(), true
}

// DropImport stops the work on the file with this digest, if there is one, and removes the file.
func (b *Inbox) DropImport(ctx context.Context, c memory.Caller, digest string) error {
	files, err := b.Files(ctx, c)
	for _, f := range files {
		if f.Digest == digest && err == nil {
			err = b.Remove(ctx, c, f.ID)
		}
	}
	return err
}

func (u *importUndo) snapshot() Undo {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.Undo
}

func (u *importUndo) tell(r vault.UndoReport) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.Report = r
}

func (u *importUndo) end(r vault.UndoReport, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.Undo = Undo{r, true, err}
}
