package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Digest returns what a person approves when a call is approved: the SHA-256, in lower-case
// hexadecimal digits, of the canonical form of {"arguments": …, "tool": …} (AAIF-4.9-18).
// Integers that a double cannot tell from their neighbours count with all their digits: for
// each, in the order of the text, a zero byte and the digits follow the canonical form.
// Undefined arguments count as an empty object.
func Digest(tool string, args canon.Value) string {
	if args.Type() == canon.TypeUndefined {
		args = canon.Object()
	}
	text := canon.Object(canon.Member{Name: "arguments", Value: args}, canon.Member{Name: "tool", Value: canon.String(tool)}).AppendCanonical(nil)
	sum := sha256.Sum256(appendInexact(text, args))
	return hex.EncodeToString(sum[:])
}

// appendInexact appends the digits of the integers beyond 2^53.
func appendInexact(dst []byte, v canon.Value) []byte {
	if v.Type() == canon.TypeNumber && math.Abs(v.Float()) >= 1<<53 {
		dst = append(append(dst, 0), v.Spelling()...)
	}
	for _, item := range v.Items() {
		dst = appendInexact(dst, item)
	}
	for _, m := range v.Members() {
		dst = appendInexact(dst, m.Value)
	}
	return dst
}

// CheckApproved refuses a call that is not the one with the approved digest. Such a call
// must not be made (AAIF-4.9-18).
func CheckApproved(digest, tool string, args canon.Value) error {
	if strings.EqualFold(digest, Digest(tool, args)) {
		return nil
	}
	return fault(aaif.ApprovalMismatch, "4.9-18", "", "tool or arguments are not those that were approved: the call is not made")
}

// shown prepares a text of a definition for one line of a question: without characters that
// hide or turn text, and not longer than 300 characters.
func shown(text string) string {
	const most = 300
	return codec.Shorten(strings.Join(strings.Fields(Cleaned(text)), " "), most)
}
