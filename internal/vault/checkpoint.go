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

// The vault seals a checkpoint or the events of a run under the owner's key if the agent's
// definition asks for it (AAIF-12-10). A sealed document is a version, a random nonce of 12
// bytes, and the document encrypted with AES-256-GCM, with its tag of 16 bytes. The tag
// authenticates the document's place too: the id of a checkpoint, or the number of an event
// and the id of its run. So no sealed document can take another's place. An unsealed
// document is JSON and begins with another byte.
const sealVersion = 1

// sealedKind is a kind of documents that the vault seals.
type sealedKind struct{ purpose, name string }

var (
	sealedStates = sealedKind{"satchel checkpoints of agents 1", "checkpoint"}
	sealedRuns   = sealedKind{"satchel runs of agents 1", "run"}
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
func IsSealed(document []byte) bool { return len(document) > 0 && document[0] == sealVersion }

// sealer returns the cipher of a kind under an owner's key; nil: the key is not open.
func (k sealedKind) sealer(key *keys.Private) (cipher.AEAD, error) {
	if key == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Op: "agent", Rule: "AAIF-12-10", Err: ErrKeyClosed,
			Message: "the definition of this agent has its runs encrypted, and the owner's key is not open here: give its passphrase, such as in SATCHEL_PASSPHRASE"}
	}
	return key.Sealer(k.purpose)
}

func (k sealedKind) seal(key *keys.Private, place string, document []byte) ([]byte, error) {
	seal, err := k.sealer(key)
	if err != nil || IsSealed(document) {
		return document, err
	}
	return seal.Seal([]byte{sealVersion}, nil, document, []byte(place)), nil
}

func (k sealedKind) open(key *keys.Private, place string, document []byte) ([]byte, error) {
	if !IsSealed(document) {
		return document, nil
	}
	seal, err := k.sealer(key)
	if err != nil {
		return nil, err
	}
	plain, err := seal.Open(nil, nil, document[1:], []byte(place))
	if err != nil {
		return nil, &memory.Error{Kind: memory.SignatureInvalid, Op: "agent", Rule: "AAIF-12-10", Err: fmt.Errorf("%w: %w", ErrSealBroken, err),
			Message: "the " + k.name + " was sealed under another key, or changed outside of satchel: restore a backup"}
	}
	return plain, nil
}

// SealState returns a checkpoint sealed under a key, as the store keeps it.
func SealState(key *keys.Private, s store.State) (_ store.State, err error) {
	s.Document, err = sealedStates.seal(key, s.ID, s.Document)
	return s, err
}

// OpenState is the inverse of SealState. It returns an unsealed checkpoint unchanged.
func OpenState(key *keys.Private, s store.State) (_ store.State, err error) {
	s.Document, err = sealedStates.open(key, s.ID, s.Document)
	return s, err
}

// SealRunEvent returns an event of a run sealed under a key, as the store keeps it.
func SealRunEvent(key *keys.Private, e store.RunEvent) (_ store.RunEvent, err error) {
	e.Document, err = sealedRuns.seal(key, eventPlace(e), e.Document)
	return e, err
}

// OpenRunEvent is the inverse of SealRunEvent. It returns an unsealed event unchanged.
func OpenRunEvent(key *keys.Private, e store.RunEvent) (_ store.RunEvent, err error) {
	e.Document, err = sealedRuns.open(key, eventPlace(e), e.Document)
	return e, err
}

func eventPlace(e store.RunEvent) string { return fmt.Sprint(e.Number, " ", e.Run) }

// agentPage is how many ids of agents, checkpoints or runs are held at once, and runPage how
// many events of a run.
const (
	agentPage = 500
	runPage   = 100
)

// paged calls do with what the pages of a list hold, in order. page returns at most max
// entries after a key, and fewer only if there are no more.
func paged[K, T any](max int, page func(after K, max int) ([]T, error), key func(T) K, do func(T) error) error {
	var after K
	for {
		list, err := page(after, max)
		if err != nil {
			return err
		}
		for _, entry := range list {
			after = key(entry)
			if err := do(entry); err != nil {
				return err
			}
		}
		if len(list) < max {
			return nil
		}
	}
}

func itself(id string) string { return id }

// EachAgent calls do with the id of every agent of an owner, in order, including agents
// changed outside of satchel.
func EachAgent(r store.Agents, do func(id string) error) error {
	return paged(agentPage, r.AgentIDs, itself, do)
}

// EachRun calls do with the id of every run of an owner, as EachAgent does.
func EachRun(r store.Runs, do func(id string) error) error {
	return paged(agentPage, r.RunIDs, itself, do)
}

// EachState calls do with the id of every checkpoint of an agent, or of all where agent
// is empty, as EachAgent does.
func EachState(r store.Agents, agent string, do func(id string) error) error {
	return paged(agentPage, r.StateKeys, func(key store.StateKey) string { return key.ID }, func(key store.StateKey) error {
		if agent != "" && key.Agent != agent {
			return nil
		}
		return do(key.ID)
	})
}

// EachRunEvent calls do with every event of a run, in order.
func EachRunEvent(r store.Runs, id string, do func(store.RunEvent) error) error {
	page := func(after int64, max int) ([]store.RunEvent, error) { return r.RunEvents(id, after, max) }
	return paged(runPage, page, func(e store.RunEvent) int64 { return e.Number }, do)
}

// RunOpens checks that a run is whole, and that a key opens its events.
func RunOpens(r store.Runs, id string, key *keys.Private) error {
	return EachRunEvent(r, id, func(e store.RunEvent) error {
		_, err := OpenRunEvent(key, e)
		return err
	})
}

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
