package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault/visit"
)

// mostVisits is the largest number of visits that the server knows. At that number it forgets
// all of them, and knows each again at its next request.
const mostVisits = 10_000

// cookiePrefix begins the names of the cookies of connections without TLS.
const cookiePrefix = "satchel-"

// knownVisits are the visits that showed a valid cookie since the server started. Behind a
// proxy all browsers have one address: each of these visits has an allowance of its own, and
// strangers share that of the address.
type knownVisits struct {
	mu   sync.Mutex
	keys map[string]bool
}

// visitKeys returns the rate keys of a request's cookies.
func visitKeys(r *http.Request) (all []string) {
	for _, c := range r.Cookies() {
		if c.Name == pages.TLSCookie || strings.HasPrefix(c.Name, cookiePrefix) && !strings.HasSuffix(c.Name, pages.ConsentSuffix) {
			sum := sha256.Sum256([]byte(c.Value))
			all = append(all, "visit "+hex.EncodeToString(sum[:12]))
		}
	}
	return all
}

// note notes that the cookie of a request is that of a visit.
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

// guessShare divides the allowance for wrong credentials: the codes that people type to
// enter fall into 256 classes by their hash, and each class has this part of the allowance.
// A stranger's guesses spread over all classes, so that at a moderate rate none of them is
// used up for the owner of a code.
const guessShare = 16

// mostJudged is how many secrets of links and answers of passkeys the server judges at once.
// More of them wait.
const mostJudged = 4

// newGuesses returns a function that allows one try of a secret until done is called, or says
// how long until there is one. A code is short, so that its tries are counted. Nobody guesses
// the secret of a link or the answer of a passkey, and judging one costs a hash or a
// signature. So these are never refused for what others tried, and a good link lets its owner
// in; they wait for each other instead.
func newGuesses(o Options) func(ctx context.Context, r *http.Request, secret string) (done func(), wait time.Duration, ok bool) {
	shared, _ := o.Backend.(sharedLimiter)
	all := newAllowance(o.FailRate/guessShare, o.FailBurst/guessShare, &peers{shared: shared, log: o.Log})
	judged := make(chan struct{}, mostJudged)
	return func(ctx context.Context, r *http.Request, secret string) (func(), time.Duration, bool) {
		if !visit.MayBeCode(secret) {
			select {
			case judged <- struct{}{}:
				return func() { <-judged }, 0, true
			case <-ctx.Done():
				return nil, time.Second, false
			}
		}
		sum := sha256.Sum256([]byte(strings.TrimSpace(secret)))
		part := hex.EncodeToString(sum[:1])
		address, _ := o.addressOf(r)
		wait, ok := all.take(ctx, rateKey{entries, o.Owner, address + " " + part})
		return func() {}, wait, ok
	}
}
