package policy

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// Personal applies a policy for personal data to what enters a run: inputs, what is read as
// context, results of tools, memory (AAIF-4.9-7). What a model writes is held to it when it leaves
// (AAIF-12-10): calls are made with it as it is.
//
//	none       stays, and nobody looks
//	detect     stays, and is counted
//	anonymize  tokens such as [EMAIL-REDACTED] stand for what is found
//	encrypt    stays, and is counted; the store must seal it ([Personal.Seal])
//	reject     refused, with the code PII_REJECTED
//
// What has no shape, such as names of people, is not found ([privacy.PersonalKinds]). The
// zero Personal detects.
type Personal struct{ policy aaif.PII }

// NewPersonal returns the policy of an agent and of the agents it works for: the strictest.
// An unknown policy rejects.
func NewPersonal(own aaif.Definition, over ...aaif.Definition) Personal {
	p := aaif.RulesUnder(own, over).PII
	switch p {
	case aaif.PIINone, aaif.PIIDetect, aaif.PIIAnonymize, aaif.PIIEncrypt, aaif.PIIReject:
	default:
		p = aaif.PIIReject
	}
	return Personal{p}
}

// Seal reports whether what a run stores must be encrypted.
func (p Personal) Seal() bool { return p.policy == aaif.PIIEncrypt }

// HidesPictures reports whether pictures are kept from models (AAIF-4.9-7): nobody can look for
// personal data in a picture, so that none can be replaced or refused in it.
func (p Personal) HidesPictures() bool {
	return p.policy == aaif.PIIAnonymize || p.policy == aaif.PIIReject
}

// Text returns a text in the form that the policy allows to keep and to pass on, and a
// notice of what was found, if anything was. Where the text is JSON, its values are looked
// at without their escapes. The error has the code PII_REJECTED.
func (p Personal) Text(text string) (string, []Notice, error) {
	v, notices, err := p.Value(canon.String(text))
	return v.Text(), notices, err
}

// Value is Text for a value: an input, the arguments of a call, variables. The names of its
// members are looked at as well.
func (p Personal) Value(v canon.Value) (canon.Value, []Notice, error) {
	if v.Type() == canon.TypeUndefined {
		return v, nil, nil
	}
	out, found, err := privacy.RedactPersons(v, p.policy)
	if found.Total() == 0 || err != nil {
		return out, nil, err
	}
	return out, []Notice{{eventPersonal, "", "personal data, " + p.effect() + ": " + kinds(found)}}, nil
}

// effect says what happens to what is found.
func (p Personal) effect() string {
	switch p.policy {
	case aaif.PIIAnonymize:
		return "replaced"
	case aaif.PIIEncrypt:
		return "kept, and to be stored encrypted"
	}
	return "kept"
}

// kinds lists counts, as "2 email, 1 phone".
func kinds(found redact.Counts) string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		list = append(list, strconv.Itoa(found[kind])+" "+kind)
	}
	return strings.Join(list, ", ")
}
