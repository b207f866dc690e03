package replicate

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

const machineSpace = vault.MachineSpace

// Admit joins an entry of a machine with those of its owner: it adds, renames or removes the
// machine. It fails with [replica.ErrUnsigned] unless the owner has signed the entry, and with
// kind ForbiddenScope unless c is the owner in person.
func Admit(ctx context.Context, v *vault.Vault, c memory.Caller, entry replica.Machine) error {
	k := vault.KernelOf(v)
	if err := errors.Join(k.MayOwn("devices", c), entry.Verify(c.Owner)); err != nil {
		return err
	}
	err := k.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		_, err := admit(k, w, entry, "")
		return err
	})
	return k.Refusal(c, "devices", "", err)
}

// admit joins an entry with the stored one, and returns the result. If that is new, the audit log
// gets an entry with the reason why: [learned], or empty for an act of the owner here.
func admit(k vault.Kernel, w store.Writer, entry replica.Machine, why string) (replica.Machine, error) {
	a, err := w.Attached(machineSpace, string(entry.ID), 0)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return entry, err
	}
	var was replica.Machine
	if err == nil {
		if was, err = replica.Decode[replica.Machine](a.Data); err != nil {
			return entry, err
		}
		if entry = was.Join(entry); slices.Equal(replica.Encode(entry), a.Data) {
			return entry, nil
		}
	}
	if err := noteMachine(k, w, was, entry, why); err != nil {
		return entry, err
	}
	return entry, store.PutAttachment(w, store.Attachment{Space: machineSpace, Key: string(entry.ID), Data: replica.Encode(entry)})
}

// learned is the reason in the audit log for entries that came from another machine.
const learned = "other_machine"

// noteMachine writes to the audit log what changed in an entry of a machine.
func noteMachine(k vault.Kernel, w store.Writer, was, now replica.Machine, why string) error {
	e := audit.Entry{Act: audit.NameMachine, Reason: why, Result: vault.AuditName(now.ID)}
	switch {
	case !now.Removed.IsZero() && was.Removed.IsZero():
		e.Act = audit.DropMachine
	case was.ID == "":
		e.Act = audit.AddMachine
	case was.Name == now.Name:
		return nil
	}
	return k.Note(w, memory.Caller{Owner: w.Owner(), Role: memory.Owner}, e)
}

// Machines returns the owner's machines by name and id, also removed ones.
func (m *Memory) Machines(ctx context.Context) (all []replica.Machine, err error) {
	err = m.kernel.Store().View(ctx, m.owner, func(r store.Reader) error {
		all, err = machinesIn(r, m.owner)
		return err
	})
	return all, m.refusal(err)
}

// MachinesOf returns the machines of an owner by name and id, also removed ones.
func MachinesOf(ctx context.Context, v *vault.Vault, owner memory.DID) (all []replica.Machine, err error) {
	k := vault.KernelOf(v)
	err = k.Store().View(ctx, owner, func(r store.Reader) error {
		all, err = machinesIn(r, owner)
		return err
	})
	return all, err
}

// machinesIn reads the machines of an owner. It leaves out entries that an earlier key of the
// owner's has signed.
func machinesIn(r store.Reader, owner memory.DID) (all []replica.Machine, err error) {
	err = vault.EachBeside(r, store.AttachmentFilter{Space: machineSpace}, func(a store.Attachment) error {
		one, err := replica.Decode[replica.Machine](a.Data)
		if err == nil && one.Verify(owner) == nil {
			all = append(all, one)
		}
		return err
	})
	slices.SortFunc(all, func(a, b replica.Machine) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}
