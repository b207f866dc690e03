package vault

import (
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The vault seals a checkpoint under the owner's key if its agent's definition asks for
// it (AAIF-12-10). A sealed checkpoint is a version, a random nonce of 12 bytes, and the
// document encrypted with AES-256-GCM, with its tag of 16 bytes. The tag authenticates
// the checkpoint's id too, so no sealed document can take another's place. An unsealed
// document is JSON and begins with another byte.
const (
	checkpointVersion = 1
	checkpointPurpose = "satchel checkpoints of agents 1"
)

// Causes of a refusal to read or keep a checkpoint.
var (
	// ErrKeyClosed: the checkpoint is or must be sealed, and the owner's key is not open
	// here.
	ErrKeyClosed = errors.New("checkpoints are sealed under the owner's key, which is not open here")
	// ErrSealBroken: the owner's key does not open it.
	ErrSealBroken = errors.New("the seal of the checkpoint does not open")
)

// IsSealed reports whether a document is sealed.
func IsSealed(document []byte) bool { return len(document) > 0 && document[0] == checkpointVersion }

// sealFor returns the cipher for a purpose under an owner's key; nil: the key is not open.
func sealFor(key *keys.Private, purpose string) (cipher.AEAD, error) {
	if key == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Op: "agent", Rule: "AAIF-12-10", Err: ErrKeyClosed,
			Message: "the definition of this agent has its runs encrypted, and the owner's key is not open here: give its passphrase, such as in SATCHEL_PASSPHRASE"}
	}
	return key.Sealer(purpose)
}

// SealState returns a checkpoint sealed under a key, as the store keeps it.
func SealState(key *keys.Private, s store.State) (store.State, error) {
	seal, err := sealFor(key, checkpointPurpose)
	if err != nil || IsSealed(s.Document) {
		return s, err
	}
	s.Document = seal.Seal([]byte{checkpointVersion}, nil, s.Document, []byte(s.ID))
	return s, nil
}

// OpenState is the inverse of SealState. It returns an unsealed checkpoint unchanged.
func OpenState(key *keys.Private, s store.State) (store.State, error) {
	document, err := unseal(key, checkpointPurpose, "checkpoint", s.Document, []byte(s.ID))
	if err != nil {
		return store.State{}, err
	}
	s.Document = document
	return s, nil
}

// unseal opens a sealed document, whose tag authenticates its place too, and returns an
// unsealed one unchanged. what names the document for errors.
func unseal(key *keys.Private, purpose, what string, document, place []byte) ([]byte, error) {
	if !IsSealed(document) {
		return document, nil
	}
	seal, err := sealFor(key, purpose)
	if err != nil {
		return nil, err
	}
	plain, err := seal.Open(nil, nil, document[1:], place)
	if err != nil {
		return nil, &memory.Error{Kind: memory.SignatureInvalid, Op: "agent", Rule: "AAIF-12-10", Err: fmt.Errorf("%w: %w", ErrSealBroken, err),
			Message: "the " + what + " was sealed under another key, or changed outside of satchel: restore a backup"}
	}
	return plain, nil
}

// agentPage is how many ids of agents, checkpoints or runs are held at once.
const agentPage = 500

// EachAgent calls do with the id of every agent of an owner, in order, including agents
// changed outside of satchel.
func EachAgent(r store.Agents, do func(id string) error) error {
	return eachOf(agentPage, r.AgentIDs, itself, do)
}

// EachState calls do with the id of every checkpoint of an agent, or of all where agent
// is empty, as EachAgent does.
func EachState(r store.Agents, agent string, do func(id string) error) error {
	return eachOf(agentPage, r.StateKeys, func(key store.StateKey) string { return key.ID }, func(key store.StateKey) error {
		if agent != "" && key.Agent != agent {
			return nil
		}
		return do(key.ID)
	})
}

// eachOf calls do with every item of a list, of which read returns at most so many after a
// place.
func eachOf[T, P any](most int, read func(after P, most int) ([]T, error), place func(T) P, do func(T) error) error {
	var after P
	for {
		page, err := read(after, most)
		if err != nil {
			return err
		}
		for _, item := range page {
			after = place(item)
			if err := do(item); err != nil {
				return err
			}
		}
		if len(page) < most {
			return nil
		}
	}
}

func itself(id string) string { return id }

// A token serves once at a platform, whichever of its owners receives it (AAIF-8.2-8).
// An owner's own rows are not enough for that. The rows of the home owner, whom every
// server of the store knows, hold every token used here.
//
// They hold only a digest of the token's issuer and id. A digest names nobody, so it can
// outlast the owner's memories: neither a rekey nor an erasure makes a token valid again
// before it expires.

// SpentMark returns the mark of a used token: no issuer, and for the id the SHA-256 of
// both.
func SpentMark(t store.Spent) store.Spent {
	sum := sha256.New()
	fmt.Fprintf(sum, "satchel spent token 1\x00%d\x00%s%s", len(t.Issuer), t.Issuer, t.JTI)
	return store.Spent{JTI: hex.EncodeToString(sum.Sum(nil)), Until: t.Until}
}

// SpentTokens returns the marks of an owner's tokens that would be valid again without
// their marks.
func SpentTokens(r store.Reader, now time.Time) ([]store.Spent, error) {
	list, err := r.Agents().SpentList(now)
	for i, t := range list {
		if t.Issuer != "" { // filed by an earlier release
			list[i] = SpentMark(t)
		}
	}
	return list, err
}

// SpendAll files used tokens; some may be filed already.
func SpendAll(w store.Writer, list []store.Spent, now time.Time) error {
	for _, t := range list {
		if err := w.AgentKeeper().Spend(t, now); err != nil && !errors.Is(err, store.ErrExists) {
			return err
		}
	}
	return nil
}
