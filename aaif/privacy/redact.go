package privacy

import (
	"cmp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/redact"
)

// RedactOptions say how to mask a state. The zero RedactOptions mask it for another
// platform, under a definition without a policy for personal data.
type RedactOptions struct {
	PII     aaif.PII // compliance.pii_handling of the definition; empty: detect
	Secrets []string // masked wherever they stand, such as values of the environment; those under 4 bytes are ignored
	// Redactor finds personal data; its zero value finds all kinds, see [PersonalKinds].
	// Redact ignores its KeepSecrets and Accounts: it always masks what looks like a
	// secret, and always searches for card and account numbers.
	Redactor redact.Redactor
	// AtHome keeps the stack trace and the token, for a state that stays on this
	// platform.
	AtHome bool
}

// Redaction says what [Redact] did to a state.
type Redaction struct {
	Policy  aaif.PII      // the policy that it followed
	Secrets redact.Counts // the secrets it replaced
	Persons redact.Counts // the personal data it found; replaced under anonymize, otherwise only counted
	// Seal says that the policy is encrypt: before storing or sending the state, the
	// caller has to encrypt it for its reader. This package has no cipher.
	Seal bool
}

// Redact returns a state as the policy of its definition lets it be stored or sent
// (AAIF-12-3, AAIF-12-10, AAIF-12-18). It removes secrets, the stack trace and the
// migration token, which was issued for another document. It treats personal data as the
// policy says.
//
// It searches every text and number, and every member name that the format does not
// define. It skips ids, times and words of the format, which it knows by their form. It
// searches texts that are JSON inside, too, and undoes the escapes of JSON and of
// addresses. It removes whatever [Secrets] refuses. Names by which parts of a state refer
// to each other, such as the ids of calls, get the same replacement everywhere.
//
// A state with a checksum gets the checksum of the result; call [aaif.Token.For] and
// [aaif.WithToken] afterwards.
//
// The policy reject refuses a state with personal data: the error has the code
// PII_REJECTED and the place. The policy anonymize refuses one whose ids hold personal
// data.
func Redact(state canon.Value, o RedactOptions) (canon.Value, Redaction, error) {
	if !o.AtHome {
		state = withoutToken(aaif.WithoutTrace(state))
	}
	done := Redaction{Policy: cmp.Or(o.PII, aaif.PIIDetect), Seal: o.PII == aaif.PIIEncrypt}
	secrets := newMasker((&secretFinder{secrets: redact.Secrets(), known: spellingsOf(o.Secrets)}).find)
	secrets.isNamedSecret, secrets.checkIDs = redact.SaysSecret, true
	out := secrets.whole(state)
	done.Secrets = secrets.counts
	people := newMasker(newPersonFinder(o.Redactor).find)
	anonymous := people.whole(out)
	done.Persons = people.counts
	switch {
	case o.PII == aaif.PIINone:
		done.Persons = redact.Counts{}
	case o.PII == aaif.PIIReject && people.found:
		return canon.Value{}, done, fault(aaif.PIIRejected, "12-10", people.where, "%s, which the definition does not let leave", people.foundText())
	case o.PII == aaif.PIIAnonymize && people.id != "":
		return canon.Value{}, done, fault(aaif.PIIRejected, "12-10", people.id, "is an id that identifies a person, and nothing can stand for it")
	case o.PII == aaif.PIIAnonymize:
		out = anonymous
	}
	out = withUniqueKeys(out)
	if state.Get("provenance").Has("checksum") {
		out = aaif.WithChecksum(out)
	}
	if err := checkSize(state, out); err != nil {
		return canon.Value{}, done, err
	}
	return out, done, nil
}

// foundText says how the first hit identifies a person.
func (m *masker) foundText() string {
	if m.inName {
		return "has a member whose name identifies a person"
	}
	return "identifies a person"
}

// checkSize refuses a state that masking made longer than a state may be.
func checkSize(was, now canon.Value) error {
	if length := len(now.Append(nil)); length > aaif.MaxState && length > len(was.Append(nil)) {
		return fault(aaif.TooLarge, "4-1", "", "is %d bytes long once it is masked, more than %d", length, aaif.MaxState)
	}
	return nil
}

// withoutToken returns a state without its migration token. Its provenance stays.
func withoutToken(state canon.Value) canon.Value {
	if !state.Has("provenance") {
		return state
	}
	return state.With("provenance", state.Get("provenance").Without("migration_token"))
}

// fault makes a violation in a document of AAIF.
func fault(code aaif.Code, rule, pointer, text string, args ...any) *codec.ParseError {
	return aaif.Violation("aaif", code, rule, pointer, text, args...)
}
