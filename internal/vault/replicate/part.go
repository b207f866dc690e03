package replicate

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// errNotReady: the copied store cannot begin a machine.
var errNotReady = errors.New("the copy holds an import that has not ended, or was made before the other machine looked for changes")

// sharedSpaces returns the spaces of attachments that a new machine takes over with a copy of
// another machine's store. It takes over no machines: it adds them itself, so that its audit log
// says so.
func sharedSpaces() []string {
	own := []string{markSpace, itemSpace, factSpace, importSpace, stateSpace, vault.LessonSpace, vault.ForkSpace, vault.EditionSpace, vault.IndexedSpace}
	return append(append(own, attachmentSpaces()...), settingSpaces()...)
}

// Part makes a store that is a copy of another machine's the store of a new machine, as if it had
// joined all items of the other machine, from. remote is the name of that machine among the
// remotes. known returns what the new machine knows of it, given the last change and the last
// attachment in the copy.
func Part(ctx context.Context, s store.Store, owner, from memory.DID, remote string, known func(replica.Position) ([]byte, error)) error {
	copied, ok := s.(store.Rooted)
	if !ok {
		return errors.ErrUnsupported
	}
	return copied.Part(ctx, owner, sharedSpaces(), func(w store.Writer) error {
		t := &tx{Memory: &Memory{owner: owner, self: from}, w: w}
		if err := t.refuseUnready(); err != nil {
			return err
		}
		upto, err := t.forgetSelf()
		if err != nil {
			return err
		}
		if err := t.nameImports(); err != nil { // those that the other machine has not named yet, as it will
			return err
		}
		data, err := known(upto)
		if err != nil {
			return err
		}
		if err := store.PutAttachment(w, store.Attachment{Space: remoteSpace, Key: remote, Data: data}); err != nil {
			return err
		}
		return t.setSkip(remote, span{toChange: upto.Changes, toAttached: upto.Attached})
	})
}

// refuseUnready refuses a copy with a staging import, and one that was never scanned: nobody
// knows whose lessons it holds.
func (t *tx) refuseUnready() error {
	scanned, err := scannedTo(t.w)
	if err != nil {
		return err
	}
	imports, err := t.w.Imports()
	for _, i := range imports {
		if i.State == store.Staging {
			return errNotReady
		}
	}
	if scanned == 0 {
		return errors.Join(errNotReady, err)
	}
	return err
}

// forgetSelf removes what the other machine noted about itself. It returns the last change and
// the last attachment in the copy.
func (t *tx) forgetSelf() (upto replica.Position, err error) {
	if err = vault.NotFoundIsNone(t.w.Detach(stateSpace, vault.SelfKey)); err != nil {
		return upto, err
	}
	if err = store.PutAttachment(t.w, store.Attachment{Space: stateSpace, Key: lastSkip}); err != nil {
		return upto, err
	}
	a, err := t.w.Attached(stateSpace, lastSkip, 0)
	if err != nil {
		return upto, err
	}
	upto.Attached = a.Number - 1
	upto.Changes, err = t.w.Head()
	return upto, err
}
