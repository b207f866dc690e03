// Package delegation lets remote assistants work under a grant that the owner gave them by
// OAuth. The grant is a capability token's like all others: it stands in the same list, and
// its revocation ends everything. The assistant gets a code, which is good once, within a
// minute; then capability tokens of an hour, which bear the grant's id, and a secret for the
// next one. That secret changes with each use. Whoever shows an earlier one, or a code a
// second time, ends the grant: somebody else has them too. For a minute the secret before the
// one that is good now is an exception: it gets the same next secret again. An answer can be
// lost, and programs that share a secret can show it at once.
//
//	grant.go     consent to code
//	exchange.go  code to tokens
//	refresh.go   secret to tokens
//	revoke.go    the end
package delegation

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// How long secrets are good.
const (
	codeLasts   = time.Minute
	codeKept    = time.Hour           // so that its second use is recognised
	accessLasts = time.Hour           // a capability token
	retryLasts  = time.Minute         // a secret that was spent, until the next one is
	unusedLasts = 90 * 24 * time.Hour // a secret for the next one that nobody uses
)

// Service keeps the grants of one vault's owners. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }

const (
	// partBytes is the size of a code and of each half of a refresh secret: the first half
	// names the grant and stays, the second changes with each use.
	partBytes  = 24
	partLength = partBytes * 4 / 3 // in base64
	ownerMark  = "."               // before the owner, who is named unless it is that of the home
)

// newPart returns a secret of 192 bits.
func newPart() string {
	b := make([]byte, partBytes)
	rand.Read(b) //nolint:errcheck // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// nextPart returns the half that follows another. Nobody can tell it from only one of the two,
// the half or the salt.
func nextPart(half, salt string) string {
	mac := hmac.New(sha256.New, []byte(half))
	mac.Write([]byte(salt)) //nolint:errcheck // a hash takes everything
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:partBytes])
}

// named adds the owner to a secret, unless it is the home's.
func (s *Service) named(secret string, owner memory.DID) string {
	if owner == s.kernel.Home() {
		return secret
	}
	return secret + ownerMark + string(owner)
}

// cut returns what named put together.
func (s *Service) cut(shown string) (secret string, owner memory.DID) {
	secret, named, other := strings.Cut(shown, ownerMark)
	if other {
		return secret, memory.DID(named)
	}
	return secret, s.kernel.Home()
}

// digestOf returns what the store keeps of a secret for a purpose.
func digestOf(purpose, secret string) string {
	sum := sha256.Sum256([]byte("satchel " + purpose + " " + secret))
	return hex.EncodeToString(sum[:])
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// invalid is the one refusal of a code or secret, whatever is wrong with it.
func invalid(op string) error {
	return &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "the code or the refresh token is not good, or not any more: ask the owner again"}
}
