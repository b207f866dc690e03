package a2a_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/codec"
)

// TestAddressesOfCards: a card is public, and so are the addresses in it.
func TestAddressesOfCards(t *testing.T) {
	d := aaif.ReadDefinition(exchangetest.Tree(t, `{"sc_standard":"SC-006","agent":{"name":"N","goal":"G"},"provenance":{"authored_by":"acme"}}`))
	const good = "https://h.example/a"
	for name, c := range map[string]struct {
		o  a2a.Options
		at string
	}{
		"a password":                  {a2a.Options{URL: "https://bob:hunter2pw@h.example/a"}, "/url"},
		"a name":                      {a2a.Options{URL: "https://bob@h.example/a"}, "/url"},
		"a key":                       {a2a.Options{URL: good + "?api_key=hunter2"}, "/url"},
		"a token of a definition":     {a2a.Options{URL: good, Definition: "https://d.example/d.json?v=2&access_token=abc"}, "/definition"},
		"a signature of a definition": {a2a.Options{URL: good, Definition: "https://d.example/d.json?X-Amz-Signature=abc"}, "/definition"},
		"a password of a homepage":    {a2a.Options{URL: good, Homepage: "https://bob:pw@d.example"}, "/homepage"},
		"a fragment with a token":     {a2a.Options{URL: good + "#access_token=abc"}, "/url"},
	} {
		t.Run("AAIF-11-2 "+name, func(t *testing.T) {
			_, _, err := a2a.To(d, c.o)
			p, ok := err.(*codec.ParseError)
			if !ok || aaif.CodeOf(err) != aaif.InlineSecret || p.Path != c.at {
				t.Errorf("got %v", err)
			}
		})
	}
	for _, o := range []a2a.Options{{URL: good + "?tenant=blue"}, {URL: good, Definition: "https://d.example/d.json?version=2"}} {
		if _, _, err := a2a.To(d, o); err != nil {
			t.Errorf("AAIF-11-2: got %v", err)
		}
	}
}
