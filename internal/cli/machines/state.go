package machines

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/memory"
)

// sync.json in the home folder belongs to this machine, and no backup holds it.

// remote is where an owner's machines meet.
type remote struct {
	Name    string `json:"name"`
	Address string `json:"address"` // see [newRemote]
	Access
	Once    bool       `json:"once,omitempty"`    // it holds packs, and is met only when the owner names it
	Machine memory.DID `json:"machine,omitempty"` // that answers there, of a Satchel
	Met     time.Time  `json:"met,omitzero"`      // the last exchange that worked
	Tried   time.Time  `json:"tried,omitzero"`    // the last one
	Failed  string     `json:"failed,omitempty"`
	Fails   int        `json:"fails,omitempty"` // in a row
}

// Access is what an address needs besides.
type Access struct {
	CA       string `name:"ca" json:"ca,omitempty" help:"A file of certificates to trust for another Satchel, beside those of this machine." placeholder:"FILE"`
	User     string `json:"user,omitempty" help:"The user of a WebDAV server, or the key's id of S3-compatible storage." placeholder:"NAME"`
	Password string `name:"password-file" json:"password_file,omitempty" help:"A file whose first line is the password, or the secret key of S3-compatible storage." placeholder:"FILE"`
	Region   string `json:"region,omitempty" help:"The region of S3-compatible storage." placeholder:"NAME"`
}

// ownerState is what this machine remembers for one owner.
type ownerState struct {
	Remotes []remote          `json:"remotes,omitempty"`
	Unknown bool              `json:"unknown,omitempty"` // this machine made its own entry beside those of others, as after a restore
	Asking  []replica.Machine `json:"asking,omitempty"`  // signed by the owner's key, and not accepted
}

// The bounds of what is remembered.
const (
	mostRemotes = 32
	mostAsking  = 16
	mostState   = 1 << 20
)

type state map[memory.DID]*ownerState

func stateFile(h cli.Home) string { return filepath.Join(h.Dir, "sync.json") }

// readState reads what is remembered. A missing file is empty.
func readState(h cli.Home) (state, error) {
	s := state{}
	data, err := cli.ReadBounded(stateFile(h), mostState)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil && json.Unmarshal(data, &s) != nil {
		err = cli.Refusedf("%s %w: move it away, and add your remotes again with satchel sync add", stateFile(h), cli.ErrDamaged)
	}
	return s, err
}

// of returns what is remembered for an owner, to read or to change.
func (s state) of(owner memory.DID) *ownerState {
	if s[owner] == nil {
		s[owner] = &ownerState{}
	}
	return s[owner]
}

// changeState changes what is remembered for an owner. Programs that do so take turns.
func changeState(h cli.Home, owner memory.DID, change func(*ownerState) error) error {
	return cli.InTurn(stateFile(h), func() error {
		s, err := readState(h)
		if err != nil {
			return err
		}
		if err := change(s.of(owner)); err != nil {
			return err
		}
		data, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return err
		}
		return atomicfile.Write(stateFile(h), 0o600, append(data, '\n'))
	})
}

// remote finds a remote by its name or its address.
func (s *ownerState) remote(called string) (*remote, bool) {
	for i := range s.Remotes {
		if s.Remotes[i].Name == called || s.Remotes[i].Address == called {
			return &s.Remotes[i], true
		}
	}
	return nil, false
}

// kept returns the remotes that the owner added.
func (s *ownerState) kept() (all []remote) {
	for _, r := range s.Remotes {
		if !r.Once {
			all = append(all, r)
		}
	}
	return all
}

// known names what the memory knows about a remote that holds packs. Two folders may have
// one name, but not one address.
func (r remote) known() string {
	sum := sha256.Sum256([]byte(r.Address))
	return "packs " + hex.EncodeToString(sum[:16])
}

// asks notes that a machine asks to take part.
func (s *ownerState) asks(m replica.Machine) {
	s.Asking = slices.DeleteFunc(s.Asking, func(o replica.Machine) bool { return o.ID == m.ID })
	if len(s.Asking) >= mostAsking {
		s.Asking = s.Asking[1:]
	}
	s.Asking = append(s.Asking, m)
}
