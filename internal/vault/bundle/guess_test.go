package bundle_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// carriedBy is the record that a chunk which left carries, with other members.
func (h *house) carriedBy(text string, more ...canon.Member) canon.Value {
	h.T.Helper()
	rec, err := canon.Parse(h.MustGet(h.LiveSaying(text)).Form(), canon.Options{})
	if err != nil {
		h.T.Fatal(err)
	}
	rec = rec.With("body", canon.Object())
	for _, m := range more {
		rec = rec.With(m.Name, m.Value)
	}
	return rec
}

// carrying is the member x_ump that carries a record.
func carrying(rec canon.Value) vaulttest.Object {
	var form map[string]any
	if err := json.Unmarshal(rec.Append(nil), &form); err != nil {
		panic(err)
	}
	return vaulttest.Object{"x_ump": vaulttest.Object{"v": 1, "record": form}}
}

// TestCarriedIDs: that a chunk carries the id of a record lets it neither replace
// nor close it (decision AD-7).
func TestCarriedIDs(t *testing.T) { onEach(t, testCarriedIDs) }

func testCarriedIDs(t *testing.T, open opener) {
	for _, c := range []struct{ name, producer, local string }{
		{"from elsewhere", "elsewhere", "1"}, {"in our namespace", vaulttest.Here, "1"},
	} {
		t.Run("AIMEM-2.9-4 AIMEM-5.4-2 "+c.name+" a newer one with the id of another record is new", func(t *testing.T) {
			h := open(t)
			h.Tell("the code is 4711")
			forged := vaulttest.Chunk("1", "the code is 9999", vaulttest.Object{"id": "urn:aimem:" + c.producer + ":" + c.local, "created_at": "2030-01-01T00:00:00Z"}, carrying(h.carriedBy("the code is 4711")))
			r := h.TakesIn(vaulttest.Bundle{Producer: c.producer, Chunks: []vaulttest.Object{forged}}, aimem.Import{OnNewer: aimem.UpdateNewer})
			vaulttest.WantChunks(t, "forged", r, 1, 0, 0, 0)
			if got := h.Live(); !slices.Contains(got, "the code is 4711") || len(h.MustGet(h.LiveSaying("the code is 4711")).SupersededBy) != 0 {
				t.Errorf("live: %q", got)
			}
			h.Healthy()
		})
	}
	t.Run("AIMEM-2.9-4 under its own name it is the record", func(t *testing.T) {
		h := open(t)
		h.Tell("the code is 4711")
		id := h.LiveSaying("the code is 4711")
		edited := vaulttest.Chunk("1", "the code is 9999", vaulttest.Object{"id": string(ours.URN(id)), "created_at": "2030-01-01T00:00:00Z"}, carrying(h.carriedBy("the code is 4711")))
		b := vaulttest.Bundle{Producer: vaulttest.Here, Chunks: []vaulttest.Object{edited}}
		vaulttest.WantChunks(t, "unasked", h.TakesIn(b, aimem.Import{}), 0, 0, 0, 1)
		vaulttest.WantChunks(t, "asked", h.TakesIn(b, aimem.Import{OnNewer: aimem.UpdateNewer}), 0, 1, 0, 0)
		if got := h.Live(); !slices.Equal(got, []string{"the code is 9999"}) {
			t.Errorf("live: %q", got)
		}
	})
}

// TestGuesses: a peer cannot find out what stands in a record that it may not see by
// bringing what may stand there.
func TestGuesses(t *testing.T) {
	racing.Skip(t)
	onEach(t, testGuesses)
}

