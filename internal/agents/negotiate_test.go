package agents_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/memory"
)

// lacking is a platform that has neither batches nor MCP.
func lacking(o *aaif.Offer) { o.Capabilities.Tool.MCP, o.Batch = false, false }

// needy is a definition signed by the owner, of a safety level, that needs what is
// there and what is not.
func (h *house) needy(level string, more ...string) string {
	raw := definition(append(more, `"required_capabilities":["io.batch","tool.http","tool.mcp"]`, `"compliance":{"safety_level":"`+level+`"}`)...)
	return text(aaif.Sign(value(h.t, raw), h.key))
}

func TestNegotiation(t *testing.T) {
	t.Run("AAIF-7-7 AAIF-7-2 strict: rejected with all that is lacking", func(t *testing.T) {
		h := open(t, running(lacking))
		err := h.refuses(h.needy("strict"), aaif.UnsatisfiedCapabilities)
		if said := err.Error(); !strings.Contains(said, "io.batch") || !strings.Contains(said, "tool.mcp") || strings.Contains(said, "tool.http") {
			t.Errorf("got %v", err)
		}
		if n := len(h.log(audit.TurnDown)); n != 0 {
			t.Errorf("%d entries", n)
		}
	})
	t.Run("AAIF-7-8 AAIF-7-9 regulated: rejected, and logged once", func(t *testing.T) {
		h := open(t, running(lacking))
		h.refuses(h.needy("regulated", `"description":"my secret wish"`), aaif.UnsatisfiedCapabilities)
		log := h.log(audit.TurnDown)
		if len(log) != 1 || !slices.Equal(log[0].Needs, []string{"io.batch", "tool.mcp"}) || !log[0].At.Equal(start) {
			t.Fatalf("logged %+v", log)
		}
		if log[0].Agent == "" || log[0].Agent != h.vault.AuditMark(h.owner(), agentID) || log[0].Result != string(aaif.UnsatisfiedCapabilities) {
			t.Errorf("logged %+v", log[0])
		}
	})
	t.Run("AAIF-7-9 regulated: what is refused before its needs are asked for is logged with them", func(t *testing.T) {
		h := open(t, running(lacking))
		unsigned := definition(`"required_capabilities":["tool.mcp"]`, `"compliance":{"safety_level":"regulated","audit_log":false}`)
		h.refuses(strings.Replace(unsigned, agentID, strings.ToUpper(agentID), 1), aaif.SignatureMissing)
		log := h.log(audit.TurnDown)
		if len(log) != 1 || !slices.Equal(log[0].Needs, []string{"tool.mcp"}) || log[0].Agent != h.vault.AuditMark(h.owner(), agentID) ||
			log[0].Result != string(aaif.SignatureMissing) {
			t.Errorf("logged %+v", log)
		}
		h.refuses(strings.Replace(unsigned, "regulated", "strict", 1), aaif.SignatureMissing)
		if log := h.log(audit.TurnDown); len(log) != 1 {
			t.Errorf("strict is logged, too: %+v", log)
		}
	})
	t.Run("AAIF-7-9 a dry run is not logged", func(t *testing.T) {
		h := open(t, running(lacking))
		_, err := h.Intake(context.Background(), h.owner(), []byte(h.needy("regulated")), aaif.IntakeOptions{DryRun: true})
		if aaif.CodeOf(err) != aaif.UnsatisfiedCapabilities || len(h.log(audit.TurnDown)) != 0 {
			t.Errorf("got %v", err)
		}
	})
	for _, level := range []string{"minimal", "standard"} {
		t.Run("AAIF-U.P-1 "+level+": taken in, and what is off is said", func(t *testing.T) {
			h := open(t, running(lacking))
			r := h.taken(h.needy(level))
			if !slices.Equal(r.Disabled, []string{"io.batch", "tool.mcp"}) || r.Negotiation.Verdict != aaif.Degraded {
				t.Errorf("got %+v", r)
			}
			if said := strings.Join(r.Warnings, "\n"); !strings.Contains(said, "io.batch") || !strings.Contains(said, "tool.mcp") {
				t.Errorf("warned of %q", r.Warnings)
			}
		})
	}
	t.Run("AAIF-7-10 without a level it is standard", func(t *testing.T) {
		r := open(t, running(lacking)).taken(definition(`"required_capabilities":["io.batch"]`))
		if r.Negotiation.Safety != aaif.Standard || !slices.Equal(r.Disabled, []string{"io.batch"}) {
			t.Errorf("got %+v", r)
		}
	})
	const tool = `"tools":[{"name":"t","description":"d","protocol":"mcp","endpoint":"mcp://server/tool"}]`
	t.Run("AAIF-7-11 what is used is needed", func(t *testing.T) {
		h := open(t, running(lacking))
		r := h.taken(definition(tool))
		if !slices.Contains(r.Disabled, "tool.mcp") {
			t.Errorf("got %+v", r)
		}
		h.refuses(text(aaif.Sign(value(t, definition(tool, `"compliance":{"safety_level":"strict"}`)), h.key)), aaif.UnsatisfiedCapabilities)
	})
	t.Run("AAIF-7-12 no safety feature is skipped", func(t *testing.T) {
		for _, feature := range []string{
			`"constraints":["Never reveal the code word zebra"]`, `"compliance":{"safety_level":"minimal","audit_log":true}`,
			`"compliance":{"data_residency":"EU"}`, `"compliance":{"human_in_the_loop":{"enabled":true}}`, `"compliance":{"pii_handling":"anonymize"}`,
		} {
			open(t).refuses(definition(feature), aaif.UnsatisfiedCapabilities)
			open(t, running()).taken(definition(feature))
		}
	})
}

