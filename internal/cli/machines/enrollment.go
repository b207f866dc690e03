package machines

import (
	"encoding/json"
	"fmt"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/keys"
)

// Enrollment is what a new machine gets by a pairing: the owner's key, and the settings of a
// store of this owner.
type Enrollment struct {
	Seed     []byte            `json:"seed"`     // of the owner's key
	Machine  replica.Machine   `json:"machine"`  // entry of the new machine, signed
	Machines []replica.Machine `json:"machines"` // all others
	Edition  string            `json:"edition"`  // of UMP
	Producer *cli.Producer     `json:"producer,omitempty"`
	Issuer   *cli.Issuer       `json:"issuer,omitempty"`
	// Certificate is the digest of the temporary certificate with which satchel pair answers
	// /sync; nil: it does not answer there.
	Certificate []byte `json:"certificate,omitempty"`
	Ticket      string `json:"ticket,omitempty"` // the new machine sends it with its requests to /sync of satchel pair
}

// mostMachines is how many machines an owner may have, removed ones included.
const mostMachines = 256

// key checks that an enrollment is for a machine, and returns the owner's key.
func (e Enrollment) key(to replica.Machine) (keys.Private, error) {
	owner, err := keys.FromSeed(e.Seed)
	if err != nil {
		return owner, fmt.Errorf("what the other machine gave holds no key: %w", err)
	}
	m := e.Machine
	if m.ID != to.ID || m.Recipient != to.Recipient || !m.Removed.IsZero() || len(e.Machines) == 0 || len(e.Machines) > mostMachines {
		return owner, fmt.Errorf("what the other machine gave is for another machine")
	}
	for _, entry := range append([]replica.Machine{m}, e.Machines...) {
		if err := entry.Verify(owner.DID()); err != nil {
			return owner, err
		}
	}
	return owner, nil
}

// readOffer reads the offer of a new machine: its entry, which the owner has not signed.
func readOffer(offer []byte) (m replica.Machine, err error) {
	if err = json.Unmarshal(offer, &m); err != nil {
		return m, fmt.Errorf("the new machine says nothing that is known here")
	}
	if err = m.VerifyProof(); err != nil || m.Name == "" || len(m.Name) > maxMachineName || m.Recipient == "" || !m.Removed.IsZero() || m.Renamed != 0 {
		return m, fmt.Errorf("the new machine does not say who it is")
	}
	return m, nil
}

// freeName returns the name, or the name with a number if another machine has it.
func freeName(name string, others []replica.Machine) string {
	taken := map[string]bool{}
	for _, m := range others {
		if m.Removed.IsZero() {
			taken[m.Name] = true
		}
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}
