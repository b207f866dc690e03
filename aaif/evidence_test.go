package aaif_test

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// fullEvidence shows everything.
func fullEvidence(t testing.TB) aaif.Evidence {
	at := time.Date(2026, 6, 10, 9, 17, 43, 0, time.UTC)
	v := validator(t)
	portable := changed(t, doc(t, minimal), "/agent/constraints", `["x"]`)
	portable = changed(t, portable, "/agent/tools", `[{"name":"a","description":"b","parameters_schema":{}}]`)
	return aaif.Evidence{
		Offer: fullOffer(t), Homepage: "https://satchel.example", URL: "https://satchel.example/.well-known/aaif-conformance.json",
		Consumer: aaif.Suite{Corpus: "satchel duties", Passed: 21, Total: 21, RanAt: at},
		Shown:    everyDuty(),
		Producer: aaif.Suite{Corpus: "SC-006@3.4.0 tests/conformance", Passed: 18, Total: 18, RanAt: at.Add(-time.Minute)},
		Exported: []aaif.Conformance{v.Produced(sample(t, "agent")), v.Produced(portable)},
		RoundTrips: []aaif.RoundTrip{
			{Framework: "openai_assistant", Lossless: []string{"agent.name"}, Lossy: []string{"agent.constraints"}}, {Framework: "langgraph"},
		},
		By: "Acme", Contact: "conformance@acme.example", GeneratedAt: at,
	}
}

// everyDuty returns the requirements of all duties.
func everyDuty() (all []string) {
	for _, d := range aaif.Duties() {
		all = append(all, d.Rule)
	}
	return all
}

// readClaims shows the claims of a report.
func readClaims(r aaif.Report) string {
	var list []string
	for _, c := range r.Claims {
		list = append(list, string(c.Direction)+":"+string(c.Level))
	}
	return strings.Join(list, " ")
}

func TestNewReport(t *testing.T) {
	t.Run("AAIF-6-13 AAIF-6-18 AAIF-U.Y-1 all of it", func(t *testing.T) {
		r := aaif.NewReport(fullEvidence(t))
		if err := r.Publishable(); err != nil {
			t.Fatal(err)
		}
		d := aaif.Document{Kind: aaif.ReportKind, Value: tree(t, string(r.Document().Append(nil)))}
		if found := validator(t).Lint(d); len(found) > 0 || aaif.KindOf(d.Value) != aaif.ReportKind {
			t.Fatal(show(found))
		}
		expect(t, readClaims(aaif.ReadReport(d.Value)), "consumer:Multi-agent consumer:Enterprise consumer:Stateful producer:Portable")
		expect(t, r.Claims[3].Suite.Total, 18)
		expect(t, r.Claims[3].RoundTrip[0].Framework, "openai_assistant")
		expect(t, r.Platform.Manifest, fullOffer(t).URL)
		expect(t, strings.Join(r.Supported.Protocols, " "), "function http mcp openapi")
		expect(t, strings.Join(r.Supported.Vaults, " "), "aws_secretsmanager azure_keyvault custom hashicorp_vault")
		expect(t, strings.Join(r.Supported.Backends, " "), "chroma in_memory pinecone postgres qdrant redis sqlite weaviate")
		expect(t, len(r.Supported.Languages), 6)
		expect(t, len(r.Supported.Capabilities), 24)
		expect(t, len(fullEvidence(t).Withheld(aaif.Consumer)), 0)
	})
	t.Run("AAIF-6-12 it can be signed", func(t *testing.T) {
		signed := aaif.Attest(aaif.NewReport(fullEvidence(t)).Document(), author(t))
		if found := validator(t).Lint(aaif.Document{Kind: aaif.ReportKind, Value: signed}); len(found) > 0 {
			t.Fatal(show(found))
		}
		expect(t, signed.Get("attestation").Get("attested_by").Text(), "Acme")
		_, err := aaif.VerifyAttestation(signed, []ed25519.PublicKey{author(t).Public()})
		expect(t, err, nil)
	})
}

