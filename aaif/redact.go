package aaif

import (
	"cmp"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// LeaveOptions say what of a state may leave, or be kept. The zero LeaveOptions are for
// another platform, and a definition that says nothing of what identifies a person.
type LeaveOptions struct {
	PII     PII      // compliance.pii_handling of the definition; empty: detect
	Secrets []string // that must not leave wherever they stand, such as what the environment holds; shorter than 4 bytes: none
	// Redactor finds what identifies a person; its zero finds all that it knows, see
	// [PersonalKinds]. Its KeepSecrets and Accounts mean nothing: what has the shape of a
	// secret always goes, and numbers of cards and accounts are always looked for.
	Redactor redact.Redactor
	// AtHome: the state is kept here. Its stack trace and its token stay.
	AtHome bool
}

// Leaving says what was done to a state.
type Leaving struct {
	Policy  PII           // by which it was done
	Secrets redact.Counts // what was replaced because it is a secret
	Persons redact.Counts // what identifies a person: replaced under anonymize, only counted otherwise
	// Seal: the policy is encrypt. Whoever writes the state down, or sends it, has to seal
	// it for its reader; this room has no cipher.
	Seal bool
}

// Leave returns a state as the policy of its definition lets it be written down or sent
// (AAIF-12-3, AAIF-12-10, AAIF-12-18): without secrets; with what identifies a person as
// the policy has it; without the stack trace and without a token, which was for another
// document. Every text and number is looked into, and every name that is not one of the
// format, but what is an id, a time or a word of the format by its form; texts that are
// JSON also inside, and all of them also with the escapes of JSON and of addresses undone.
// What [Secrets] refuses is gone. Names by which parts of a state refer to each other, such
// as the ids of calls, become the same wherever they stand. The checksum, if there was one,
// is that of what is returned; [Token.For] and [WithToken] come after.
//
// Under reject, a state in which something identifies a person is refused with
// PII_REJECTED, and where it stands; so is one under anonymize whose ids do.
func Leave(state canon.Value, o LeaveOptions) (canon.Value, Leaving, error) {
	if !o.AtHome {
		state = without(WithoutTrace(state), "migration_token")
	}
	done := Leaving{Policy: cmp.Or(o.PII, PIIDetect), Seal: o.PII == PIIEncrypt}
	secrets := newMasking((&scan{secrets: redact.Secrets(), known: spelledOut(o.Secrets)}).find)
	secrets.named, secrets.own = redact.SaysSecret, true
	out := secrets.whole(state)
	done.Secrets = secrets.counts
	people := newMasking(newPersons(o.Redactor).find)
	anonymous := people.whole(out)
	done.Persons = people.counts
	switch {
	case o.PII == PIINone:
		done.Persons = redact.Counts{}
	case o.PII == PIIReject && people.found:
		return canon.Value{}, done, fault(PIIRejected, "12-10", people.where, "%s, which the definition does not let leave", people.says())
	case o.PII == PIIAnonymize && people.id != "":
		return canon.Value{}, done, fault(PIIRejected, "12-10", people.id, "is an id that identifies a person, and nothing can stand for it")
	case o.PII == PIIAnonymize:
		out = anonymous
	}
	out = keyed(out)
	if state.Get("provenance").Has("checksum") {
		out = WithChecksum(out)
	}
	if err := grown(state, out); err != nil {
		return canon.Value{}, done, err
	}
	return out, done, nil
}

// says how the first place where something was found identifies a person.
func (m *masking) says() string {
	if m.inName {
		return "has a member whose name identifies a person"
	}
	return "identifies a person"
}

// grown returns an error for a state that masking made longer than a state may be.
func grown(was, now canon.Value) error {
	if length := len(now.Append(nil)); length > MaxState && length > len(was.Append(nil)) {
		return fault(TooLarge, "4-1", "", "is %d bytes long once it is masked, more than %d", length, MaxState)
	}
	return nil
}

// KeepsLongTerm reports whether memory that all users of an agent share may be written
// under a policy (decision R45).
func KeepsLongTerm(safety Safety, pii PII) bool {
	return !safety.IsStrict() || pii == PIIAnonymize || pii == PIIEncrypt
}
