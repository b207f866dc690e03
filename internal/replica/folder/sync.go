package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// SecretPurpose is the purpose of Options.Secret, see [keys.Private.Secret].
const SecretPurpose = "satchel folder of machines"

// Options say who meets whom where. All are needed but those that say what zero means.
type Options struct {
	Name     string // of the remote, as the owner calls it
	Storage  Storage
	Memory   replica.Memory
	Remotes  replica.Remotes
	Owner    memory.DID
	Secret   []byte       // the owner's for [SecretPurpose]
	Key      keys.Private // of this machine
	Identity string       // this machine's secret of age
	Random   io.Reader
	Now      func() time.Time
	Unknown  bool                    // perhaps no other machine knows this one: it asks to take part if it can read none
	PackSize int                     // bytes of items in one pack; 0: 8 MiB
	Progress func(done, total int64) // bytes of packs to read; nil: nobody watches
}

// Result is what a meeting did.
type Result struct {
	Joined       replica.Joined
	PacksRead    int
	PacksWritten int
	BytesRead    int64
	BytesWritten int64
	Whole        bool              // this machine published its memory anew
	Cleared      int               // packs that held something erased
	Waiting      bool              // this machine has asked to take part, and waits for an answer
	Requests     []replica.Machine // that ask to take part, to be accepted by the owner
	Troubles     []Trouble
}

// Trouble is something in the remote that is not as it should be. It did no harm.
type Trouble struct {
	Fault   replica.Fault
	Machine memory.DID // whose part it is in; empty: unknown
	Name    string     // of that machine
	File    string
	Detail  string
}

// meeting is one meeting of a machine with a remote.
type meeting struct {
	Options
	self     replica.Machine
	machines []replica.Machine // all of the owner's
	state    state
	stored   []byte // state as it is stored
	parts    map[string]*part
	heads    []storedHead // the present ones of other machines
	own      *storedHead  // this machine's; nil: it is not as this machine left it
	next     head         // to publish
	restored bool         // this machine may have forgotten what it had published
	whole    bool         // next lists no pack of own: everything is published anew
	stranger bool         // somebody here does not know this machine
	lacks    []lack
	checked  map[string]bool  // files that hold nothing erased
	cleared  replica.Position // up to here
	drop     []string         // files to delete once next is there
	result   Result
}

// Sync lets this machine meet the others in a remote: it joins what they published, and
// publishes what is new here. A Sync that ends early, also by a kill, is made good by the
// next one. Callers let only one Sync per machine and remote run at a time; a second one
// fails with [replica.ErrBusy]. Sync fails with [replica.ErrRemoved] if the owner has
// removed this machine.
//
// What is wrong with the remote is in the result; the error is about the storage, the memory
// here, or ctx.
func Sync(ctx context.Context, o Options) (Result, error) {
	if o.PackSize <= 0 {
		o.PackSize = 8 << 20
	}
	m := &meeting{Options: o}
	err := m.run(ctx)
	return m.result, err
}

func (m *meeting) run(ctx context.Context) error {
	if err := m.load(ctx); err != nil {
		return err
	}
	m.checked = map[string]bool{}
	for _, name := range m.state.Checked {
		m.checked[name] = true
	}
	if err := m.meet(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{m.requests, m.prepare, m.clear, m.publish, m.tidy} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	m.state.Met = m.Now().UTC()
	return m.save(ctx)
}

// meet reads heads and joins packs. What is joined may name further machines, so it looks
// again when it does.
func (m *meeting) meet(ctx context.Context) error {
	var before []memory.DID
	for range 3 {
		if err := m.who(ctx); err != nil {
			return err
		}
		now := dids(m.machines)
		if before != nil && slices.Equal(before, now) {
			return nil
		}
		before = now
		m.result.Troubles, m.lacks = nil, nil
		if err := m.list(ctx); err != nil {
			return err
		}
		if err := m.look(ctx); err != nil {
			return err
		}
		if err := m.join(ctx); err != nil {
			return err
		}
	}
	return nil
}

// who reads which machines the owner has.
func (m *meeting) who(ctx context.Context) error {
	machines, err := m.Memory.Machines(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(machines, func(a, b replica.Machine) int { return cmpDID(a.ID, b.ID) })
	m.machines, m.self = machines, m.Memory.Self()
	if known, ok := m.machine(m.self.ID); ok && !known.Removed.IsZero() {
		return fmt.Errorf("%w: it is this machine, %s", replica.ErrRemoved, known.Name)
	}
	return nil
}

func (m *meeting) machine(id memory.DID) (replica.Machine, bool) {
	at := slices.IndexFunc(m.machines, func(of replica.Machine) bool { return of.ID == id })
	if at < 0 {
		return replica.Machine{}, false
	}
	return m.machines[at], true
}

// members returns the machines that take part, this one included.
func (m *meeting) members() []replica.Machine {
	members := []replica.Machine{m.self}
	for _, of := range m.machines {
		if of.Removed.IsZero() && of.ID != m.self.ID {
			members = append(members, of)
		}
	}
	slices.SortFunc(members, func(a, b replica.Machine) int { return cmpDID(a.ID, b.ID) })
	return members
}

// alone reports whether this machine knows no other, as one that has just been set up.
func (m *meeting) alone() bool { return len(m.members()) == 1 }

func (m *meeting) author() pack.Author {
	return pack.Author{Owner: m.Owner, Self: m.self, Key: m.Key}
}

func (m *meeting) reader() pack.Reader {
	r := pack.Reader{Owner: m.Owner, Identity: m.Identity, Machines: m.machines}
	if len(m.machines) <= 1 {
		r.Machines = nil
	}
	return r
}

// trouble notes what is wrong with a file.
func (m *meeting) trouble(fault replica.Fault, machine memory.DID, file string, detail error) Trouble {
	known, _ := m.machine(machine)
	t := Trouble{Fault: fault, Machine: machine, Name: known.Name, File: file, Detail: fault.Error()}
	if detail != nil {
		t.Detail = detail.Error()
	}
	return t
}

func dids(machines []replica.Machine) []memory.DID {
	var all []memory.DID
	for _, of := range machines {
		all = append(all, of.ID)
	}
	return all
}

func cmpDID(a, b memory.DID) int { return cmp.Compare(a, b) }

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
