package documents

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// Status is the exit status of a verdict: 4 if a person has to decide about trust, 3 if
// nobody should use the export.
func (j ExportVerdict) Status(allowUnsigned bool) int {
	switch {
	case j.Verdict == goodExport, j.Verdict == unsignedExport && allowUnsigned:
		return cli.ExitDone
	case j.Verdict == rejectedExport:
		return cli.ExitInvalid
	}
	return cli.ExitRefused
}

// Words returns the verdict in one line.
func (j ExportVerdict) Words() string {
	switch {
	case j.Verdict == rejectedExport:
		return "rejected: " + j.Reason + " [" + j.Rule + "]"
	case j.Verdict == unknownKeys:
		return j.Verdict + ": " + cli.Clean(j.Issuer)
	case j.Kid != "" && j.Alias:
		return j.Verdict + ", by " + cli.Clean(j.Kid) + " of this store (as " + cli.Clean(j.Issuer) + ")"
	case j.Kid != "":
		return j.Verdict + ", by " + cli.Clean(j.Kid) + " of " + cli.Clean(j.Issuer)
	}
	return j.Verdict
}

// Advise says what to do about an untrusted export.
func (j ExportVerdict) Advise(a *cli.App) {
	switch {
	case j.Verdict == unknownKeys || j.Verdict == unknownIssuer:
		a.Say("If you know that it is theirs: satchel trust add %s, which fetches their keys once, or satchel trust add %[1]s FILE", cli.Clean(j.Issuer))
	case j.Refusal == nil || !slices.Contains([]engram.Reason{engram.UnknownKid, engram.BadSignature, engram.KeyNotYet, engram.KeyExpired}, j.Refusal.Reason):
	case isOurs(a, j.Issuer) && strings.HasPrefix(j.Issuer, "http://"):
		a.Say("Every store that was given no address calls itself so. If it comes from another one of yours: satchel trust add %s FILE, with the list that satchel keys issuer -o FILE writes there", cli.Clean(j.Issuer))
	case j.Refusal.Reason == engram.UnknownKid:
		a.Say("If the issuer has new keys: satchel trust add %s", cli.Clean(j.Issuer))
	}
}

// isOurs reports whether an address is that of this store as an issuer.
func isOurs(a *cli.App, issuer string) bool {
	h, err := a.Home()
	if err != nil {
		return false
	}
	c, err := h.ReadConfig()
	return err == nil && engram.SameIssuer(issuer, IssuerURL(c))
}
