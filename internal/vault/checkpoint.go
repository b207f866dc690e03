package vault

import (
	"crypto/cipher"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Checkpoints of agents whose definition asks for it lie sealed under the owner's key
// (AAIF-12-10): a version, a random nonce of 12 bytes, and the document encrypted with
// AES-256-GCM, with its tag of 16 bytes. The checkpoint's id is authenticated with it, so
// that a sealed document cannot take the place of another's. What is not sealed is JSON,
// and begins otherwise.
const (
	checkpointVersion = 1
	checkpointPurpose = "satchel checkpoints of agents 1"
)

// Why a checkpoint is not read, or not kept: causes of refusals.
var (
	// ErrKeyClosed: it lies sealed, or has to, and the owner's key is not open here.
	ErrKeyClosed = errors.New("checkpoints are sealed under the owner's key, which is not open here")
	// ErrSealBroken: the owner's key does not open it.
	ErrSealBroken = errors.New("the seal of the checkpoint does not open")
)

// IsSealed reports whether a document lies sealed.
func IsSealed(document []byte) bool { return len(document) > 0 && document[0] == checkpointVersion }

// checkpointSeal seals and opens checkpoints under an owner's key; nil: it is not open.
func checkpointSeal(key *keys.Private) (cipher.AEAD, error) {
	if key == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Op: "agent", Rule: "AAIF-12-10", Err: ErrKeyClosed,
			Message: "the definition of this checkpoint's agent has it encrypted, and the owner's key is not open here: give its passphrase, such as in SATCHEL_PASSPHRASE"}
	}
	return key.Sealer(checkpointPurpose)
}

// SealState returns a checkpoint as it lies in the store, sealed under a key.
func SealState(key *keys.Private, s store.State) (store.State, error) {
	seal, err := checkpointSeal(key)
	if err != nil || IsSealed(s.Document) {
		return s, err
	}
	s.Document = seal.Seal([]byte{checkpointVersion}, nil, s.Document, []byte(s.ID))
	return s, nil
}

// OpenState is the inverse of SealState, and returns what is not sealed as it is.
func OpenState(key *keys.Private, s store.State) (store.State, error) {
	if !IsSealed(s.Document) {
		return s, nil
	}
	seal, err := checkpointSeal(key)
	if err != nil {
		return store.State{}, err
	}
	if s.Document, err = seal.Open(nil, nil, s.Document[1:], []byte(s.ID)); err != nil {
		return store.State{}, &memory.Error{Kind: memory.SignatureInvalid, Op: "agent", Rule: "AAIF-12-10", Err: fmt.Errorf("%w: %w", ErrSealBroken, err),
			Message: "the checkpoint was sealed under another key, or changed outside of satchel: restore a backup"}
	}
	return s, nil
}

// stateFindings says which checkpoints of an owner were changed outside of satchel or do
// not open. It says nothing where the owner's key is not at hand.
func (v *Vault) stateFindings(r store.Reader, owner memory.DID) (findings []string, err error) {
	key := v.holder(owner)
	if key == nil {
		return nil, nil
	}
	err = EachState(r.Agents(), "", func(id string) error {
		s, err := r.Agents().State(id)
		why := "it was changed outside of satchel"
		if err == nil {
			_, err = OpenState(key, s)
			why = "its seal does not open"
		} else if !errors.Is(err, store.ErrAltered) {
			return err
		}
		if err != nil && len(findings) < findingsShown {
			findings = append(findings, fmt.Sprintf("checkpoint %s of an agent: %s; restore a backup, or remove it with satchel agent state remove", id, why))
		}
		return nil
	})
	if errors.Is(err, store.ErrAltered) { // what cannot be an id is named by the store
		return findings, nil
	}
	return findings, err
}

// agentPage is how many ids of agents or checkpoints are held at once.
const agentPage = 500

// EachAgent calls do with the id of every agent of an owner, in their order; also of one
// that was changed outside of satchel.
func EachAgent(r store.Agents, do func(id string) error) error {
	for after := ""; ; {
		ids, err := r.AgentIDs(after, agentPage)
		if err != nil {
			return err
		}
		for _, id := range ids {
			after = id
			if err := do(id); err != nil {
				return err
			}
		}
		if len(ids) < agentPage {
			return nil
		}
	}
}

// EachState calls do with the id of every checkpoint of an agent, or of all where agent
// is empty, as EachAgent does.
func EachState(r store.Agents, agent string, do func(id string) error) error {
	for after := ""; ; {
		keys, err := r.StateKeys(after, agentPage)
		if err != nil {
			return err
		}
		for _, key := range keys {
			after = key.ID
			if agent != "" && key.Agent != agent {
				continue
			}
			if err := do(key.ID); err != nil {
				return err
			}
		}
		if len(keys) < agentPage {
			return nil
		}
	}
}
