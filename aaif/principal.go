package aaif

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
)

// shortestSalt is how many bytes of salt a principal needs.
const shortestSalt = 16

// Principal returns the claim of a token about the person whose run a state is: a salted
// hash of that person's name on both platforms, and the salt (decision R26). It returns
// "" for an empty name, and for a salt of less than 16 bytes. The claim shows no name,
// but its holder can test a guess.
func Principal(salt []byte, user string) string {
	if user == "" || len(salt) < shortestSalt {
		return ""
	}
	h := hmac.New(sha256.New, salt)
	h.Write([]byte("aaif principal\x00" + user))
	return segment(salt) + "." + segment(h.Sum(nil))
}

// SamePrincipal reports whether a claim is about a person. It is false for an empty claim
// or name.
func SamePrincipal(claim, user string) bool {
	text, _, _ := strings.Cut(claim, ".")
	salt, ok := unsegment(text)
	want := Principal(salt, user)
	return ok && want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(claim)) == 1
}
