package aaif_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// What is done with personal data is a safety feature: a policy that is written is kept to,
// or the definition is refused, at every level (AAIF-7-12, decision R19).
func TestPolicyOfPersonalData(t *testing.T) {
	const scrubs, list = "compliance/pii_scrubbing", "/x-aaif-capabilities"
	for _, level := range levels {
		for _, c := range []struct {
			name, policy string
			edits        []string // of the manifest of a platform that has all
			lacks        string
		}{
			{"nothing written", "", []string{list, "[]", scrubs, "false"}, ""},
			{"none", "none", []string{list, "[]", scrubs, "false"}, ""},
			{"detect, nothing done", "detect", []string{list, "[]", scrubs, "false"}, "compliance.pii_scrubbing"},
			{"detect, scrubbed", "detect", []string{list, "[]"}, ""},
			{"anonymize, nothing done", "anonymize", []string{list, "[]", scrubs, "false"}, "compliance.pii_scrubbing"},
			{"anonymize, scrubbed", "anonymize", []string{list, "[]"}, ""},
			{"anonymize, all handled", "anonymize", []string{list, `["compliance.pii_handling"]`, scrubs, "false"}, ""},
			{"encrypt, scrubbed alone", "encrypt", []string{list, "[]"}, "compliance.pii_handling"},
			{"reject, scrubbed alone", "reject", []string{list, "[]"}, "compliance.pii_handling"},
			{"encrypt, all handled", "encrypt", []string{list, `["compliance.pii_handling"]`}, ""},
			{"reject, Enterprise that scrubs", "reject", []string{list, "[]", "/platform/aaif_conformance_level", `"Enterprise"`}, ""},
			{"reject, Stateful that scrubs", "reject", []string{list, "[]", "/platform/aaif_conformance_level", `"Stateful"`}, ""},
			{"reject, Enterprise that does not", "reject", []string{list, "[]", scrubs, "false", "/platform/aaif_conformance_level", `"Enterprise"`}, "compliance.pii_handling"},
			{"reject, Observable that scrubs", "reject", []string{list, "[]", "/platform/aaif_conformance_level", `"Observable"`}, "compliance.pii_handling"},
		} {
			t.Run("AAIF-7-12 "+level+" "+c.name, func(t *testing.T) {
				d := agentWith(t, level)
				if c.policy != "" {
					d = agentWith(t, level, "/agent/compliance/pii_handling", `"`+c.policy+`"`)
				}
				for i := range c.edits {
					if i%2 == 0 {
						c.edits[i] = groupEdit(c.edits[i])
					}
				}
				n := aaif.Negotiate(d, manifestWith(t, c.edits...), aaif.NegotiateOptions{})
				if c.lacks == "" {
					expect(t, n.Verdict, aaif.Accepted)
					return
				}
				outcome(t, n, level, aaif.Refusal)
				expect(t, only(t, n).Capability, c.lacks)
			})
		}
	}
}
