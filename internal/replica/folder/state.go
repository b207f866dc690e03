package folder

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/memory"
)

// state is what a machine knows about a remote. The remote itself may lie.
type state struct {
	Number  int64                   `json:"number"`           // of this machine's last head
	Head    digest                  `json:"head"`             // that head
	Intent  digest                  `json:"intent"`           // the head that was about to be written
	Scanned replica.Position        `json:"scanned"`          // up to here items were looked for; valid with Head
	Joined  map[memory.DID][]digest `json:"joined,omitempty"` // packs of others that were joined and are still listed
	Checked []string                `json:"checked,omitempty"`
	Cleared replica.Position        `json:"cleared"` // Checked holds nothing that was erased up to here
	Others  map[memory.DID]other    `json:"others,omitempty"`
	Met     time.Time               `json:"met"` // when the last meeting was whole
}

// other is what a machine knows about another one in a remote.
type other struct {
	Number   int64            `json:"number"` // the greatest head that was seen
	Head     digest           `json:"head"`
	Joined   replica.Position `json:"joined"`   // of its stream, up to here
	Has      replica.Position `json:"has"`      // of this machine's stream, up to here
	Damaged  int              `json:"damaged"`  // how many meetings running saw its packs damaged
	Repaired int64            `json:"repaired"` // the head for which this machine published everything
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

// load reads what is known about the remote.
func (m *meeting) load(ctx context.Context) error {
	stored, err := m.Remotes.Remote(ctx, m.Name)
	if err != nil {
		return err
	}
	m.stored = stored
	m.state, err = parseState(stored)
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
		s.Others = map[memory.DID]other{}
	}
	if s.Joined == nil {
		s.Joined = map[memory.DID][]digest{}
	}
	return s, nil
}

// save stores what is known about the remote, if it has changed.
func (m *meeting) save(ctx context.Context) error {
	text, err := json.Marshal(m.state)
	if err != nil {
		return err
	}
	if string(text) == string(m.stored) {
		return nil
	}
	if err := m.Remotes.SetRemote(ctx, m.Name, m.stored, text); err != nil {
		return err
	}
	m.stored = text
	return nil
}

// Known is what a machine knows about a remote without asking it.
type Known struct {
	Met     time.Time        // when this machine met it last; zero: never
	Cleared replica.Position // its packs hold nothing that was erased up to here, by this machine's count
	Others  []KnownMachine   // by id
}

// KnownMachine is another machine that publishes in a remote.
type KnownMachine struct {
	ID     memory.DID
	Joined replica.Position // of its stream, this machine has joined up to here
	Has    replica.Position // of this machine's stream, it has joined up to here
}

// Read returns what is known about a remote from the value that Sync stored.
func Read(stored []byte) (Known, error) {
	s, err := parseState(stored)
	k := Known{Met: s.Met, Cleared: s.Cleared}
	for id, o := range s.Others {
		k.Others = append(k.Others, KnownMachine{ID: id, Joined: o.Joined, Has: o.Has})
	}
	slices.SortFunc(k.Others, func(a, b KnownMachine) int { return cmpDID(a.ID, b.ID) })
	return k, err
}
