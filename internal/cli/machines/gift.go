package machines

import (
	"encoding/json"
	"fmt"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Gift is what a new machine gets: the owner's key, and what a store of this owner needs.
type Gift struct {
	Seed     []byte            `json:"seed"`     // of the owner's key
	Machine  replica.Machine   `json:"machine"`  // the new one, signed
	Machines []replica.Machine `json:"machines"` // all others
	Edition  string            `json:"edition"`  // of UMP
	Producer *cli.Producer     `json:"producer,omitempty"`
	Issuer   *cli.Issuer       `json:"issuer,omitempty"`
	// Certificate is the digest of the certificate by which the host answers /sync; nil: it
	// has one that others vouch for.
	Certificate []byte `json:"certificate,omitempty"`
}

// mostMachines is how many machines an owner may have, removed ones included.
const mostMachines = 256

// key checks a gift for a machine, and returns the owner's key.
func (g Gift) key(to replica.Machine) (keys.Private, error) {
	owner, err := keys.FromSeed(g.Seed)
	if err != nil {
		return owner, fmt.Errorf("what the other machine gave holds no key: %w", err)
	}
	m := g.Machine
	if m.ID != to.ID || m.Recipient != to.Recipient || !m.Removed.IsZero() || len(g.Machines) == 0 || len(g.Machines) > mostMachines {
		return owner, fmt.Errorf("what the other machine gave is for another machine")
	}
	for _, each := range append([]replica.Machine{m}, g.Machines...) {
		if err := each.Verify(owner.DID()); err != nil {
			return owner, err
		}
	}
	return owner, nil
}

// readOffer reads the entry of a machine that wants to join, which nobody has signed.
func readOffer(offer []byte) (m replica.Machine, err error) {
	if err = json.Unmarshal(offer, &m); err != nil {
		return m, fmt.Errorf("the new machine says nothing that is known here")
	}
	if err = m.VerifyProof(); err != nil || m.Name == "" || len(m.Name) > maxMachineName || m.Recipient == "" || !m.Removed.IsZero() || m.Renamed != 0 {
		return m, fmt.Errorf("the new machine does not say who it is")
	}
	return m, nil
}

// freeName makes a name unlike those of the others.
func freeName(name string, others []replica.Machine) string {
	taken := map[string]memory.DID{}
	for _, m := range others {
		if m.Removed.IsZero() {
			taken[m.Name] = m.ID
		}
	}
	free := name
	for n := 2; taken[free] != ""; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}
