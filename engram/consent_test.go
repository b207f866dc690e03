package engram_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/engram"
)

func TestConsents(t *testing.T) {
	w := view(t)
	without, err := signer(t).Issue(w, noon(t))
	if err != nil {
		t.Fatal(err)
	}
	w.Consents = []engram.Consent{{ID: "g1", GrantedTo: "https://tax.example", Name: "tax", Scope: engram.Custom, Categories: []engram.Category{engram.Health}, Purpose: "this year",
		GrantedAt: noon(t), ExpiresAt: noon(t).Add(time.Hour), RevokedAt: noon(t).Add(time.Minute)}}
	raw, err := signer(t).Issue(w, noon(t))
	if err != nil {
		t.Fatal(err)
	}
	const entry = `"consents":[{"categories":["health"],"expires_at":"2026-05-01T13:00:00Z","granted_at":"2026-05-01T12:00:00Z","granted_to":"https://tax.example",` +
		`"id":"g1","name":"tax","purpose":"this year","revoked_at":"2026-05-01T12:01:00Z","scope":"custom"}]`
	t.Run("ENGRAM-12.1-4 the signature covers consents", func(t *testing.T) {
		if !bytes.Contains(raw, []byte(entry)) || bytes.Contains(without, []byte("consents")) {
			t.Fatalf("%s", raw)
		}
		if why := reason(t, raw, expected(t)); why != "" {
			t.Error(why)
		}
		forged := bytes.Replace(raw, []byte(`,"revoked_at":"2026-05-01T12:01:00Z"`), nil, 1)
		if why := reason(t, forged, expected(t)); why != engram.BadSignature {
			t.Errorf("without revoked_at: %q", why)
		}
	})
	t.Run("ENGRAM-12.1-4 readers of 0.1 ignore consents", func(t *testing.T) {
		checkSchema(t, schema(t, engram.StrictWrite), raw, false)
		checkSchema(t, schema(t, engram.TolerantRead), raw, false)
		if got := engram.Validate(raw, true); len(got) != 0 {
			t.Errorf("%+v", got)
		}
		d, warnings, err := engram.Parse(raw, engram.ReadOptions{})
		if err != nil || len(warnings) != 0 || !d.HasConsents() {
			t.Fatalf("%v %v", warnings, err)
		}
		if diff := cmp.Diff(parsed(t, without).Memory.Beliefs[0].Wire().Append(nil), d.Beliefs[0].Wire().Append(nil)); diff != "" {
			t.Error(diff)
		}
		again, err := engram.Encode(d)
		if err != nil || !bytes.Equal(again, raw) {
			t.Errorf("%v: %s", err, again)
		}
	})
}
