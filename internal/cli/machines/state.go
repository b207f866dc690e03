package machines

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/memory"
)

// sync.json in the home folder holds the state of this machine. Backups leave it out.

// ownerState holds the remotes of one owner, and the machines that ask to take part.
type ownerState struct {
	Remotes []remote          `json:"remotes,omitempty"`
	Unknown bool              `json:"unknown,omitempty"` // the other machines may not know this one, as after a restore: it asks to take part
	Asking  []replica.Machine `json:"asking,omitempty"`  // their entries are signed, but the owner has not accepted them
}

// The bounds of sync.json.
const (
	mostRemotes = 32       // of one owner
	mostAsking  = 16       // of one owner
	mostState   = 16 << 20 // bytes of the file
	mostError   = 500      // characters of an error: an untrusted server may have written it
)

// state is the content of sync.json.
type state map[memory.DID]*ownerState

func stateFile(h cli.Home) string { return filepath.Join(h.Dir, "sync.json") }

// readState reads sync.json. A missing file is an empty state.
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

// of returns the state of an owner, to read or to change.
func (s state) of(owner memory.DID) *ownerState {
	if s[owner] == nil {
		s[owner] = &ownerState{}
	}
	return s[owner]
}

// changeState changes the state of an owner in sync.json. Other programs wait meanwhile.
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
		if err == nil && len(data) >= mostState { // readState refuses a larger file
			err = cli.Refusedf("%s is full", stateFile(h))
		}
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

// add adds a remote, or changes the one with its address. It may change the name to be unique.
// It fails if there are too many remotes.
func (s *ownerState) add(r remote) error {
	if known, ok := s.remote(r.Address); ok {
		known.Access, known.Once = r.Access, false
		if r.Machine != "" {
			known.Machine, known.Met, known.Tried = r.Machine, r.Met, r.Tried
		}
		return nil
	}
	r.Name = s.freeName(r.Name)
	if len(s.Remotes) >= mostRemotes {
		return cli.Refusedf("there are %d remotes, the most that may be; satchel sync remove forgets one", mostRemotes)
	}
	s.Remotes = append(s.Remotes, r)
	return nil
}

// freeName returns the name, or the name with a number if another remote has it.
func (s *ownerState) freeName(name string) string {
	free := name
	for n := 2; ; n++ {
		if _, taken := s.remote(free); !taken {
			return free
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// addOnce adds a remote that the owner did not add, unless there is one with its address. If
// there are too many remotes, it replaces the one of this kind that was met longest ago; if
// all were added by the owner, it does nothing.
func (s *ownerState) addOnce(r remote) {
	if _, known := s.remote(r.Address); known {
		return
	}
	if len(s.Remotes) >= mostRemotes {
		oldest := -1
		for i, o := range s.Remotes {
			if o.Once && (oldest < 0 || o.Met.Before(s.Remotes[oldest].Met)) {
				oldest = i
			}
		}
		if oldest < 0 {
			return
		}
		s.Remotes = slices.Delete(s.Remotes, oldest, oldest+1)
	}
	s.Remotes = append(s.Remotes, r)
}

// asks adds a machine to those that ask to take part. If there are too many, it drops the oldest.
func (s *ownerState) asks(m replica.Machine) {
	s.Asking = slices.DeleteFunc(s.Asking, func(o replica.Machine) bool { return o.ID == m.ID })
	if len(s.Asking) >= mostAsking {
		s.Asking = s.Asking[1:]
	}
	s.Asking = append(s.Asking, m)
}
