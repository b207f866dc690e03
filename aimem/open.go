package aimem

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Open reads a bundle, as one JSON object or as a stream of lines, and checks all
// of it in the order of decision AD-3: JSON, root, format, version, envelope,
// checksum, signature, records, references between them. It fails with a [*Fault]
// for the first thing that is wrong, and with the source's error as it is. It holds
// a bounded part of the document, besides some 32 bytes per record.
//
// The source must stay as it is until the bundle is closed.
func Open(src codec.Source, o Options) (*Bundle, error) {
	in := &inspector{o: o, b: &Bundle{}}
	if err := in.inspect(src); err != nil {
		return nil, err
	}
	in.b.warnings = in.warnings.all()
	return in.b, nil
}

// maxFaults bounds how many violations Validate reports.
const maxFaults = 10_000

// Validate reports every violation of a bundle, not just the first, with the ids of
// the requirements: in the order of decision AD-3 and, among records, in that of
// the document. After 10,000 it stops. The error is for a source that cannot be
// read.
func Validate(src codec.Source, o Options, report func(*Fault)) error {
	in := &inspector{o: o, b: &Bundle{}, report: report}
	err := in.inspect(src)
	if f, ok := errors.AsType[*Fault](err); ok {
		in.reportFault(f)
		return nil
	}
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// inspector checks one document.
type inspector struct {
	o        Options
	b        *Bundle
	doc      document
	report   func(*Fault) // of Validate; nil: the first fault ends it all
	reported int
	checker  recordChecker
	warnings warnings
	refs     referenceList
	size     int64 // of the payload
}

// violation handles a violation. It returns an error if the inspection ends with it.
func (in *inspector) violation(f *Fault) error {
	if in.report == nil {
		return f
	}
	in.reportFault(f)
	if in.reported >= maxFaults {
		return errEnough
	}
	return nil
}

func (in *inspector) reportFault(f *Fault) {
	if in.reported < maxFaults {
		in.reported++
		in.report(f)
	}
}

// inspect runs the steps of decision AD-3. Whatever step fails: a document that is
// not strict JSON is refused for that.
func (in *inspector) inspect(src codec.Source) error {
	in.o.Limits = in.o.Limits.Filled()
	doc, err := newDocument(src, in.o)
	if err != nil {
		return err
	}
	in.doc, in.b.doc = doc, doc
	if in.report != nil { // a report is final
		if err := doc.check(); err != nil {
			return jsonFault(err)
		}
	}
	for _, step := range []func() error{in.envelope, in.checksum, in.signature, in.records, in.references} {
		if err := step(); err != nil {
			return in.jsonFirst(err)
		}
	}
	return nil
}

// jsonFirst replaces an error by the one that comes first in AD-3: the document is not
// strict JSON.
func (in *inspector) jsonFirst(err error) error {
	f, isFault := errors.AsType[*Fault](err)
	_, isJSON := errors.AsType[*canon.Error](err)
	if !isFault && !isJSON || isFault && f.Code.step() > jsonStep {
		return err
	}
	if bad := in.doc.check(); bad != nil {
		return jsonFault(bad)
	}
	return jsonFault(err)
}

// jsonStep is the last step of AD-3 before all of the document was found to be JSON.
const jsonStep = 7

// step returns where in the order of AD-3 a code is met: up to the checksum, or
// after it.
func (c Code) step() int {
	switch c {
	case BodyTooLarge, NotJSON, NotObject, BadFormat, UnsupportedVersion, MissingField, InvalidType, InvalidProducer,
		InvalidTenantID, InvalidTimestamp, InvalidScope, SinceMissing, MissingChecksum, ChecksumMismatch:
		return jsonStep
	}
	return jsonStep + 1
}

// jsonFault turns an error about JSON into a fault; others stay as they are.
func jsonFault(err error) error {
	e, ok := errors.AsType[*canon.Error](err)
	if !ok {
		return err
	}
	f := &Fault{Code: NotJSON, Pointer: e.Pointer, Rule: "AIMEM-2-1", Detail: fmt.Sprintf("%s (byte %d)", e.Kind, e.Offset)}
	switch e.Kind {
	case canon.DuplicateMember, canon.LoneSurrogate, canon.NumberOverflow:
		f.Rule = "AIMEM-2-4"
	case canon.TooDeep:
		f.Rule = "AD-9"
	case canon.TooLarge:
		f.Code, f.Rule = BodyTooLarge, "AD-9"
		f.Detail = fmt.Sprintf("a value is larger than the limit (byte %d); raise it or shorten the value", e.Offset)
	}
	return f
}

// signature checks the signature (section 5.3, decision AD-26).
func (in *inspector) signature() error {
	if bad := in.o.SignatureFault; bad != nil && in.o.Policy != SkipSignature {
		if f, ok := errors.AsType[*Fault](bad); ok {
			return in.violation(f)
		}
		return bad
	}
	var trusted []Key
	if in.o.Trusted != nil && in.o.Signature != nil && in.o.Policy != SkipSignature {
		var err error
		if trusted, err = in.o.Trusted(in.b.envelope.Producer); err != nil {
			return err
		}
	}
	outcome, key, err := Verify(in.o.Signature, Payload{Size: in.size, Write: in.doc.payload}, in.o.Policy, trusted)
	if f, ok := errors.AsType[*Fault](err); ok {
		return in.violation(f)
	}
	if err != nil {
		return err
	}
	in.b.outcome, in.b.key = outcome, key
	if outcome == Untrusted {
		in.warnings.add(Warning{Code: WarnSignatureNew, Detail: "the signature is valid; " + adviceTrust})
	}
	return nil
}
