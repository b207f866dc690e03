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

// fleet is this machine among those of an owner.
type fleet struct {
	*cli.Session
	Owner   memory.DID
	app     *cli.App
	machine Machine
	memory  *replicate.Memory
}

// enter returns this machine among those of the selected owner. If create is set, it makes
// the machine's key and its entry where they are missing; otherwise the error is
// [errNoMachine].
func enter(a *cli.App, o *cli.Session, create bool) (*fleet, error) {
	return enterFor(a, a.Ctx, o, o.Owner, create)
}

// enterFor is enter for any owner.
func enterFor(a *cli.App, ctx context.Context, o *cli.Session, owner memory.DID, create bool) (*fleet, error) {
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
	f := &fleet{Session: o, Owner: owner, app: a, machine: m}
	if _, known := find(all, string(m.Key.DID())); !known {
		if !create {
			return nil, errNoMachine
		}
		entry := m.entry()
		entry.Name = freeName(entry.Name, all)
		if err := f.admit(ctx, entry); err != nil {
			return nil, err
		}
		if len(all) > 0 {
			if err := changeState(o.Home, owner, func(s *ownerState) error { s.Unknown = true; return nil }); err != nil {
				return nil, err
			}
		}
	}
	f.memory, err = replicate.Of(ctx, o.Vault, owner, m.Key.DID())
	return f, err
}

// Caller is the owner in person.
func (f *fleet) Caller() memory.Caller { return memory.Caller{Owner: f.Owner, Role: memory.Owner} }

// admit signs an entry and joins it with the owner's machines.
func (f *fleet) admit(ctx context.Context, entry replica.Machine) error {
	signed, err := replicate.Sign(ctx, f.Vault, f.Caller(), entry)
	if err != nil {
		return err
	}
	return replicate.Admit(ctx, f.Vault, f.Caller(), signed)
}

// find finds a machine by its id, or by its name. Of several with a name, the one that takes
// part counts; of several that take part, none does: a stranger may call itself like a machine
// of the owner's.
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

// side is this machine's side of an exchange over HTTP.
func (f *fleet) side() (peer.Side, error) {
	owner, err := replicate.KeyOf(f.app.Ctx, f.Vault, f.Caller())
	return peer.Side{
		Memory: f.memory, Remotes: f.memory, Now: f.app.Now, Secret: owner.Secret(peer.SecretPurpose),
		Author: pack.Author{Owner: f.Owner, Self: f.memory.Self(), Key: f.machine.Key},
		Reader: pack.Reader{Owner: f.Owner, Identity: f.machine.Identity},
	}, err
}

// host answers other machines.
func (f *fleet) host() (peer.Host, error) {
	side, err := f.side()
	return peer.Host{Side: side, Asked: f.asked}, err
}

// asked remembers a machine that asks to take part.
func (f *fleet) asked(m replica.Machine) {
	if err := changeState(f.Home, f.Owner, func(s *ownerState) error { s.asks(m); return nil }); err != nil {
		f.app.Warn("satchel: a machine that asks to take part could not be noted: %s", cli.Describe(err))
	}
}
