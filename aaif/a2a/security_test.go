package a2a_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/codec"
)

// TestSecurity: what a card asks of callers is told, though it may name no scope.
func TestSecurity(t *testing.T) {
	const v1, v03 = `"supportedInterfaces":[{"url":"https://w.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`, `"url":"https://w.example"`
	for name, c := range map[string]struct{ edition, member, value string }{
		"AAIF-11-3 0.3":                 {v03, "security", `[{"k":[]}]`},
		"AAIF-11-3 0.3 with a scope":    {v03, "security", `[{"k":["read"]}]`},
		"AAIF-11-3 0.3, or nothing":     {v03, "security", `[{}]`},
		"AAIF-11-2 1.0":                 {v1, "securityRequirements", `[{"schemes":{"k":{"list":[]}}}]`},
		"AAIF-11-2 1.0 with a scope":    {v1, "securityRequirements", `[{"schemes":{"k":{"list":["read"]}}}]`},
		"AAIF-11-2 1.0 of another form": {v1, "securityRequirements", `{"k":[]}`},
		"AAIF-11-2 schemes":             {v1, "securitySchemes", `{"k":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			asked := `,"` + c.member + `":` + c.value
			_, lost, err := from(exchangetest.Tree(t, `{"name":"N","description":"D",`+c.edition+`,"capabilities":{},"skills":[{"id":"a","name":"a","tags":[]`+asked+`}]`+asked+`}`))
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range []string{"/" + c.member, "/skills/0/" + c.member} {
				if at != "/skills/0/securitySchemes" && !slices.ContainsFunc(lost, func(l codec.Loss) bool { return l.Pointer == at && exchange.Matters(l) }) {
					t.Errorf("%s is not listed: %v", at, lost)
				}
			}
		})
	}
	t.Run("AAIF-11-2 a card that asks nothing is told nothing of", func(t *testing.T) {
		_, lost, err := from(exchangetest.Tree(t, `{"name":"N","description":"D",`+v1+`,"capabilities":{},"skills":[],"security":[],"securityRequirements":null}`))
		for _, l := range lost {
			if strings.HasPrefix(l.Pointer, "/security") || err != nil {
				t.Errorf("got %v %v", l, err)
			}
		}
	})
}

// TestCardOfOurs: a card of an agent is none of its definition.
func TestCardOfOurs(t *testing.T) {
	for _, edition := range []a2a.Version{a2a.V1, a2a.V03} {
		d, lost, err := from(card(t, edition))
		if err != nil {
			t.Fatal(err)
		}
		t.Run("AAIF-3-4 AAIF-12-6 it is not taken for the agent that it is of, "+string(edition), func(t *testing.T) {
			if d.Value.Has("agent_id") {
				t.Errorf("got %s", d.Document().Append(nil))
			}
			for at, words := range map[string]string{
				"/capabilities/extensions/0":                 "constraints and compliance",
				"/capabilities/extensions/0/params/agent_id": "agent_id",
			} {
				if !slices.ContainsFunc(lost, func(l codec.Loss) bool {
					return l.Pointer == at && strings.Contains(l.Reason, words) && strings.Contains(l.Reason, "AAIF-3-4") && strings.Contains(l.Reason, "AAIF-12-6") && exchange.Matters(l)
				}) {
					t.Errorf("%s is not listed: %v", at, lost)
				}
			}
		})
	}
	t.Run("AAIF-3-4 the card names the agent all the same", func(t *testing.T) {
		c, lost, err := a2a.To(aaif.ReadDefinition(exchangetest.Sample(t)), options(""))
		if err != nil || slices.ContainsFunc(lost, func(l codec.Loss) bool { return l.Pointer == "/agent_id" }) || !strings.Contains(string(c.Append(nil)), `"agent_id":"7b1f6d0e`) {
			t.Errorf("got %v %v", lost, err)
		}
	})
}
