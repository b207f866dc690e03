package pam_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/importers/importtest"
	"github.com/satchel-memory/satchel/importers/pam"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// A signature of a document that did not change stays; it goes with a change.
func TestSignatures(t *testing.T) {
	key, err := keys.Generate(strings.NewReader(strings.Repeat("x", 64)))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := write(t, record(memory.Semantic, "a", "Has a cat."))
	v := parsed(t, text).With("export_id", canon.String("e-1")).With("export_date", canon.String("2026-01-01T00:00:00Z"))
	payload := canon.Object(
		canon.Member{Name: "checksum", Value: v.Get("integrity").Get("checksum")}, canon.Member{Name: "export_id", Value: v.Get("export_id")},
		canon.Member{Name: "export_date", Value: v.Get("export_date")}, canon.Member{Name: "owner_id", Value: v.Get("owner").Get("id")},
	)
	signature := signature(t, key, payload.AppendCanonical(nil))
	sign := func(v canon.Value, value string) string {
		return string(v.With("signature", canon.Object(
			canon.Member{Name: "algorithm", Value: canon.String("Ed25519")}, canon.Member{Name: "public_key", Value: canon.String(strings.TrimPrefix(string(key.DID()), "did:key:"))},
			canon.Member{Name: "value", Value: canon.String(value)}, canon.Member{Name: "signed_at", Value: canon.String("2026-01-01T00:00:01Z")},
		)).Append(nil))
	}
	for name, test := range map[string]struct {
		text string
		lost bool
	}{
		"it fits":       {sign(v, base64.RawURLEncoding.EncodeToString(signature)), false},
		"with padding":  {sign(v, base64.URLEncoding.EncodeToString(signature)), false},
		"another date":  {sign(v.With("export_date", canon.String("2026-01-02T00:00:00Z")), base64.RawURLEncoding.EncodeToString(signature)), true},
		"another owner": {sign(v.With("owner", canon.Object(canon.Member{Name: "id", Value: canon.String("x")})), base64.RawURLEncoding.EncodeToString(signature)), true},
		"no signature":  {sign(v, "%"), true},
		"no date":       {sign(v.Without("export_date"), base64.RawURLEncoding.EncodeToString(signature)), true},
	} {
		t.Run(name, func(t *testing.T) {
			src := importtest.File("x.json", test.text)
			records, losses, err := importtest.Check(t, pam.Format(), src, importtest.Options())
			if err != nil || (len(reasons(losses, "/signature")) == 1) != test.lost {
				t.Fatal(err, losses)
			}
			warnings := 0
			strict := importtest.Options()
			strict.Strict = true
			if err := pam.Format().Validate(src, strict, func(p *codec.ParseError) {
				if warnings++; !p.Warning || p.Rule != "PAM-6" {
					t.Errorf("got %v", p)
				}
			}); err != nil || (warnings == 1) != test.lost {
				t.Errorf("%d warnings, %v", warnings, err)
			}
			if got, _ := write(t, records...); !canon.Equal(parsed(t, got), parsed(t, test.text)) {
				t.Errorf("unchanged, it is\n%s", got)
			}
			records[0].Body.Text = "Has a dog."
			got, losses := write(t, records...)
			if parsed(t, got).Has("signature") || len(reasons(losses, "/signature")) != 1 {
				t.Errorf("changed, it is\n%s", got)
			}
		})
	}
}

func signature(t *testing.T, key keys.Private, message []byte) []byte {
	t.Helper()
	s := key.Sign(message)
	if len(s) != ed25519.SignatureSize {
		t.Fatal("no signature")
	}
	return s
}
