package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/pattern"
)

// checksumForm is the form of a checksum.
var checksumForm = pattern.New(`^[0-9a-f]{64}$`)

// CheckState checks a state for a platform that receives it: as [Validator.Validate]
// does, and beyond the schema. Unlike [Validator.Lint] it does not assert formats, which
// the states of others do not always keep to (decision R2).
func (v *Validator) CheckState(d Document) []*codec.ParseError {
	found := append(v.Validate(d), v.registries.lintState(d.Value)...)
	if at := d.Value.Get("checkpoint_at"); at.Type() == canon.TypeString && ReadState(d.Value).CheckpointAt.IsZero() {
		found = append(found, warning(WrongForm, "8.1-4", "/checkpoint_at", "no time as RFC 3339 writes it"))
	}
	return sortViolations(d.Value, found)
}

// lintState checks a state beyond its schema.
func (r Registries) lintState(v canon.Value) []*codec.ParseError {
	s := ReadState(v)
	var found []*codec.ParseError
	expect := func(ok bool, code Code, rule, pointer, text string) {
		if !ok {
			found = append(found, fault(code, rule, pointer, "%s", text))
		}
	}
	expect((s.Approval != nil) == (s.Status == AwaitingApproval), WrongState, "8.1-19", "/approval_request", "is there exactly while the status is awaiting_approval")
	expect(s.Error != nil || s.Status != Failed, WrongState, "8.1-21", "/error", "has to be there when the status is failed")
	if s.Error != nil && s.Status != Failed {
		found = append(found, warning(WrongState, "8.1-21", "/error", "is there, and the status is not failed"))
	}
	expect(s.Position.Slot == nil || *s.Position.Slot >= 0, WrongForm, "8.1-9", "/pipeline_position/parallel_slot", "is less than 0")
	expect(!overlaps(s.Position), WrongState, "8.1-9", "/pipeline_position", "a step is at once completed, current or remaining")
	sum := s.Provenance.Checksum
	expect(sum == "" || checksumForm.MatchString(sum), WrongForm, "8.1-24", "/provenance/checksum", "not 64 hexadecimal digits in lower case")
	if at := v.Get("checkpoint_at").Text(); !s.CheckpointAt.IsZero() && !strings.HasSuffix(at, "Z") {
		found = append(found, warning(WrongForm, "8.1-4", "/checkpoint_at", "not written in UTC, with a Z at its end"))
	}
	for i, m := range s.Memory {
		expect(m.TTL >= 0, WrongForm, "8.1-15", item("/memory_snapshot", i)+"/ttl_remaining_seconds", "is less than 0")
		if _, ok := r[Backends].Entry(m.Backend); m.Backend != "" && !ok {
			found = append(found, warning(Unregistered, "8.1-13", item("/memory_snapshot", i)+"/backend", "in no registry%s", didYouMean(m.Backend, r[Backends].ids(), len(found))))
		}
	}
	return found
}

// overlaps reports whether a step stands in two lists.
func overlaps(p Position) bool {
	seen := map[string]bool{}
	if p.Current != "" {
		seen[p.Current] = true
	}
	for _, step := range append(p.Completed[:len(p.Completed):len(p.Completed)], p.Remaining...) {
		if seen[step] {
			return true
		}
		seen[step] = true
	}
	return false
}

// lintManifest checks a manifest beyond its schema.
func lintManifest(v canon.Value) []*codec.ParseError {
	p := ReadManifest(v).Platform
	if !p.ExpiresAt.IsZero() && p.ExpiresAt.Before(p.IssuedAt) {
		return []*codec.ParseError{fault(WrongState, "U.U-2", "/platform/manifest_expires_at", "before it was issued")}
	}
	return nil
}

// lintReport reports claims that their runs do not prove (AAIF-6-20).
func lintReport(v canon.Value) []*codec.ParseError { return ReadReport(v).UnprovenClaims() }
