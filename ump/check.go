package ump

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// checkRecord reports every rule of section 2 that a record breaks. The id may be
// missing unless needID is true.
func (f *findings) checkRecord(r *memory.Record, needID bool) {
	f.checkVersion(r.Version)
	f.checkID(r.ID, needID)
	f.checkKind(r.Kind)
	if r.Body.Text == "" {
		f.add("UMP-2-6", "/body/text", "is missing or empty; say what is to be remembered")
	}
	f.checkScope(&r.Scope)
	f.checkTime(&r.Time, needID)
	f.checkLifecycle(&r.Lifecycle)
	f.checkRelations(r.Relations)
	f.checkProvenance(r.Provenance)
	f.checkConsent(r.Consent, r.Scope.Visibility)
	f.checkIntegrity(r.Integrity)
}

// checkVersion enforces UMP-2-2 (decision UD-1).
func (f *findings) checkVersion(version string) {
	switch version {
	case Edition, LaterEdition:
	case "":
		f.add("UMP-2-2", "/ump", `is missing; write "ump": "0.1" or "1.0"`)
	default:
		f.refuse(memory.Unsupported, "UMP-2-2", "/ump", `is an edition that is not known here; "0.1" and "1.0" are`)
	}
}

// checkID enforces UMP-2-3 (decision UD-4).
func (f *findings) checkID(id memory.ID, needed bool) {
	switch {
	case id == "" && needed:
		f.add("UMP-2-3", "/id", "is missing; a complete record has an id")
	case id != "" && !ValidID(id):
		f.add("UMP-2-3", "/id", `is not an id: "urn:ump:" and up to 255 letters, digits and ._:~-`)
	}
}

// checkKind enforces section 2.1.
func (f *findings) checkKind(kind memory.Kind) {
	switch {
	case kind == "":
		f.add("UMP-2-4", "/kind", "is missing; "+kindsAllowed)
	case !kind.Valid():
		f.add("UMP-2-4", "/kind", kindsAllowed) // UMP-2.1-1: these five and no other
	}
}

const kindsAllowed = "use one of semantic, episodic, procedural, working, identity"

// checkScope enforces section 2.2.
func (f *findings) checkScope(s *memory.Scope) {
	if s.Owner == "" {
		f.add("UMP-2-9", "/scope/owner", "is missing; say whose memory this is")
	}
	f.checkVisibility(s.Visibility)
}

// checkVisibility enforces UMP-2-12; empty means private.
func (f *findings) checkVisibility(v memory.Visibility) {
	if v != "" && !v.Valid() {
		f.add("UMP-2-12", "/scope/visibility", "use one of private, shared, public")
	}
}

// checkTime enforces section 2.3. It compares times as instants, independent of
// their offsets.
func (f *findings) checkTime(t *memory.Times, complete bool) {
	if t.Created.IsZero() && complete {
		f.add("UMP-2-14", "/time/created", "is missing; say when the record was authored")
	}
	f.checkWritable("/time/created", t.Created)
	f.checkWritable("/time/observed", t.Observed)
	f.checkWritable("/time/valid_from", t.ValidFrom)
	f.checkWritable("/time/valid_to", t.ValidTo)
	if !t.ValidTo.IsZero() && !t.ValidFrom.IsZero() && t.ValidTo.Before(t.ValidFrom) {
		f.add("UMP-2-16", "/time/valid_to", "precedes valid_from; end the fact no sooner than it began")
	}
}

// checkWritable reports a time that the encoder could write and no decoder reads.
func (f *findings) checkWritable(path string, t time.Time) {
	if year := t.UTC().Year(); year < 1 || year > 9999 {
		f.add("UMP-2-16", path, outsideTime)
	}
}

// checkLifecycle enforces section 2.4. The decay hint is opaque (UMP-2-19).
func (f *findings) checkLifecycle(l *memory.Lifecycle) {
	f.checkShare("UMP-2-18", "/lifecycle/confidence", l.Confidence)
	f.checkShare("UMP-2-18", "/lifecycle/salience", l.Salience)
	if l.Status != "" && !l.Status.Valid() {
		f.add("UMP-2-20", "/lifecycle/status", "use one of active, candidate, tombstoned")
	}
}

// checkShare reports a number outside 0 to 1. NaN is outside.
func (f *findings) checkShare(rule, path string, n *float64) {
	if n != nil && !(*n >= 0 && *n <= 1) {
		f.add(rule, path, "is not between 0 and 1")
	}
}

// checkLevel2 reports what a record lacks for level 2 (sections 2.2, 2.6, 7).
func (f *findings) checkLevel2(r *memory.Record) {
	if !isDID(string(r.Scope.Owner)) {
		f.add("UMP-2.2-2", "/scope/owner", `is not a DID such as "did:key:z6Mk…", which level 2 requires`)
	}
	if r.Provenance == nil {
		f.add("UMP-2-24", "/provenance", "is missing; level 2 requires to say who asserted the record, and how")
		return
	}
	if r.Provenance.ActorKind == memory.ByImport && (r.Provenance.Source == nil || r.Provenance.Source.Provider == "") {
		f.add("UMP-2.6-4", "/provenance/source/provider", "is missing; an import names the system it came from")
	}
}

// CheckLevel2 reports the first rule of level 2 that a record breaks: the owner is
// not a DID, provenance is missing, or an import does not name its source
// (decision UD-32). Levels 0 and 1 have no such rules.
func CheckLevel2(r memory.Record) error {
	var f findings
	f.checkLevel2(&r)
	return f.err()
}

// isDID reports whether s has the form did:method:rest, with a method of lower-case
// letters and digits (decision UD-32).
func isDID(s string) bool {
	rest, ok := strings.CutPrefix(s, "did:")
	if !ok {
		return false
	}
	method, rest, _ := strings.Cut(rest, ":")
	if method == "" || rest == "" {
		return false
	}
	for i := range len(method) {
		if c := method[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
