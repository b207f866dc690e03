package main

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
)

// status is the exit status for a judgement: 4 where it is for a person to decide
// whom to trust, 3 where the export is not to be used.
func (j judged) status(allowUnsigned bool) int {
	switch {
	case j.Verdict == goodExport, j.Verdict == unsignedExport && allowUnsigned:
		return exitDone
	case j.Verdict == rejectedExport:
		return exitInvalid
	}
	return exitRefused
}

// words says what an export is worth, in one line.
func (j judged) words() string {
	switch {
	case j.Verdict == rejectedExport:
		return "rejected: " + j.Reason + " [" + j.Rule + "]"
	case j.Verdict == unknownKeys:
		return j.Verdict + ": " + clean(j.Issuer)
	case j.Kid != "" && j.Alias:
		return j.Verdict + ", by " + clean(j.Kid) + " of this store (as " + clean(j.Issuer) + ")"
	case j.Kid != "":
		return j.Verdict + ", by " + clean(j.Kid) + " of " + clean(j.Issuer)
	}
	return j.Verdict
}

// advise says what to do about an export that is not trusted.
func (j judged) advise(a *app) {
	switch {
	case j.Verdict == unknownKeys || j.Verdict == unknownIssuer:
		a.say("If you know that it is theirs: satchel trust add %s, which fetches their keys once, or satchel trust add %[1]s FILE", clean(j.Issuer))
	case j.refusal == nil || !slices.Contains([]engram.Reason{engram.UnknownKid, engram.BadSignature, engram.KeyNotYet, engram.KeyExpired}, j.refusal.Reason):
	case a.isOurs(j.Issuer) && strings.HasPrefix(j.Issuer, "http://"):
		a.say("Every store that was given no address calls itself so. If it comes from another one of yours: satchel trust add %s FILE, with the list that satchel keys issuer -o FILE writes there", clean(j.Issuer))
	case j.refusal.Reason == engram.UnknownKid:
		a.say("If the issuer has new keys: satchel trust add %s", clean(j.Issuer))
	}
}

// isOurs reports whether an address is that of this store as an issuer.
func (a *app) isOurs(issuer string) bool {
	h, err := a.home()
	if err != nil {
		return false
	}
	c, err := h.readConfig()
	return err == nil && engram.SameIssuer(issuer, c.issuerURL())
}
