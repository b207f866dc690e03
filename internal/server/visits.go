package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Behind a proxy all browsers have one address. Strangers share the allowance of the
// address; browsers that were let in have one each, and who shows the secret of a link
// shares an allowance with few guesses of others alone.

// mostVisits is how many visits the server knows at once. It forgets all of them when there
// are more; each is known again with its next page.
const mostVisits = 10_000

// knownVisits are the visits that showed a good cookie since the server started.
type knownVisits struct {
	mu   sync.Mutex
	keys map[string]bool
}

// visitKeys names the visits of the cookies of a request, for rate keys.
func visitKeys(r *http.Request) (all []string) {
	for _, c := range r.Cookies() {
		if c.Name == "__Host-satchel" || strings.HasPrefix(c.Name, "satchel-") {
			sum := sha256.Sum256([]byte(c.Value))
			all = append(all, "visit "+hex.EncodeToString(sum[:12]))
		}
	}
	return all
}

// note notes that a request showed the cookie of a visit.
func (k *knownVisits) note(r *http.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil || len(k.keys) >= mostVisits {
		k.keys = map[string]bool{}
	}
	for _, key := range visitKeys(r) {
		k.keys[key] = true
	}
}

// of returns the rate key of the visit of a request, if one is known.
func (k *knownVisits) of(r *http.Request) (string, bool) {
	if k == nil {
		return "", false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range visitKeys(r) {
		if k.keys[key] {
			return key, true
		}
	}
	return "", false
}

// guessShare is the part of the allowance for wrong credentials that each of the 256 kinds of
// secrets gets that browsers show to enter. A stranger who guesses hits all kinds, and wears
// none down at moderate rates.
const guessShare = 16

// newGuesses returns a function that takes one try of a secret, or says how long until
// there is one.
func newGuesses(o Options) func(ctx context.Context, r *http.Request, secret string) (wait time.Duration, ok bool) {
	shared, _ := o.Backend.(sharedLimiter)
	all := newAllowance(o.FailRate/guessShare, o.FailBurst/guessShare, &peers{shared: shared, log: o.Log})
	return func(ctx context.Context, r *http.Request, secret string) (time.Duration, bool) {
		sum := sha256.Sum256([]byte(strings.TrimSpace(secret)))
		part := hex.EncodeToString(sum[:1])
		return all.take(ctx, rateKey{entries, o.Owner, addressOf(r) + " " + part})
	}
}
