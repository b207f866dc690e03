package vault_test

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// What may be exported anyway says nothing more by saying so: formats that know no
// consent give a memory back without it.
func TestImportKnowsWithoutConsent(t *testing.T) {
	yes, no := true, false
	for name, test := range map[string]struct {
		here, comes *memory.Consent
		created     int
	}{
		"it may be exported, and does not say so": {&memory.Consent{Exportable: &yes}, nil, 0},
		"it says so, and did not":                 {nil, &memory.Consent{Exportable: &yes}, 0},
		"an empty consent":                        {&memory.Consent{}, nil, 0},
		"it may not be exported":                  {&memory.Consent{Exportable: &no}, nil, 1},
		"it is to go":                             {nil, &memory.Consent{Retention: "P100Y"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			first, second := vaulttest.Drafts(h.Me().Owner, 1), vaulttest.Drafts(h.Me().Owner, 1)
			first.Records[0].Consent, second.Records[0].Consent = test.here, test.comes
			h.MustTake(first, vault.ImportOptions{Name: "first"})
			vaulttest.WantCounts(t, h.MustTake(second, vault.ImportOptions{Name: "second"}), test.created, 1-test.created)
		})
	}
}
