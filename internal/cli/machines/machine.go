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

// keys/machine.key holds two keys of this machine: one signs the packs that it writes, the
// other decrypts packs that are for it. The file is encrypted by a secret of the owner's key. A
// home folder is one machine. Backups leave the file out, so that a restored store is another
// machine.

// MachineKey is the name of the machine's key file, see [cli.Home.Key].
const MachineKey = "machine"

// Machine holds the keys and the first name of this machine.
type Machine struct {
	Key       keys.Private // signs packs
	Identity  string       // age identity: decrypts packs
	Recipient string       // age recipient of Identity
	Name      string       // first name: that of the computer
	Made      time.Time
}

// machineFile is the content of the file before encryption.
type machineFile struct {
	Seed      []byte    `json:"seed"`
	Identity  string    `json:"identity"`
	Recipient string    `json:"recipient"`
	Name      string    `json:"name"`
	Made      time.Time `json:"made"`
}

// errNoMachine: the home folder has no machine's key, or the owner does not know the machine.
var errNoMachine = errors.New("this machine takes part in nothing yet")

// entry returns the machine's entry, with its Proof and without the owner's signature.
func (m Machine) entry() replica.Machine {
	return replica.Machine{ID: m.Key.DID(), Name: m.Name, Recipient: m.Recipient, Added: m.Made}.Proven(m.Key)
}

// maxMachineName is the most bytes of a machine's name.
const maxMachineName = replica.MaxName

// machinePurpose is the purpose of the secret that encrypts the file, see [keys.Private.Sealer].
const machinePurpose = "satchel machine key"

// newMachine makes the keys of a machine.
func newMachine(now time.Time) (m Machine, err error) {
	if m.Key, err = keys.Generate(rand.Reader); err != nil {
		return m, err
	}
	m.Identity, m.Recipient, err = pack.NewIdentity()
	m.Name, m.Made = computerName(), now.UTC().Truncate(time.Second)
	return m, err
}

// computerName returns the computer's name without its domain and without control characters.
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

// Write writes the key file of the machine into a home folder, encrypted under the owner's key.
// It fails with fs.ErrExist if there is one.
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

// readMachine reads the machine's key file. It fails with [errNoMachine] if there is none, and
// with an [otherKeyError] if it does not open with the owner's key.
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

// otherKeyError means that the machine belongs to an earlier key of the owner's.
type otherKeyError struct{ file string }

// Error describes the failure for people, and says what to do.
func (e *otherKeyError) Error() string {
	return e.file + " was made under another key of the owner's: satchel pair makes this machine one of the new owner's, and lets the others join again"
}

// ownMachine reads the machine's key file. If create is set and there is none under the owner's
// present key, it makes one. The owner's key must be open.
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
