package ump

import (
	"encoding/json"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// checkRelations enforces section 2.5 for records of any origin: the vocabulary
// is open (UMP-2.5-1) and a target need not exist (UMP-2.5-4).
func (f *findings) checkRelations(relations []memory.Relation) {
	for i, r := range relations {
		if r.Type == "" {
			f.add("UMP-2-23", itemPointer("/relations", i)+"/type", "is missing; say how the record relates to the target")
		}
		if r.Target == "" {
			f.add("UMP-2-23", itemPointer("/relations", i)+"/target", "is missing; name a record or an entity")
		}
	}
}

// checkProvenance enforces section 2.6 where provenance is given.
func (f *findings) checkProvenance(p *memory.Provenance) {
	if p == nil {
		return
	}
	if p.Actor == "" {
		f.add("UMP-2.6-1", "/provenance/actor", "is missing; say who asserted the record")
	}
	if p.Method == "" {
		f.add("UMP-2.6-1", "/provenance/method", "is missing; say how the record was made")
	}
	switch {
	case p.ActorKind == "":
		f.add("UMP-2.6-1", "/provenance/actor_kind", "is missing; "+actorsAllowed)
	case !p.ActorKind.Valid():
		f.add("UMP-2.6-2", "/provenance/actor_kind", actorsAllowed)
	}
	for i, e := range p.Evidence {
		f.checkShare("UMP-2.6-6", itemPointer("/provenance/evidence", i)+"/weight", e.Weight)
	}
}

const actorsAllowed = "use one of user, agent, model, import, scan"

// checkConsent enforces section 2.7.
func (f *findings) checkConsent(c *memory.Consent, visibility memory.Visibility) {
	if c == nil {
		return
	}
	if c.Retention != "" {
		if _, err := memory.ParseDuration(c.Retention); err != nil {
			f.add("UMP-2.7-1", "/consent/retention", err.Error())
		}
	}
	if c.Exportable != nil && !*c.Exportable && visibility == memory.Public { // decision UD-14
		f.refuse(memory.ConsentViolation, "UMP-3.3-7", "/consent/exportable",
			"forbids export of a record whose visibility is public; change one of the two")
	}
	said := make(map[string]bool, min(len(c.Redact), maxPaths))
	for i, s := range c.Redact {
		if said[s] {
			continue
		}
		if said[s] = true; len(said) > maxPaths { // our own limit: every input is bounded
			f.add("UMP-1-6", "/consent/redact", pathsTooMany)
			return
		}
		path, err := ParsePath(s)
		switch {
		case err != nil:
			f.add("UMP-2.7-5", itemPointer("/consent/redact", i), pathsAllowed)
		case !path.Redactable():
			f.add("UMP-2.7-5", itemPointer("/consent/redact", i), pathForbidden)
		}
	}
}

// checkIntegrity enforces the shape of section 2.8: all three members, each with
// its prefix. [Verify] checks the signature.
func (f *findings) checkIntegrity(i *memory.Integrity) {
	if i == nil {
		return
	}
	if !strings.HasPrefix(i.ContentHash, hashPrefix) {
		f.add("UMP-2.8-1", "/integrity/content_hash", `is not a hash: "blake3:" and its digits`)
	}
	if !strings.HasPrefix(i.Signature, signaturePrefix) {
		f.add("UMP-2.8-2", "/integrity/signature", `is not a signature: "ed25519:" and its digits`)
	}
	if !strings.HasPrefix(string(i.Signer), "did:") {
		f.add("UMP-2.8-2", "/integrity/signer", "is not a DID")
	}
}

// checkDraft enforces the rules that apply to drafts alone (decisions UD-19 and
// UD-31).
func (d *decoder) checkDraft(r *memory.Record) {
	if len(r.SupersededBy) > 0 {
		d.add("UMP-2-22", "/superseded_by", "is set by revise, never by an author; leave it out")
	}
	if r.Lifecycle.Status == memory.Tombstoned {
		d.add("UMP-3.3-13", "/lifecycle/status", "a new record cannot be a tombstone; use forget")
	}
	for i, id := range r.Supersedes {
		if !ValidID(id) {
			d.add("UMP-2-21", itemPointer("/supersedes", i), `is not an id: "urn:ump:…"`)
		}
	}
	for i, rel := range r.Relations {
		if !isTarget(rel.Target) {
			d.add("UMP-2.5-3", itemPointer("/relations", i)+"/target", `is neither a record, "urn:ump:…", nor an entity, "entity:<name>"`)
		}
	}
}

const entityPrefix = "entity:"

// isTarget reports whether a new relation may have the target s: the id of a
// record, or "entity:" and a name, which may be any text (decision UD-31).
func isTarget(s string) bool {
	if name, ok := strings.CutPrefix(s, entityPrefix); ok {
		return name != ""
	}
	return ValidID(memory.ID(s))
}

// notPatchable are the members that revise may not set (decision UD-20).
var notPatchable = []string{"/ump", "/id", "/integrity", "/supersedes", "/superseded_by", "/scope/owner", "/time/created"}

// CheckPatch refuses a merge patch that is not an object, or that changes a member
// which identifies the record (UMP-3.5-7).
func CheckPatch(patch json.RawMessage) error {
	v, err := canon.Parse(patch, canon.Options{})
	if err != nil {
		return fromCanon(err, formatName, "")
	}
	return checkPatch(v, "")
}

func checkPatch(v canon.Value, base string) error {
	f := findings{base: base}
	if v.Type() != canon.TypeObject {
		f.add("UMP-3.5-1", "", "is not an object; give the members to change")
		return f.err()
	}
	for _, pointer := range notPatchable {
		if _, ok := v.At(pointer); ok {
			f.add("UMP-3.5-7", pointer, "cannot be changed by revise; leave it out of the patch")
		}
	}
	for _, name := range []string{"scope", "time", "body"} { // a merge patch replaces the whole member with any value but an object
		if part := v.Get(name); part.Type() != canon.TypeUndefined && part.Type() != canon.TypeObject {
			f.add("UMP-3.5-6", "/"+name, "is not an object; give the members to change")
		}
	}
	return f.err()
}
