package aimem

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// maxMember is the most bytes of a member of the envelope that has a meaning.
const maxMember = 64 << 10

// envelope checks the envelope (section 2.1), in the order of decision AD-3, and
// finds the arrays.
func (in *inspector) envelope() error {
	text := in.doc.root()
	opening, err := text.Opening(text.Root())
	if err != nil {
		return err
	}
	if opening != '{' {
		return &Fault{Code: NotObject, Rule: "AIMEM-2-2", Detail: "a bundle is a JSON object"}
	}
	parts, err := text.Members(text.Root())
	if err != nil {
		return err
	}
	e := &envelope{inspector: in, parts: parts}
	if err := e.load(); err != nil {
		return err
	}
	for _, step := range []func() error{
		e.format, e.version, e.producer, e.tenant, e.exportedAt, e.scope, e.since, e.checksumSpelling, e.embedding, e.arrays, e.checkTags,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return e.keep()
}

// envelope is an envelope that is being checked.
type envelope struct {
	*inspector
	parts  []canon.Part
	values map[string]canon.Value // of the members that have a meaning
}

// scalars are the members that have a meaning, except for the arrays.
func scalars() []string {
	return []string{"format", "version", "producer", "tenant_id", "exported_at", "scope", "since", "checksum", "embedding_dim", "embedding_model"}
}

// load reads the members that have a meaning.
func (e *envelope) load() error {
	e.values = map[string]canon.Value{}
	for _, part := range e.parts {
		if !slices.Contains(scalars(), part.Name) {
			continue
		}
		if part.At.Len() > maxMember {
			return tooLarge(canon.Pointer(part.Name))
		}
		v, err := e.doc.root().Value(part.At)
		if err != nil {
			return err
		}
		e.values[part.Name] = v
	}
	return nil
}

// memberFault takes a violation of a member.
func (e *envelope) memberFault(code Code, name, rule, detail string) error {
	return e.violation(&Fault{Code: code, Pointer: canon.Pointer(name), Rule: rule, Detail: detail})
}

// missing takes that a required member is not there; null is there and wrong.
func (e *envelope) missing(name string) (bool, error) {
	if e.values[name].Type() != canon.TypeUndefined {
		return false, nil
	}
	return true, e.memberFault(MissingField, name, "AIMEM-2.1-1", "the envelope has no "+name)
}

func (e *envelope) format() error {
	if gone, err := e.missing("format"); gone {
		return err
	}
	e.b.envelope.Format = e.values["format"].Text()
	switch e.b.envelope.Format {
	case FormatName:
	case LegacyFormat:
		e.warnings.add(Warning{Code: WarnLegacyFormat, Pointer: "/format", Detail: "the format's former name"})
	default:
		return e.memberFault(BadFormat, "format", "AIMEM-2.1-2", "format is not "+FormatName)
	}
	return nil
}

// version ends everything when it is another: what the rest means is not known.
func (e *envelope) version() error {
	if gone, err := e.missing("version"); gone {
		return err
	}
	if e.b.envelope.Version = e.values["version"].Text(); e.b.envelope.Version != Version {
		return &Fault{Code: UnsupportedVersion, Pointer: "/version", Rule: "AIMEM-7-5", Detail: `version is not the string "1"; ask for an export in version 1`}
	}
	return nil
}

func (e *envelope) producer() error {
	if gone, err := e.missing("producer"); gone {
		return err
	}
	if e.values["producer"].Type() != canon.TypeString {
		return e.memberFault(InvalidType, "producer", "AIMEM-2.1-6", "producer is no string")
	}
	name := e.values["producer"].Text()
	if !IsProducer(name) {
		return e.memberFault(InvalidProducer, "producer", "AIMEM-2.1-6", "producer is not 1 to 63 characters of a-z, 0-9 and -")
	}
	e.b.envelope.Producer = name
	return nil
}

func (e *envelope) tenant() error {
	if gone, err := e.missing("tenant_id"); gone {
		return err
	}
	e.b.envelope.TenantID = e.values["tenant_id"].Text()
	if !isTenant(e.b.envelope.TenantID) {
		return e.memberFault(InvalidTenantID, "tenant_id", "AIMEM-2.1-8", "tenant_id is neither a UUID nor a URI")
	}
	return nil
}

func (e *envelope) exportedAt() error {
	if gone, err := e.missing("exported_at"); gone {
		return err
	}
	e.b.envelope.ExportedAt = e.values["exported_at"].Text()
	switch {
	case !isUTC(e.b.envelope.ExportedAt):
		return e.memberFault(InvalidTimestamp, "exported_at", "AIMEM-2.1-9", adviceUTC)
	case !isKept(e.b.envelope.ExportedAt):
		return e.memberFault(InvalidTimestamp, "exported_at", "AIMEM-2.1-9", adviceKept)
	}
	return nil
}

func (e *envelope) scope() error {
	if gone, err := e.missing("scope"); gone {
		return err
	}
	if e.values["scope"].Type() != canon.TypeString {
		return e.memberFault(InvalidType, "scope", "AIMEM-2.1-10", "scope is no string")
	}
	e.b.envelope.Scope = Scope(e.values["scope"].Text())
	switch e.b.envelope.Scope {
	case Full, DNAOnly, Since:
		return nil
	}
	return e.memberFault(InvalidScope, "scope", "AIMEM-2.1-10", "scope is none of FULL, DNA_ONLY and SINCE")
}

// since has a meaning with scope SINCE only.
func (e *envelope) since() error {
	v := e.values["since"]
	if e.b.envelope.Scope != Since {
		e.b.envelope.Since = v.Text()
		return nil
	}
	if isAbsent(v) {
		return e.memberFault(SinceMissing, "since", "AIMEM-2.1-11", "scope SINCE needs since")
	}
	if e.b.envelope.Since = v.Text(); !isInstant(v.Text()) {
		return e.memberFault(InvalidTimestamp, "since", "AIMEM-2.1-11", "since is no RFC 3339 date and time")
	}
	return nil
}
