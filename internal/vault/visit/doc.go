// Package visit lets an owner's browser in. An entrance is a secret that is good once,
// within minutes; whoever shows it gets a visit, whose secret is the browser's cookie. The
// store keeps digests of the secrets. A passkey, which a device of the owner's keeps, lets
// browsers in without a link. What a visitor may do is no business of this package.
//
//	enter.go, visit.go    links, invitations and tokens; visits that they begin
//	confirm.go            codes that confirm what cannot be undone
//	confirm_enter.go      the same codes let in at a public name
//	passkey*.go, site.go  passkeys (WebAuthn level 3)
package visit

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// How long an entrance is good.
const (
	ForLink       = 5 * time.Minute // for whoever asked for it
	ForInvitation = 24 * time.Hour  // for whoever gets it from an operator
)

// How long a visit is good.
const (
	idle       = 12 * time.Hour     // a visit ends if nothing was asked for so long
	longest    = 7 * 24 * time.Hour // a visit ends anyway
	touchEvery = 5 * time.Minute    // how old the stored time of the last use may be
)

// Service lets browsers in to the owners of one vault. It is safe for concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }

const (
	secretBytes = 32
	codeLength  = 12
	codeDigits  = "0123456789ABCDEFGHJKMNPQRSTVWXYZ" // Crockford's: no letters that look like digits
)

// secretOf returns a secret of 256 bits. It names the owner, behind a full stop, if that is
// not the owner of the vault's home: a server shows the pages of all its owners.
func (s *Service) secretOf(owner memory.DID) string {
	b := make([]byte, secretBytes)
	rand.Read(b) //nolint:errcheck // it never fails
	secret := base64.RawURLEncoding.EncodeToString(b)
	if owner != s.kernel.Home() {
		secret += ownerMark + string(owner)
	}
	return secret
}

// ownerMark stands in a secret before the owner.
const ownerMark = "."

// ownerOf returns whose secret somebody shows, if it is one at all.
func (s *Service) ownerOf(shown string) memory.DID {
	shown, _, _ = strings.Cut(shown, siteMark)
	if _, owner, named := strings.Cut(shown, ownerMark); named {
		return memory.DID(owner)
	}
	return s.kernel.Home()
}

// newCode returns a secret of 60 bits that a person can type, in groups of four.
func newCode() string {
	code := newDigits(codeLength)
	return code[:4] + "-" + code[4:8] + "-" + code[8:]
}

// newDigits returns n digits that a person can type, of 5 bits each.
func newDigits(n int) string {
	b := make([]byte, n)
	rand.Read(b) //nolint:errcheck // it never fails
	for i := range b {
		b[i] = codeDigits[b[i]%byte(len(codeDigits))] // 256 is a multiple of 32
	}
	return string(b)
}

// plainCode returns a typed code in its one spelling: capital letters without separators,
// and digits for letters that look like them.
func plainCode(typed string) string {
	return strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(strings.TrimSpace(typed)))
}

// MayBeCode reports whether what a browser shows to enter may be a code, which is shorter
// than the secret of a link and may be guessed.
func MayBeCode(shown string) bool {
	n := len(plainCode(shown))
	return n == codeLength || n == shortLength
}

// digestOf returns what the store keeps of a secret.
func digestOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