func TestManifest(t *testing.T) {
	published := func(t *testing.T, h *house) aaif.Manifest {
		m, err := h.Manifest(context.Background())
		if err := errors.Join(err, m.Publishable()); err != nil {
			t.Fatal(err)
		}
		return m
	}
	t.Run("AAIF-7-13 AAIF-7-14 what is in force", func(t *testing.T) {
		m := published(t, open(t, func(o *agents.Options) { o.URL, o.Release = "https://here.example", "1.0" }))
		p := m.Platform
		if p.Level != aaif.Core || len(p.Versions) == 0 || p.Intake.URL != "https://here.example/aaif/agents" || p.Intake.MaxBytes != 1<<20 {
			t.Errorf("got %+v", p)
		}
	})
	t.Run("AAIF-7-15 nothing is claimed that needs a run", func(t *testing.T) {
		if claimed := published(t, open(t)).Offered(); len(claimed) > 0 {
			t.Errorf("claims %q", claimed)
		}
		all := published(t, open(t, running())).Offered()
		some := published(t, open(t, running(lacking))).Offered()
		if !slices.Contains(all, "tool.mcp") || slices.Contains(some, "tool.mcp") || !slices.Contains(some, "tool.http") {
			t.Errorf("claims %q, %q", all, some)
		}
	})
	t.Run("AAIF-6-19 no report without a run", func(t *testing.T) {
		if _, err := open(t).Report(context.Background()); memory.KindOf(err) != memory.NotFound {
			t.Errorf("got %v", err)
		}
		h := open(t, func(o *agents.Options) {
			o.Shown = func() (aaif.Evidence, error) {
				return aaif.Evidence{Consumer: aaif.Suite{Corpus: "own", Passed: 18, Total: 18, RanAt: start}, Shown: []string{"AAIF-6-2", "AAIF-12-4", "AAIF-7-2"}}, nil
			}
			o.Signer = seeded(t, 8)
		})
		r, err := h.Report(context.Background())
		if err != nil || len(r.Claims) != 1 || r.Claims[0].Level != aaif.Core || r.Attestation.Signature == "" {
			t.Errorf("got %+v, %v", r, err)
		}
		if err := r.Publishable(); err != nil {
			t.Error(err)
		}
	})
}

func TestSecrets(t *testing.T) {
	const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	tool := func(description string) string {
		return definition(`"tools":[{"name":"t","description":` + quoted(description) + `}]`)
	}
	t.Run("AAIF-12-4 AAIF-12-3 inline secrets are refused by their place, and not repeated", func(t *testing.T) {
		h := open(t, running())
		for _, raw := range []string{tool("use " + token), definition(`"instructions":"use ` + token + `"`), text(aaif.Sign(value(t, tool(token)), h.key))} {
			err := h.refuses(raw, aaif.InlineSecret)
			var p *codec.ParseError
			if !errors.As(err, &p) || !strings.HasPrefix(p.Path, "/agent/") || strings.Contains(err.Error(), token) {
				t.Errorf("got %v", err)
			}
		}
	})
	t.Run("AAIF-12-4 what is allowed by the operator is no secret", func(t *testing.T) {
		allow := func(pointer, text string) bool {
			return pointer == "/agent/tools/0/description" && strings.Contains(text, token)
		}
		open(t, running(), func(o *agents.Options) { o.Allow = allow }).taken(tool("use " + token))
	})
}

// TestOrder breaks more and more of a definition: what is found first is what comes
// first in the order of an intake.
func TestOrder(t *testing.T) {
	h := open(t)
	if err := trust.New(h.vault).TrustProducer(context.Background(), h.owner(), "acme", []aimem.Key{aimem.PublicKey(seeded(t, 9))}); err != nil {
		t.Fatal(err)
	}
	raw := definition(`"constraints":["c"]`)
	h.refuses(raw, aaif.UnsatisfiedCapabilities)
	raw = strings.Replace(raw, `"goal":"`, `"goal":"ghp_16C7e42F292c6912E7710c838347Ae178B4a `, 1)
	h.refuses(raw, aaif.InlineSecret)
	raw = strings.Replace(text(aaif.Sign(value(t, strings.Replace(raw, `"agent":`, `"provenance":{"authored_by":"acme"},"agent":`, 1)), seeded(t, 9))), "Example", "Other", 1)
	h.refuses(raw, aaif.SignatureInvalid)
	raw = strings.Replace(raw, `"agent":`, `"status":"deprecated","agent":`, 1)
	h.refuses(raw, aaif.AgentDeprecated)
	raw = strings.Replace(raw, `"constraints":["c"]`, `"constraints":7`, 1)
	h.refuses(raw, aaif.SchemaViolation)
	h.refuses(raw+strings.Repeat(" ", 1<<20), aaif.TooLarge)
}

// TestLacks: what is off for an agent when it comes is off when it is listed.
func TestLacks(t *testing.T) {
	h := open(t)
	r := h.taken(definition(`"tools":[{"name":"pay","protocol":"function","description":"Pays","parameters_schema":{"type":"object"}}]`))
	list, err := h.Agents(context.Background(), h.owner(), "", 10)
	if err != nil || len(list) != 1 || len(r.Disabled) == 0 || !slices.Equal(list[0].Off, r.Disabled) || len(list[0].CannotRun) > 0 {
		t.Errorf("AAIF-7-6: taken in without %q, listed %+v, %v", r.Disabled, list, err)
	}
}
