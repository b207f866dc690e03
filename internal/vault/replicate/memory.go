package replicate

import (
	"context"
	"errors"
	"sync"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Memory is the memory of one owner on one machine. It is safe for concurrent use.
type Memory struct {
	kernel vault.Kernel
	owner  memory.DID
	self   memory.DID
	secret []byte // for marks of erased records, see [replica.ErasureMark]

	mu         sync.Mutex
	machine    replica.Machine
	scannedSum store.Sum // of the owner's rows at the last scan
}

var _ replica.Memory = (*Memory)(nil)

// errNoKey: the owner's key is not open. It signs the present forms of joined records.
var errNoKey = &memory.Error{Kind: memory.Unsupported, Op: "sync", Message: "the owner's key is not open here, and machines of an owner need it"}

// Of returns the memory of an owner on this machine, self. It fails with kind NotFound if the
// owner has no such machine, see [Admit], and with kind Unsupported if the owner's key is not
// open.
func Of(ctx context.Context, v *vault.Vault, owner, self memory.DID) (*Memory, error) {
	k := vault.KernelOf(v)
	if err := v.Open(ctx, owner); err != nil {
		return nil, err
	}
	key := k.Holder(owner)
	if key == nil {
		return nil, errNoKey
	}
	m := &Memory{kernel: k, owner: owner, self: self, secret: replica.ErasureSecret(*key)}
	all, err := m.Machines(ctx)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if one.ID == self {
			m.machine = one
			return m, m.refusal(m.noteSelf(ctx))
		}
	}
	return nil, &memory.Error{Kind: memory.NotFound, Op: "sync", Message: "this machine is not among the owner's: pair it first"}
}

// noteSelf stores this machine's id, for feedback: each machine counts its own.
func (m *Memory) noteSelf(ctx context.Context) error {
	err := m.kernel.Store().View(ctx, m.owner, func(r store.Reader) error {
		a, err := r.Attached(stateSpace, vault.SelfKey, 0)
		if err == nil && memory.DID(a.Data) != m.self {
			err = store.ErrNotFound
		}
		return err
	})
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return m.kernel.Store().Update(ctx, m.owner, func(w store.Writer) error {
		return store.PutAttachment(w, store.Attachment{Space: stateSpace, Key: vault.SelfKey, Data: []byte(m.self)})
	})
}

// Self returns this machine, as it was when [Of] read it.
func (m *Memory) Self() replica.Machine {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.machine
}

// update scans for changes on this machine, then runs fn, all in one transaction.
func (m *Memory) update(ctx context.Context, fn func(*tx) error) error {
	err := m.kernel.Store().Update(ctx, m.owner, func(w store.Writer) error {
		t, err := m.begin(w)
		if err != nil {
			return err
		}
		if err := t.scan(); err != nil {
			return err
		}
		return fn(t)
	})
	return m.refusal(err)
}

// clean compacts the store if it owes that after an erasure, so that no file holds erased data.
func (m *Memory) clean(ctx context.Context) error {
	files, ok := m.kernel.Store().(store.Compacter)
	if !ok {
		return nil
	}
	owed, err := files.Owed(ctx)
	if err == nil && owed {
		_, err = m.kernel.Cleared(ctx)
	}
	return err
}

// refusal returns the error of an operation for callers, see [vault.Kernel.Refusal].
func (m *Memory) refusal(err error) error {
	if err == nil || errors.Is(err, replica.ErrMalformed) || errors.Is(err, replica.ErrUnsigned) {
		return err
	}
	return m.kernel.Refusal(memory.Caller{Owner: m.owner, Role: memory.Owner}, "sync", "", err)
}
