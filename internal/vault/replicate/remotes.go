package replicate

import (
	"bytes"
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

const remoteSpace = "count.remote" // a remote's name -> what is known about it, in JSON

var _ replica.Remotes = (*Memory)(nil)

// Remote returns what this machine knows about a remote, see [replica.Remotes].
func (m *Memory) Remote(ctx context.Context, name string) (known []byte, err error) {
	err = m.kernel.Store().View(ctx, m.owner, func(r store.Reader) error {
		known, err = remoteIn(r, name)
		return err
	})
	return known, m.refusal(err)
}

func remoteIn(r store.Reader, name string) ([]byte, error) {
	a, err := r.Attached(remoteSpace, name, 0)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return a.Data, err
}

// SetRemote replaces what this machine knows about a remote, see [replica.Remotes].
func (m *Memory) SetRemote(ctx context.Context, name string, was, now []byte) error {
	err := m.kernel.Store().Update(ctx, m.owner, func(w store.Writer) error {
		known, err := remoteIn(w, name)
		if err != nil {
			return err
		}
		if !bytes.Equal(known, was) {
			return replica.ErrBusy
		}
		return store.PutAttachment(w, store.Attachment{Space: remoteSpace, Key: name, Data: now})
	})
	if errors.Is(err, replica.ErrBusy) {
		return err
	}
	return m.refusal(err)
}

// Sign returns an entry of a machine with the owner's signature. It fails as [KeyOf] does.
func Sign(ctx context.Context, v *vault.Vault, c memory.Caller, entry replica.Machine) (replica.Machine, error) {
	key, err := KeyOf(ctx, v, c)
	if err != nil {
		return entry, err
	}
	return entry.Signed(key), nil
}

// KeyOf returns the key of an owner. It fails with kind ForbiddenScope unless c is the owner in
// person, and with kind Unsupported if the key is not open.
func KeyOf(ctx context.Context, v *vault.Vault, c memory.Caller) (keys.Private, error) {
	k := vault.KernelOf(v)
	if err := k.MayOwn("devices", c); err != nil {
		return keys.Private{}, err
	}
	if err := v.Open(ctx, c.Owner); err != nil {
		return keys.Private{}, err
	}
	key := k.Holder(c.Owner)
	if key == nil {
		return keys.Private{}, errNoKey
	}
	return *key, nil
}