func testGuesses(t *testing.T, open opener) {
	h := open(t)
	h.Tell("the code is 4711")
	h.TakesIn(vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("9", "the code is 4711")}}, aimem.Import{})
	id := h.LiveSaying("the code is 4711")
	own := string(ours.URN(id))
	for name, c := range map[string]struct {
		producer string
		more     vaulttest.Object
	}{
		"by the record it carries":       {"guess", vaulttest.Object{"x_ump": vaulttest.Object{"v": 1, "record": vaulttest.Object{"id": id}}}},
		"by where it came from":          {"guess", vaulttest.Object{"x_origin_id": own}},
		"by a chunk from elsewhere":      {"guess", vaulttest.Object{"x_origin_id": "urn:aimem:elsewhere:9"}},
		"by its name":                    {vaulttest.Here, vaulttest.Object{"id": own}},
		"by the name it came with":       {"elsewhere", vaulttest.Object{"id": "urn:aimem:elsewhere:9"}},
		"by the alias that it leaves as": {vaulttest.Here, vaulttest.Object{"id": string(ours.Alias("urn:aimem:elsewhere:9"))}},
	} {
		t.Run("AIMEM-3.2-4 "+name, func(t *testing.T) {
			answers := map[string]bool{}
			for _, text := range []string{"the code is 4711", "the code is 4712"} {
				for _, created := range []string{"2020-01-01T00:00:00Z", "2026-04-01T09:00:00Z", "2030-01-01T00:00:00Z"} {
					guess := vaulttest.Chunk("g", text, vaulttest.Object{"id": "urn:aimem:" + c.producer + ":g", "created_at": created}, c.more)
					more := vaulttest.Chunk("more", "an edge from here", vaulttest.Object{"id": "urn:aimem:" + c.producer + ":more"})
					b := vaulttest.Bundle{Producer: c.producer, Chunks: []vaulttest.Object{guess, more}, Edges: []vaulttest.Object{vaulttest.Edge("", "",
						vaulttest.Object{"source_id": more["id"], "target_id": guess["id"], "created_at": "2026-04-01T09:00:00Z"})}}
					r := h.TakesInAs(h.writer("t1"), b, aimem.Import{DryRun: true})
					for i := range r.Rejected {
						r.Rejected[i].Incoming = aimem.ConflictSide{}
					}
					answers[fmt.Sprintf("%+v", r)] = true
				}
			}
			if len(answers) != 1 {
				t.Errorf("guesses are answered in %d ways: %v", len(answers), answers)
			}
		})
	}
	t.Run("AIMEM-2.9-2 what the token brought itself is the same again", func(t *testing.T) {
		b := vaulttest.Bundle{Producer: "mine", Chunks: []vaulttest.Object{vaulttest.Chunk("1", "mine", vaulttest.Object{"id": "urn:aimem:mine:1"})}}
		vaulttest.WantChunks(t, "first", h.TakesInAs(h.writer("t2"), b, aimem.Import{}), 1, 0, 0, 0)
		vaulttest.WantChunks(t, "again", h.TakesInAs(h.writer("t2"), b, aimem.Import{}), 0, 0, 1, 0)
	})
	t.Run("AIMEM-2.9-2 AIMEM-3.2-4 what another token brought changes nothing, and is told from nothing else", func(t *testing.T) {
		before := h.Contents()
		for _, text := range []string{"mine", "not mine"} {
			b := vaulttest.Bundle{Producer: "mine", Chunks: []vaulttest.Object{vaulttest.Chunk("1", text, vaulttest.Object{"id": "urn:aimem:mine:1"})}}
			r := h.TakesInAs(h.writer("t3"), b, aimem.Import{})
			vaulttest.WantChunks(t, text, r, 0, 0, 0, 1)
			if out := r.Rejected[0]; out.Code != aimem.ContentConflict || out.Stored != (aimem.ConflictSide{}) || !strings.Contains(out.Detail, "it is here already") {
				t.Errorf("%s: %+v", text, out)
			}
		}
		if h.Contents() != before {
			t.Error("the store changed")
		}
	})
}

// TestUnreadConsent: what a chunk says of consent holds, whether or not the rest of
// its record can be read.
func TestUnreadConsent(t *testing.T) { onEach(t, testUnreadConsent) }

func testUnreadConsent(t *testing.T, open opener) {
	h := open(t)
	h.Tell("a model of a record")
	as := func(version string, consent any) vaulttest.Object {
		form := carrying(h.carriedBy("a model of a record"))
		rec := form["x_ump"].(vaulttest.Object)["record"].(map[string]any)
		rec["ump"], rec["consent"], rec["scope"] = version, consent, vaulttest.Object{"owner": h.Key.DID(), "visibility": "public"}
		rec["id"] = "urn:ump:other" + version
		return form
	}
	for i, c := range []struct {
		name    string
		consent any
		warns   bool
	}{
		{"forbidden", vaulttest.Object{"exportable": false}, false},
		{"with more that cannot be read", vaulttest.Object{"exportable": true, "bogus": 1}, true},
		{"of another type", vaulttest.Object{"exportable": "no"}, true},
		{"that is no object", "none", true},
		{"with a path that is none", vaulttest.Object{"redact": []string{"id"}}, true},
	} {
		for role, who := range map[string]memory.Caller{"owner": h.Me(), "agent": h.Agent(), "peer": h.writer("t1")} {
			t.Run(fmt.Sprintf("AIMEM-4-1 %s, brought by the %s", c.name, role), func(t *testing.T) {
				text := fmt.Sprintf("consent %d %s", i, role)
				b := vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk(fmt.Sprintf("c%d%s", i, role), text, as("9.9", c.consent))}}
				r := h.TakesInAs(who, b, aimem.Import{})
				vaulttest.WantChunks(t, "it", r, 1, 0, 0, 0)
				if got := slices.Contains(vaulttest.Codes(r), aimem.WarnConsentUnread); got != c.warns {
					t.Errorf("warnings: %v", vaulttest.Codes(r))
				}
				if slices.Contains(h.Left(aimem.Export{}).Contents(), text) {
					t.Error("it leaves")
				}
			})
		}
	}
	t.Run("AIMEM-4-1 and where only the visibility is not kept", func(t *testing.T) {
		b := vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("p", "brought by a peer", as("0.1", vaulttest.Object{"redact": []string{"body.structured"}}))}}
		vaulttest.WantChunks(t, "it", h.TakesInAs(h.writer("t1"), b, aimem.Import{}), 1, 0, 0, 0)
		page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range page.Records {
			if rec.Body.Text == "brought by a peer" && (rec.Consent == nil || len(rec.Consent.Redact) != 1) {
				t.Errorf("consent %+v", rec.Consent)
			}
		}
	})
}
