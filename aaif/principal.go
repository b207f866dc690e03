package aaif

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"strings"
)

// shortestSalt is how many bytes of salt a principal needs.
const shortestSalt = 16

// Principal returns what a token says of the person whose run a state is: a salted hash
// of the name by which both platforms know that person, and the salt (decision R26). It
// is "" of nobody, and with a salt of less than 16 bytes. It shows no name; whoever has
// it can test a guess of one.
func Principal(salt []byte, user string) string {
	if user == "" || len(salt) < shortestSalt {
		return ""
	}
	h := hmac.New(sha256.New, salt)
	h.Write([]byte("aaif principal\x00" + user))
	return segment(salt) + "." + segment(h.Sum(nil))
}

// SamePrincipal reports whether a claim names a person. Without a claim, or a name, it
// does not.
func SamePrincipal(claim, user string) bool {
	text, _, _ := strings.Cut(claim, ".")
	salt, ok := unsegment(text)
	want := Principal(salt, user)
	return ok && want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(claim)) == 1
}
