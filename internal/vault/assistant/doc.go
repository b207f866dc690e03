// Package assistant tells owners what their assistants read, and lets them pause one. An
// assistant is a program that a model speaks through, such as "claude-code", or the bearer
// of a token. The vault notes the readings; see table readings of the stores.
package assistant

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/satchel-memory/satchel/internal/vault"
)

// Service works on the assistants of the owners of one vault. It is safe for concurrent use.
type Service struct {
	kernel   vault.Kernel
	admitted admitted
}

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{kernel: vault.KernelOf(v)} }

// maxName is the most bytes of a folded name.
const maxName = 64

// Fold returns the form of a program's name by which names are compared: small letters of
// any script, with their marks, and digits, with hyphens for everything between them. Names
// that only Unicode tells apart are one: composed and decomposed ones, those in wide letters.
func Fold(name string) string {
	var b strings.Builder
	for _, r := range norm.NFKC.String(strings.ToLower(norm.NFKC.String(name))) {
		switch {
		case b.Len()+utf8.RuneLen(r) > maxName:
			return strings.TrimSuffix(b.String(), "-")
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxName {
			break
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
