package aaifsuite

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// documentRows returns the rows about documents, not about platforms.
func documentRows() []conformance.Result {
	return []conformance.Result{
		worded("AAIF-2-1", "It is one document of a kind that is known, in JSON or CBOR."),
		worded("AAIF-4-1", "A definition is an object as the schema has it."),
		worded("AAIF-4-2", "It has sc_standard, agent.name and agent.goal."),
		worded("AAIF-4-3", "It has no members that are not known."),
		worded("AAIF-5-19", "Its conditions can be read."),
		worded("AAIF-7-15", "The manifest is in force."),
		worded("AAIF-8.1-1", "A state is an object as the schema has it."),
		worded("AAIF-8.1-24", "Its checksum is that of its content."),
		worded("AAIF-10-2", "A registry is valid."),
		worded("AAIF-12-12", "Its migration token is signed, and for 15 minutes at most."),
		worded("AAIF-12-3", "It holds no secrets."),
	}
}

// predicates returns the rows of a definition's levels.
func predicates() map[aaif.Level]string {
	return map[aaif.Level]string{aaif.Core: "AAIF-6-2", aaif.Tooled: "AAIF-6-3", aaif.Portable: "AAIF-6-4", aaif.MultiAgent: "AAIF-6-5",
		aaif.Observable: "AAIF-6-6", aaif.Enterprise: "AAIF-6-8", aaif.Stateful: "AAIF-6-10"}
}

// levels reports for each level whether a definition reaches it, and what is missing.
// Missing a level breaks a rule only if the caller demands that level.
func (e *examination) levels(d aaif.Document) {
	held := e.validator.Produced(d)
	e.Levels = held.Highest()
	for _, l := range aaif.Levels() {
		id := predicates()[l]
		if held.Has(l) {
			e.add(id, conformance.Pass, "")
			continue
		}
		outcome, said := conformance.NotApplicable, []string{"not " + string(l)}
		if includes(e.Level, l) {
			outcome = conformance.Fail
		}
		for _, m := range e.validator.Lacks(d, l) {
			if m.Level == l && l != aaif.Core {
				said = append(said, m.Pointer+": "+m.Text)
			}
		}
		if below := l.Below(); below != "" && !held.Has(below) {
			said = append(said, "below it "+string(below)+" is missing")
		}
		e.add(id, outcome, strings.Join(said, "; "))
	}
}

// checksum verifies the checksum of a state. A state without checksum and migration token is
// a plain capture; only a transfer needs the checksum.
func (e *examination) checksum(v canon.Value) {
	if from := v.Get("provenance"); !from.Has("checksum") && !from.Has("migration_token") {
		e.add("AAIF-8.1-24", conformance.NotApplicable, "the state carries no checksum, which it needs before it leaves")
		return
	}
	if err := aaif.VerifyChecksum(v); err != nil {
		e.broken(err, "AAIF-8.1-24")
	}
}

// longestToken is the most bytes of a token that the suite reads.
const longestToken = 8 << 10

// token checks the form of a migration token. Only the receiver can tell whose it is.
func (e *examination) token(v canon.Value) {
	raw, _ := v.At("/provenance/migration_token")
	if raw.Text() == "" {
		e.add("AAIF-12-12", conformance.NotApplicable, "the state carries no token")
		return
	}
	parts := strings.Split(raw.Text(), ".")
	if len(raw.Text()) > longestToken || len(parts) != 3 || parts[2] == "" {
		e.add("AAIF-12-12", conformance.Fail, "/provenance/migration_token: no signed token of three parts")
		return
	}
	header, claims := part(parts[0]), part(parts[1])
	if alg := header.Get("alg").Text(); alg == "" || alg == "none" || strings.HasPrefix(alg, "HS") {
		e.add("AAIF-12-12", conformance.Fail, "/provenance/migration_token: not signed with a key of its issuer's own")
		return
	}
	issued, expires := claims.Get("iat"), claims.Get("exp")
	if issued.Type() != canon.TypeNumber || expires.Type() != canon.TypeNumber {
		e.add("AAIF-12-12", conformance.Fail, "/provenance/migration_token: does not say from when until when it is good")
		return
	}
	if good := expires.Float() - issued.Float(); good <= 0 || good > aaif.TokenLifetime.Seconds() {
		e.add("AAIF-12-12", conformance.Fail, fmt.Sprintf("/provenance/migration_token: good for %.0f seconds", good))
	}
}

// part reads a part of a token.
func part(text string) canon.Value {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return canon.Value{}
	}
	v, err := canon.Parse(raw, canon.Options{})
	if err != nil {
		return canon.Value{}
	}
	return v
}

// manifest checks the rules for manifests that no schema can state.
func (e *examination) manifest(v canon.Value) {
	m := aaif.ReadManifest(v)
	if at := m.Platform.ExpiresAt; !e.Now.IsZero() && !at.IsZero() && !at.After(e.Now) {
		e.add("AAIF-7-15", conformance.Fail, "/platform/manifest_expires_at: it has expired")
	}
	if m.Platform.Level != "" && !slices.Contains(aaif.Levels(), m.Platform.Level) {
		e.add("AAIF-6-1", conformance.Fail, "/platform/aaif_conformance_level: none of the seven")
	}
	for _, at := range []string{"/platform/capabilities", "/platform/aaif_versions_supported", "/platform/intake_endpoint/url"} {
		if _, ok := v.At(at); !ok {
			e.add("AAIF-7-14", conformance.Warn, at+": is not there")
		}
	}
}
