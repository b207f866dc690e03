package a2a_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
)

// foreign is a card of somebody who does not know AAIF.
const foreign = `{"protocolVersion":"0.3.0","name":"Weather","description":"Tells the weather.","url":"https://w.example/a2a","preferredTransport":"GRPC",
	"additionalInterfaces":[{"url":"https://w.example/rest","transport":"HTTP+JSON"}],"iconUrl":"https://w.example/i.png","version":"2.1.0",
	"provider":{"organization":"Sky Ltd","url":"https://w.example"},"capabilities":{"streaming":true,"pushNotifications":true},
	"securitySchemes":{"b":{"type":"http","scheme":"bearer"}},"security":[{"b":[]}],"defaultInputModes":["text/plain","image/png"],"defaultOutputModes":["text/markdown"],
	"skills":[{"id":"forecast","name":"Forecast","description":"Days ahead.","tags":["forecast","days"],"examples":["Rain tomorrow?"],"inputModes":["text/plain"]},
	{"id":"now","name":"now","description":"","tags":["days","hours"]}],"signatures":[{"protected":"eyJhbGciOiJFUzI1NiJ9","signature":"QFdkNLNszlGj3z3u0YQGt"}]}`

func samples(t testing.TB) map[string]canon.Value {
	v := exchangetest.Tree(t, foreign)
	one := exchangetest.Tree(t, `{"name":"Weather","description":"Tells.","version":"1.0","supportedInterfaces":[{"url":"https://w.example","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":"t"}],
		"capabilities":{"extensions":[{"uri":"https://x.example/ext","required":true}],"extendedAgentCard":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"a","name":"A","description":"Does a.","tags":["t"]}],"documentationUrl":"https://w.example/doc"}`)
	return map[string]canon.Value{"a card of 0.3": v, "a card of 1.0": one}
}

func TestFrom(t *testing.T) {
	d, lost, err := from(exchangetest.Tree(t, foreign))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AAIF-11-2 a card of another becomes a definition", func(t *testing.T) {
		want := `{"sc_standard":"SC-006","sc_version":"3.4.0","provenance":{"source_platform":"a2a","authored_by":"Sky Ltd"},` +
			`"agent":{"name":"Weather","description":"Tells the weather.","version":"2.1.0","io":{"streaming":true,"format":"markdown"},"skills":["forecast","now"],"goal":"Tells the weather."},"tags":["days","hours"]}`
		exchangetest.Same(t, d, want)
	})
	t.Run("AAIF-11-2 and what it has no place for is listed", func(t *testing.T) {
		listed := map[string]bool{}
		for _, l := range lost {
			listed[l.Pointer] = true
		}
		for _, at := range []string{"", "/url", "/additionalInterfaces", "/iconUrl", "/provider/url", "/capabilities/pushNotifications", "/securitySchemes", "/defaultInputModes",
			"/skills/0/name", "/skills/0/description", "/skills/0/examples", "/skills/0/inputModes", "/skills"} {
			if !listed[at] {
				t.Errorf("%q is not listed: %v", at, lost)
			}
		}
	})
}

func FuzzFrom(f *testing.F) {
	exchangetest.Fuzz(f, exchangetest.JSON, from, []byte(foreign), []byte(`{"name":"n","supportedInterfaces":[],"skills":[{"id":"goal","description":"g"}]}`))
}
