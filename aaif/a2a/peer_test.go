package a2a_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	peer "github.com/a2aproject/a2a-go/a2a"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
)

// decoded reads a card as the library of the A2A project does, which has no member that
// is not known to it.
func decoded(t *testing.T, c canon.Value) peer.AgentCard {
	t.Helper()
	var card peer.AgentCard
	d := json.NewDecoder(bytes.NewReader(c.Append(nil)))
	d.DisallowUnknownFields()
	if err := d.Decode(&card); err != nil {
		t.Fatal(err)
	}
	return card
}

// TestPeerDecodes holds cards of A2A 0.3 to what the library of that edition reads.
func TestPeerDecodes(t *testing.T) {
	c := decoded(t, card(t, a2a.V03))
	t.Run("AAIF-11-3 of 0.3", func(t *testing.T) {
		if c.URL != "https://agents.example/ledger" || c.PreferredTransport != peer.TransportProtocolJSONRPC || c.ProtocolVersion != "0.3.0" {
			t.Errorf("got %s by %s, %s", c.URL, c.PreferredTransport, c.ProtocolVersion)
		}
	})
	t.Run("AAIF-11-2 what it says", func(t *testing.T) {
		if c.Name != "Ledger clerk" || c.Description != "Books what comes in." || c.Version != "1.2.0" || !c.Capabilities.Streaming || c.Provider.Org != "Acme" ||
			!slices.Equal(c.DefaultInputModes, []string{"application/json"}) || !slices.Equal(c.DefaultOutputModes, []string{"application/json"}) {
			t.Errorf("got %+v", c)
		}
		if len(c.Skills) != 2 || c.Skills[0].ID != "booking" || c.Skills[1].ID != "dunning" || len(c.Skills[0].Tags) == 0 {
			t.Errorf("got %+v", c.Skills)
		}
		if len(c.Capabilities.Extensions) != 1 || c.Capabilities.Extensions[0].URI != a2a.Extension || c.Capabilities.Extensions[0].Params["sc_standard"] != "SC-006" {
			t.Errorf("got %+v", c.Capabilities.Extensions)
		}
	})
}
