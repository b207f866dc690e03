package folder

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/replica/pack"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// SecretPurpose is the purpose of Options.Secret, see [keys.Private.Secret].
const SecretPurpose = "satchel folder of machines"

// Options configure one sync. All fields are required, except those that say what zero means.
type Options struct {
	Name     string // of the remote; Memory and Remotes know the remote by it
	Storage  Storage
	Memory   replica.Memory
	Remotes  replica.Remotes
	Owner    memory.DID
	Secret   []byte       // the owner's secret for [SecretPurpose]
	Key      keys.Private // signs this machine's packs
	Identity string       // this machine's age identity, which decrypts packs
	Random   io.Reader
	Now      func() time.Time
	Unknown  bool                    // this machine asks to take part if it can read no head; false: only if it knows no other machine
	PackSize int                     // bytes of items in one pack; 0: 8 MiB
	Progress func(done, total int64) // called after each pack, with bytes read so far and in all; nil: not called
}

// Result reports what a sync did.
type Result struct {
	Joined       replica.Joined
	PacksRead    int
	PacksWritten int
	BytesRead    int64
	BytesWritten int64
	Cleared      int               // packs that held something erased
	Waiting      bool              // this machine has asked to take part; the owner has not accepted it yet
	Requests     []replica.Machine // machines that ask to take part; the owner has to accept them
	Troubles     []Trouble
}

// Trouble is something wrong in the remote. It does no harm to this machine's memory.
type Trouble struct {
	Fault   replica.Fault
	Machine memory.DID // in whose part the file is; empty: unknown
	Name    string     // of that machine; empty: unknown
	File    string
	Detail  string // for people
}

// syncRun is one sync of this machine with a remote.
type syncRun struct {
	Options
	self            replica.Machine
	machines        []replica.Machine // all of the owner's
	state           state
	stored          []byte // state as it is stored
	parts           map[string]*part
	heads           []storedHead      // the newest head of each other machine
	own             *storedHead       // this machine's head; nil: it is not the one that this machine wrote last
	next            head              // the head to publish
	restored        bool              // this machine's store may be older than what the machine has published
	whole           bool              // this machine publishes its whole memory anew; next lists no pack of own
	unknownToOthers bool              // another machine's head is not encrypted to this machine
	unreadable      []unreadable      // packs that this machine could not read
	checked         map[string]filter // files that hold nothing erased, by checkedKey
	cleared         replica.Position  // place up to which checked knows of erasures
	toDelete        []string          // files to delete once next is there
	result          Result
}

// Sync joins what the other machines published in a remote, then publishes what is new on
// this machine. If Sync ends early, even by a kill, the next Sync completes its work. Only
// one Sync of a machine and a remote may run at a time; a second one fails with
// [replica.ErrBusy]. Sync fails with [replica.ErrRemoved] if the owner has removed this
// machine.
//
// What is wrong in the remote is in Result.Troubles. Other errors come from the storage,
// from this machine's memory, or from ctx. The result is valid even if Sync fails.
func Sync(ctx context.Context, o Options) (Result, error) {
	if o.PackSize <= 0 {
		o.PackSize = 8 << 20
	}
	s := &syncRun{Options: o}
	err := s.run(ctx)
	return s.result, err
}

func (s *syncRun) run(ctx context.Context) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	s.checked = map[string]filter{}
	maps.Copy(s.checked, s.state.Checked)
	if err := s.readAndJoin(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{s.handleRequests, s.prepare, s.clearErased, s.publish, s.tidy} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.state.Met = s.Now().UTC()
	return s.save(ctx)
}

// readAndJoin reads heads and joins packs. The joined packs may name machines that were not
// known before. Their heads are read in a second and a third pass.
func (s *syncRun) readAndJoin(ctx context.Context) error {
	var before []memory.DID
	for range 3 {
		if err := s.readMachines(ctx); err != nil {
			return err
		}
		now := dids(s.machines)
		if before != nil && slices.Equal(before, now) {
			return nil
		}
		before = now
		s.result.Troubles, s.unreadable = nil, nil
		if err := s.list(ctx); err != nil {
			return err
		}
		if err := s.readHeads(ctx); err != nil {
			return err
		}
		if err := s.joinPacks(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readMachines reads the owner's machines. It fails with [replica.ErrRemoved] if this one
// was removed.
func (s *syncRun) readMachines(ctx context.Context) error {
	machines, err := s.Memory.Machines(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(machines, func(a, b replica.Machine) int { return cmp.Compare(a.ID, b.ID) })
	s.machines, s.self = machines, s.Memory.Self()
	if known, ok := s.machine(s.self.ID); ok && !known.Removed.IsZero() {
		return fmt.Errorf("%w: it is this machine, %s", replica.ErrRemoved, known.Name)
	}
	return nil
}

func (s *syncRun) machine(id memory.DID) (replica.Machine, bool) {
	at := slices.IndexFunc(s.machines, func(m replica.Machine) bool { return m.ID == id })
	if at < 0 {
		return replica.Machine{}, false
	}
	return s.machines[at], true
}

// members returns the machines that take part, this one included.
func (s *syncRun) members() []replica.Machine {
	members := []replica.Machine{s.self}
	for _, m := range s.machines {
		if m.Removed.IsZero() && m.ID != s.self.ID {
			members = append(members, m)
		}
	}
	slices.SortFunc(members, func(a, b replica.Machine) int { return cmp.Compare(a.ID, b.ID) })
	return members
}

// isAlone reports whether this machine knows no other machine that takes part. A new machine
// is alone.
func (s *syncRun) isAlone() bool { return len(s.members()) == 1 }

func (s *syncRun) author() pack.Author {
	return pack.Author{Owner: s.Owner, Self: s.self, Key: s.Key}
}

func (s *syncRun) reader() pack.Reader {
	r := pack.Reader{Owner: s.Owner, Identity: s.Identity, Machines: s.machines}
	if len(s.machines) <= 1 {
		r.Machines = nil
	}
	return r
}

// newTrouble describes what is wrong with a file of a machine. detail may be nil.
func (s *syncRun) newTrouble(fault replica.Fault, machine memory.DID, file string, detail error) Trouble {
	known, _ := s.machine(machine)
	t := Trouble{Fault: fault, Machine: machine, Name: known.Name, File: file, Detail: fault.Error()}
	if detail != nil {
		t.Detail = detail.Error()
	}
	return t
}

func dids(machines []replica.Machine) []memory.DID {
	var all []memory.DID
	for _, m := range machines {
		all = append(all, m.ID)
	}
	return all
}
