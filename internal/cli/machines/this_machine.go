package machines

import (
	"context"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/memory"
)

// thisMachine is this machine as one of an owner's, with its keys open.
type thisMachine struct {
	*cli.Session
	Owner   memory.DID
	app     *cli.App
	machine Machine
	memory  *replicate.Memory
}

// openThisMachine opens this machine as one of the selected owner's. If create is set, it makes
// the machine's key and its entry where they are missing; otherwise the error is
// [errNoMachine].
func openThisMachine(a *cli.App, o *cli.Session, create bool) (*thisMachine, error) {
	return openThisMachineOf(a, a.Ctx, o, o.Owner, create)
}

// openThisMachineOf is [openThisMachine] for any owner.
func openThisMachineOf(a *cli.App, ctx context.Context, o *cli.Session, owner memory.DID, create bool) (*thisMachine, error) {
	if o.Key.IsZero() {
		return nil, cli.Refusedf("the owner's key is sealed, and machines need it: keep its passphrase in the keyring, or set SATCHEL_PASSPHRASE_FILE")
	}
	m, err := ownMachine(a, o, create)
	if err != nil {
		return nil, err
	}
	all, err := replicate.MachinesOf(ctx, o.Vault, owner)
	if err != nil {
		return nil, err
	}
	t := &thisMachine{Session: o, Owner: owner, app: a, machine: m}
	if _, known := find(all, string(m.Key.DID())); !known {
		if !create {
			return nil, errNoMachine
		}
		entry := m.entry()
		entry.Name = freeName(entry.Name, all)
		if err := t.admit(ctx, entry); err != nil {
			return nil, err
		}
		if len(all) > 0 {
			if err := changeState(o.Home, owner, func(s *ownerState) error { s.Unknown = true; return nil }); err != nil {
				return nil, err
			}
		}
	}
	t.memory, err = replicate.Of(ctx, o.Vault, owner, m.Key.DID())
	return t, err
}

// Caller returns the owner in person.
func (t *thisMachine) Caller() memory.Caller {
	return memory.Caller{Owner: t.Owner, Role: memory.Owner}
}

// admit signs an entry of a machine, and joins it with the owner's machines.
func (t *thisMachine) admit(ctx context.Context, entry replica.Machine) error {
	signed, err := replicate.Sign(ctx, t.Vault, t.Caller(), entry)
	if err != nil {
		return err
	}
	return replicate.Admit(ctx, t.Vault, t.Caller(), signed)
}

// find finds a machine by its DID or its name. If several machines have the name, it finds the
// only one that takes part. It finds none if several take part: an attacker may choose the
// name of a machine of the owner's.
func find(all []replica.Machine, called string) (found replica.Machine, ok bool) {
	several := false
	for _, m := range all {
		switch {
		case string(m.ID) == called:
			return m, true
		case m.Name != called || ok && !m.Removed.IsZero():
		default:
			several = ok && found.Removed.IsZero()
			found, ok = m, true
		}
	}
	return found, ok && !several
}

// side returns this machine's side of an exchange over HTTP.
func (t *thisMachine) side() (peer.Side, error) {
	owner, err := replicate.KeyOf(t.app.Ctx, t.Vault, t.Caller())
	return peer.Side{
		Memory: t.memory, Remotes: t.memory, Now: t.app.Now, Secret: owner.Secret(peer.SecretPurpose),
		Author: pack.Author{Owner: t.Owner, Self: t.memory.Self(), Key: t.machine.Key},
		Reader: pack.Reader{Owner: t.Owner, Identity: t.machine.Identity},
	}, err
}

// host returns the host that answers the owner's other machines.
func (t *thisMachine) host() (peer.Host, error) {
	side, err := t.side()
	return peer.Host{Side: side, Asked: t.noteAsking}, err
}

// noteAsking stores a machine that asks to take part.
func (t *thisMachine) noteAsking(m replica.Machine) {
	if err := changeState(t.Home, t.Owner, func(s *ownerState) error { s.asks(m); return nil }); err != nil {
		t.app.Warn("satchel: a machine that asks to take part could not be noted: %s", cli.Describe(err))
	}
}
