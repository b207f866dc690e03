package privacy

import (
	"cmp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// RedactPersons treats the personal data of a value by a policy, empty: detect. It is for
// what is no state: an input, the result of a tool, the arguments of a call. It looks at
// every text, number and member name, as [Redact] does, also at texts that are JSON. Unlike
// Redact it leaves secrets alone.
//
// The counts are those of what was found, and nil under none, which looks for nothing. The
// policy reject, and an unknown one, refuses personal data: the error has the code
// PII_REJECTED and the place.
func RedactPersons(v canon.Value, policy aaif.PII) (canon.Value, redact.Counts, error) {
	policy = cmp.Or(policy, aaif.PIIDetect)
	if policy == aaif.PIINone {
		return v, nil, nil
	}
	people := newMasker(newPersonFinder(redact.Redactor{}).find)
	masked := people.value(v, nil, memberContext{})
	switch {
	case policy == aaif.PIIAnonymize:
		return masked, people.counts, nil
	case policy == aaif.PIIDetect, policy == aaif.PIIEncrypt, !people.found:
		return v, people.counts, nil
	}
	return canon.Value{}, people.counts, fault(aaif.PIIRejected, "12-10", people.where, "%s, which the definition does not let in", people.foundText())
}
