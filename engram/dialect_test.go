package engram_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

func TestUnsigned(t *testing.T) {
	for name, raw := range map[string][]byte{
		"a text":    change(t, "/signature", `"unsigned-v1"`),
		"an object": change(t, "/signature", `{"kid":"key-1","algorithm":"Ed25519","value":"unsigned-v1"}`),
	} {
		t.Run("ENGRAM-12.6-2 unsigned-v1 is never verified: "+name, func(t *testing.T) {
			o := expected(t)
			if got := reason(t, raw, o); got != engram.NotSigned {
				t.Errorf("got %q", got)
			}
			o.AllowUnsigned = true
			if got, err := engram.Verify(raw, o); err != nil || got.Trust != engram.Unverified || got.Kid != "" {
				t.Errorf("got %+v, %v", got, err)
			}
			o.Now = noon(t).Add(24 * time.Hour)
			if got := reason(t, raw, o); got != engram.Expired { // ENGRAM-12.6-3
				t.Errorf("got %q", got)
			}
			o.Now, o.Issuer = noon(t), "https://evil.example"
			if got := reason(t, raw, o); got != engram.IssuerMismatch {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("ENGRAM-12.6-1 a real signature may stand in an object, with its kid", func(t *testing.T) {
		v := tree(t, string(issued(t))).Without("kid").Without("signature")
		raw := tree(t, string(resigned(t, v, jcs)))
		object := canon.Object(canon.Member{Name: "kid", Value: canon.String("key-2026-05")}, canon.Member{Name: "value", Value: raw.Get("signature")})
		got, err := engram.Verify(raw.With("signature", object).Append(nil), expected(t))
		if err != nil || got.Trust != engram.Verified || got.Kid != "key-2026-05" || len(got.Warnings) == 0 {
			t.Errorf("got %+v, %v", got, err)
		}
		object = object.With("algorithm", canon.String("RS256"))
		if got := reason(t, raw.With("signature", object).Append(nil), expected(t)); got != engram.MalformedSignature {
			t.Errorf("got %q", got)
		}
	})
}

// dialect is how one reference store writes (decision E-04).
const dialect = `{"engram_version":"0.1","issued_at":"2026-05-01T10:00:00.123456+02:00","expires_at":"2026-05-02T10:00:00.123456+02:00",
"issuer":"http://localhost:8000","subject":"local-user","scope":"full","signature":{"kid":"key-1","algorithm":"Ed25519","value":"unsigned-v1"},
"identity":{"display_name":"Noor","timezone":"Europe/Lisbon","language":"en"},
"beliefs":[{"id":"belief-7","category":"communication","key":"tone","value":"plain","confidence":0.8,"source":"preference","status":"active","created_at":"2026-04-01T10:00:00+02:00"}],
"corrections":[{"id":"c1","belief_id":"belief-7","corrected_at":"2026-04-02T10:00:00+02:00","old_value":null,"new_value":"plain","method":"resolved_conflict"}]}`

func TestDialect(t *testing.T) {
	t.Run("ENGRAM-3.6-5 the dialect of the reference store is read, with warnings", func(t *testing.T) {
		got, err := engram.Verify([]byte(dialect), engram.VerifyOptions{Issuer: "http://localhost:8000/", AllowUnsigned: true, Now: noon(t)})
		if err != nil || got.Trust != engram.Unverified {
			t.Fatalf("got %+v, %v", got, err)
		}
		d := got.Document
		if d.Issuer.URL != "http://localhost:8000" || d.Subject.ID != "local-user" || !d.Signature.Object || d.Beliefs[0].Source != "preference" ||
			d.Evolution != nil || d.Corrections[0].Method != "resolved_conflict" || !d.IssuedAt.Equal(at(t, "2026-05-01T08:00:00.123456Z")) {
			t.Errorf("got %+v", d)
		}
		warned := map[string]bool{}
		for _, w := range got.Warnings {
			warned[w.Pointer] = w.Warning
		}
		for _, pointer := range []string{"/issuer", "/subject", "/kid", "/evolution", "/signature", "/beliefs/0/id", "/corrections/0/old_value", "/corrections/0/corrected_by"} {
			if !warned[pointer] {
				t.Errorf("no warning at %s: %+v", pointer, got.Warnings)
			}
		}
		checkSchema(t, schema(t, engram.TolerantRead), []byte(dialect), false)
		checkSchema(t, schema(t, engram.StrictWrite), []byte(dialect), true)
	})
	t.Run("ENGRAM-3.2-25 it is written as it was read", func(t *testing.T) {
		raw, err := engram.Encode(parsed(t, []byte(dialect)))
		if err != nil || !canon.Identical(tree(t, string(raw)), tree(t, dialect)) {
			t.Errorf("got %s, %v", raw, err)
		}
	})
}