func TestReportClaimsNoMore(t *testing.T) {
	at := fullEvidence(t).GeneratedAt
	for _, c := range []struct {
		id, claims, why string
		direction       aaif.Direction
		edit            func(*aaif.Evidence)
	}{
		{"AAIF-6-20 one failed", "producer:Portable", "20 of 21", aaif.Consumer, func(e *aaif.Evidence) { e.Consumer.Passed = 20 }},
		{"AAIF-6-20 more passed than there are", "producer:Portable", "22 of 21", aaif.Consumer, func(e *aaif.Evidence) { e.Consumer.Passed = 22 }},
		{"AAIF-6-20 one of the corpus failed", "consumer:Multi-agent consumer:Enterprise consumer:Stateful", "17 of 18", aaif.Producer, func(e *aaif.Evidence) { e.Producer.Passed = 17 }},
		{"AAIF-6-20 no run", "producer:Portable", "no run", aaif.Consumer, func(e *aaif.Evidence) { e.Consumer = aaif.Suite{} }},
		{"AAIF-6-20 of other settings", "producer:Portable", "other settings", aaif.Consumer, func(e *aaif.Evidence) { e.InForce = "0" }},
		{"AAIF-6-20 nobody knows when", "producer:Portable", "no run", aaif.Consumer, func(e *aaif.Evidence) { e.Consumer.RanAt = time.Time{} }},
		{"AAIF-6-20 an empty run", "producer:Portable", "nothing", aaif.Consumer, func(e *aaif.Evidence) { e.Consumer.Passed, e.Consumer.Total = 0, 0 }},
		{"AAIF-6-20 a run to come", "producer:Portable", "later", aaif.Consumer, func(e *aaif.Evidence) { e.Consumer.RanAt = at.Add(time.Second) }},
		{"AAIF-6-14 nothing was exported", "consumer:Multi-agent consumer:Enterprise consumer:Stateful", "no document", aaif.Producer, func(e *aaif.Evidence) { e.Exported = nil }},
		{"AAIF-6-14 a document below", "consumer:Multi-agent consumer:Enterprise consumer:Stateful producer:Core", "document 3", aaif.Producer, func(e *aaif.Evidence) {
			e.Exported = append(e.Exported, aaif.Conformance{Held: []aaif.Level{aaif.Core}})
		}},
		{"AAIF-6-16 Stateful wants Enterprise", "consumer:Multi-agent consumer:Observable producer:Portable", "audit log", aaif.Consumer, func(e *aaif.Evidence) { e.Offer.Kept = kept("AAIF-4.9-8") }},
		{"AAIF-6-15 not in force", "consumer:Multi-agent consumer:Observable producer:Portable", "asks a person", aaif.Consumer, func(e *aaif.Evidence) { e.Offer.Capabilities.Compliance.HumanInTheLoop = false }},
		{"AAIF-6-15 a duty that no run has shown", "consumer:Tooled producer:Portable", "untrusted", aaif.Consumer, func(e *aaif.Evidence) {
			e.Shown = slices.DeleteFunc(e.Shown, func(rule string) bool { return rule == "AAIF-12-1" })
		}},
		{"AAIF-6-15 nothing was shown", "producer:Portable", "was not shown", aaif.Consumer, func(e *aaif.Evidence) { e.Shown = nil }},
		{"AAIF-6-15 no duty", "producer:Portable", "was not shown", aaif.Consumer, func(e *aaif.Evidence) { e.Offer.Kept = nil }},
	} {
		t.Run(c.id, func(t *testing.T) {
			e := fullEvidence(t)
			c.edit(&e)
			r := aaif.NewReport(e)
			expect(t, readClaims(r), c.claims)
			if err := r.Publishable(); err != nil {
				t.Error(err)
			}
			if !slices.ContainsFunc(e.Withheld(c.direction), func(m aaif.Gap) bool { return strings.Contains(m.Text, c.why) }) {
				t.Errorf("withheld: %+v", e.Withheld(c.direction))
			}
		})
	}
	t.Run("AAIF-6-19 a report without claims is not published", func(t *testing.T) {
		r := aaif.NewReport(aaif.Evidence{Offer: fullOffer(t), GeneratedAt: at})
		expect(t, len(r.Claims), 0)
		expect(t, pathOf(r.Publishable()), "/claims")
		expect(t, r.Document().Get("claims").Type(), canon.TypeArray)
	})
}
