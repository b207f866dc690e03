package a2a_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

func options(v a2a.Version) a2a.Options {
	return a2a.Options{URL: "https://agents.example/ledger", Version: v, Definition: "https://agents.example/ledger.aaif.json"}
}

func from(v canon.Value) (aaif.Definition, []codec.Loss, error) {
	return a2a.From(v, exchange.Options{})
}

func TestLaws(t *testing.T) {
	for _, version := range []a2a.Version{a2a.V1, a2a.V03} {
		to := func(d aaif.Definition) (canon.Value, []codec.Loss, error) { return a2a.To(d, options(version)) }
		t.Run("AAIF-11-3 "+string(version), func(t *testing.T) {
			exchangetest.Writing(t, exchangetest.Pair{To: to, From: from, Whole: true, Said: said})
		})
	}
	exchangetest.Reading(t, exchangetest.Reader{From: from, Silent: silent}, samples(t))
}

// said is what a card says, and nobody takes from it.
func said(at string) bool { return at == "/agent_id" }

// silent is what names the protocol, and what a card of ours repeats.
func silent(at string) bool {
	return at == "/protocolVersion" || at == "/preferredTransport" || strings.HasPrefix(at, "/capabilities/extensions/0/")
}

func card(t *testing.T, v a2a.Version) canon.Value {
	t.Helper()
	c, _, err := a2a.To(aaif.ReadDefinition(exchangetest.Sample(t)), options(v))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCard(t *testing.T) {
	t.Run("AAIF-11-2 what a card says", func(t *testing.T) {
		want := `{"name":"Ledger clerk","description":"Books what comes in.","version":"1.2.0",` +
			`"supportedInterfaces":[{"url":"https://agents.example/ledger","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],` +
			`"provider":{"organization":"Acme","url":"https://agents.example"},` +
			`"capabilities":{"streaming":true,"extensions":[{"uri":"https://schemacommons.org/SC-006/agent.schema.json","description":"The agent is defined in AAIF (SC-006).","required":false,` +
			`"params":{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","definition":"https://agents.example/ledger.aaif.json"}}]},` +
			`"defaultInputModes":["application/json"],"defaultOutputModes":["application/json"],` +
			`"skills":[{"id":"booking","name":"booking","description":"Keep the ledger in order.","tags":["booking","ledger","monthly"]},` +
			`{"id":"dunning","name":"dunning","description":"Keep the ledger in order.","tags":["dunning","ledger","monthly"]}]}`
		if got := string(card(t, "").Append(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	t.Run("AAIF-11-2 no instructions, endpoint, constraint or memory leaks", func(t *testing.T) {
		got := string(card(t, a2a.V1).Append(nil))
		for _, private := range []string{"Book every receipt", "ledger.example", "mcp://", "LEDGER_KEY", "Never delete", "Acme Ltd", "models.example", "otel.example"} {
			if strings.Contains(got, private) {
				t.Errorf("the card says %q", private)
			}
		}
	})
	t.Run("AAIF-11-3 a card of 0.3", func(t *testing.T) {
		c := card(t, a2a.V03)
		for name, want := range map[string]string{"protocolVersion": "0.3.0", "url": "https://agents.example/ledger", "preferredTransport": "JSONRPC"} {
			if got := c.Get(name).Text(); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		if c.Has("supportedInterfaces") || a2a.Edition(c) != a2a.V03 || a2a.Edition(card(t, a2a.V1)) != a2a.V1 {
			t.Error("the editions are not told apart")
		}
	})
	t.Run("AAIF-3-4 AAIF-12-6 constraints and compliance are told once each", func(t *testing.T) {
		_, lost, err := a2a.To(aaif.ReadDefinition(exchangetest.Sample(t)), options(""))
		var told []string
		for _, l := range lost {
			if strings.HasPrefix(l.Pointer, "/agent/co") && strings.Contains(l.Reason, "binds nobody") {
				told = append(told, l.Pointer)
			}
		}
		if got := strings.Join(told, " "); got != "/agent/compliance /agent/constraints" || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("AAIF-11-2 an agent without skills has one for its goal", func(t *testing.T) {
		v := exchangetest.Tree(t, `{"sc_standard":"SC-006","agent":{"name":"N","goal":"Help."}}`)
		c, lost, err := a2a.To(aaif.ReadDefinition(v), options(""))
		if err != nil || len(lost) != 0 {
			t.Fatal(lost, err)
		}
		if got := string(c.Get("skills").Append(nil)); got != `[{"id":"goal","name":"N","description":"Help.","tags":["goal"]}]` || c.Get("version").Text() != "0.0.0" {
			t.Errorf("got %s", c.Append(nil))
		}
	})
	t.Run("AAIF-11-2 the address is an argument", func(t *testing.T) {
		for url, code := range map[string]aaif.Code{"": aaif.Incomplete, "ledger": aaif.Incomplete, "ftp://h/x": aaif.Incomplete, "http://h": ""} {
			_, _, err := a2a.To(aaif.ReadDefinition(exchangetest.Sample(t)), a2a.Options{URL: url})
			if aaif.CodeOf(err) != code {
				t.Errorf("%q: got %v", url, err)
			}
		}
	})
	t.Run("AAIF-11-3 another edition is refused", func(t *testing.T) {
		_, _, err := a2a.To(aaif.ReadDefinition(exchangetest.Sample(t)), options("0.2"))
		if aaif.CodeOf(err) != aaif.VersionUnsupported {
			t.Errorf("got %v", err)
		}
	})
}
