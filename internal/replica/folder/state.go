package folder

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/memory"
)

// state is what this machine remembers of a remote between syncs. It reveals a remote that
// shows an older state. It is stored as JSON.
type state struct {
	Self    memory.DID                `json:"self"`              // this machine
	Number  int64                     `json:"number"`            // of this machine's last head
	Head    digest                    `json:"head"`              // of that head
	Intent  digest                    `json:"intent"`            // of a head that this machine began to write; zero: none
	Scanned replica.Position          `json:"scanned"`           // Head covers this machine's stream up to here
	Joined  map[memory.DID][]digest   `json:"joined,omitempty"`  // joined packs that heads of others still list
	Checked map[string]filter         `json:"checked,omitempty"` // files that hold nothing erased, by checkedKey
	Cleared replica.Position          `json:"cleared"`           // Checked knows of the erasures up to here
	Others  map[memory.DID]otherState `json:"others,omitempty"`
	Met     time.Time                 `json:"met"` // when the last sync was complete
}

// otherState is what this machine remembers of another one in a remote.
type otherState struct {
	Number   int64            `json:"number"` // of the newest head that was read
	Head     digest           `json:"head"`
	Joined   replica.Position `json:"joined"`   // this machine has joined the other's stream up to here
	Has      replica.Position `json:"has"`      // the other has joined this machine's stream up to here
	Damaged  int              `json:"damaged"`  // how many syncs in a row found its packs damaged
	Repaired int64            `json:"repaired"` // number of its head for which this machine published everything
}

// MarshalText renders a digest in hexadecimal.
func (d digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads what MarshalText renders.
func (d *digest) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(d) {
		return fmt.Errorf("a digest has %d characters", 2*len(d))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// load reads the state of the remote.
func (s *syncRun) load(ctx context.Context) error {
	stored, err := s.Remotes.Remote(ctx, s.Name)
	if err != nil {
		return err
	}
	s.stored = stored
	s.state, err = parseState(stored)
	if self := s.Memory.Self().ID; s.state.Self != self { // this machine has a new key, as after a restore
		s.state.Self, s.state.Number, s.state.Head, s.state.Intent, s.state.Scanned = self, 0, digest{}, digest{}, replica.Position{}
	}
	return err
}

func parseState(stored []byte) (state, error) {
	s := state{}
	if stored != nil {
		if err := json.Unmarshal(stored, &s); err != nil {
			return s, fmt.Errorf("what is known about the remote is damaged: %w", err)
		}
	}
	if s.Others == nil {
		s.Others = map[memory.DID]otherState{}
	}
	if s.Joined == nil {
		s.Joined = map[memory.DID][]digest{}
	}
	return s, nil
}

// save stores the state of the remote, if it has changed.
func (s *syncRun) save(ctx context.Context) error {
	text, err := json.Marshal(s.state)
	if err != nil {
		return err
	}
	if string(text) == string(s.stored) {
		return nil
	}
	if err := s.Remotes.SetRemote(ctx, s.Name, s.stored, text); err != nil {
		return err
	}
	s.stored = text
	return nil
}

// Known is what this machine knows about a remote without reading it.
type Known struct {
	Met     time.Time        // when the last sync was complete; zero: never
	Cleared replica.Position // its packs hold nothing that was erased up to here in this machine's stream
	Others  []KnownMachine   // by id
}

// KnownMachine is another machine that publishes in a remote.
type KnownMachine struct {
	ID     memory.DID
	Joined replica.Position // this machine has joined the other's stream up to here
	Has    replica.Position // the other has joined this machine's stream up to here
}

// ParseKnown reads the value that Sync stored with [replica.Remotes]; nil: the machine knows
// nothing about the remote. It fails if the value is damaged.
func ParseKnown(stored []byte) (Known, error) {
	s, err := parseState(stored)
	k := Known{Met: s.Met, Cleared: s.Cleared}
	for id, o := range s.Others {
		k.Others = append(k.Others, KnownMachine{ID: id, Joined: o.Joined, Has: o.Has})
	}
	slices.SortFunc(k.Others, func(a, b KnownMachine) int { return cmp.Compare(a.ID, b.ID) })
	return k, err
}
