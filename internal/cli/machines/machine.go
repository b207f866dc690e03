package machines

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/keys"
)

// keys/machine.key holds the secrets of this machine, sealed under a secret of the owner's
// key: a key that signs what the machine sends to others, and one that opens what they send
// to it. A home folder is one machine. A backup leaves the file out, so that a restored
// store is a machine of its own.

// MachineKey is the name of the machine's key.
const MachineKey = "machine"

// Machine is this machine among those of an owner.
type Machine struct {
	Key       keys.Private // signs
	Identity  string       // opens; a secret of age
	Recipient string       // that belongs to Identity
	Name      string       // its first name: that of the computer
	Made      time.Time
}

// machineFile is the content of the file, sealed.
type machineFile struct {
	Seed      []byte    `json:"seed"`
	Identity  string    `json:"identity"`
	Recipient string    `json:"recipient"`
	Name      string    `json:"name"`
	Made      time.Time `json:"made"`
}

// errNoMachine: the home folder has no machine's key yet.
var errNoMachine = errors.New("this machine takes part in nothing yet")

// entry is the machine's entry for an owner, without a signature.
func (m Machine) entry() replica.Machine {
	return replica.Machine{ID: m.Key.DID(), Name: m.Name, Recipient: m.Recipient, Added: m.Made}.Proven(m.Key)
}

// maxMachineName is the most bytes of a machine's name.
const maxMachineName = 64

// machinePurpose derives the secret that seals the file.
const machinePurpose = "satchel machine key"

// newMachine makes the secrets of a machine.
func newMachine(now time.Time) (m Machine, err error) {
	if m.Key, err = keys.Generate(rand.Reader); err != nil {
		return m, err
	}
	m.Identity, m.Recipient, err = pack.NewIdentity()
	m.Name, m.Made = computerName(), now.UTC().Truncate(time.Second)
	return m, err
}

// computerName is the computer's name, without what no name of a machine has.
func computerName() string {
	name, err := os.Hostname()
	if err != nil {
		name = ""
	}
	name, _, _ = strings.Cut(name, ".")
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name))
	if name == "" || len(name) > maxMachineName {
		return "machine"
	}
	return name
}

// Write puts the machine's secrets into a home folder, under its owner's key. It fails with
// fs.ErrExist if there are some.
func (m Machine) Write(h cli.Home, owner keys.Private) error {
	plain, err := json.Marshal(machineFile{m.Key.Seed(), m.Identity, m.Recipient, m.Name, m.Made})
	if err != nil {
		return err
	}
	seal, err := owner.Sealer(machinePurpose)
	if err != nil {
		return err
	}
	return atomicfile.Create(h.Key(MachineKey), 0o600, seal.Seal(nil, nil, plain, []byte(owner.DID())))
}

// readMachine reads the machine's secrets. Without any the error is [errNoMachine].
func readMachine(h cli.Home, owner keys.Private) (m Machine, err error) {
	data, err := cli.ReadBounded(h.Key(MachineKey), cli.MaxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return m, errNoMachine
	}
	if err != nil {
		return m, err
	}
	seal, err := owner.Sealer(machinePurpose)
	if err != nil {
		return m, err
	}
	plain, err := seal.Open(nil, nil, data, []byte(owner.DID()))
	if err != nil {
		return m, &otherKeyError{h.Key(MachineKey)}
	}
	var held machineFile
	if err = json.Unmarshal(plain, &held); err == nil {
		m.Key, err = keys.FromSeed(held.Seed)
	}
	if err != nil {
		return m, fmt.Errorf("%s %w", h.Key(MachineKey), cli.ErrDamaged)
	}
	m.Identity, m.Recipient, m.Name, m.Made = held.Identity, held.Recipient, held.Name, held.Made
	return m, nil
}

// otherKeyError: the owner's key was changed. The machine belonged to the old owner.
type otherKeyError struct{ file string }

// Error says so.
func (e *otherKeyError) Error() string {
	return e.file + " was made under another key of the owner's: satchel pair makes this machine one of the new owner's, and lets the others join again"
}

// ownMachine returns this machine, and makes its secrets if there are none under the owner's
// present key and create is set. The owner's key must be open.
func ownMachine(a *cli.App, o *cli.Session, create bool) (Machine, error) {
	m, err := readMachine(o.Home, o.Key)
	if _, other := errors.AsType[*otherKeyError](err); other && create {
		if err = os.Remove(o.Home.Key(MachineKey)); err == nil {
			err = errNoMachine
		}
	}
	if !errors.Is(err, errNoMachine) || !create {
		return m, err
	}
	if m, err = newMachine(a.Now()); err != nil {
		return m, err
	}
	err = m.Write(o.Home, o.Key)
	if errors.Is(err, fs.ErrExist) { // another program made them meanwhile
		return readMachine(o.Home, o.Key)
	}
	return m, err
}
