package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// A token serves once at a platform, whichever of its owners it comes to (AAIF-8.2-8).
// What an owner's own rows say is not enough for that: the home owner's, whom every
// server over the store knows, hold every token that has served here.
//
// What stands there of a token is a digest of its issuer and id, which names nobody, so
// that it can outlast the owner's memories: neither a rekey nor an erasure makes a token
// good again before it has expired.

// SpentMark is what stands for a token among those that have served: of no issuer, and in
// the place of an id the SHA-256 of both.
func SpentMark(t store.Spent) store.Spent {
	sum := sha256.New()
	fmt.Fprintf(sum, "satchel spent token 1\x00%d\x00%s%s", len(t.Issuer), t.Issuer, t.JTI)
	return store.Spent{JTI: hex.EncodeToString(sum.Sum(nil)), Until: t.Until}
}

// SpentTokens returns the marks of the tokens of an owner that could be used again if they
// were forgotten.
func SpentTokens(r store.Reader, now time.Time) ([]store.Spent, error) {
	list, err := r.Agents().SpentList(now)
	for i, t := range list {
		if t.Issuer != "" { // as an earlier release filed it
			list[i] = SpentMark(t)
		}
	}
	return list, err
}

// SpendAll files tokens that have served, and may have been filed before.
func SpendAll(w store.Writer, list []store.Spent, now time.Time) error {
	for _, t := range list {
		if err := w.AgentKeeper().Spend(t, now); err != nil && !errors.Is(err, store.ErrExists) {
			return err
		}
	}
	return nil
}
