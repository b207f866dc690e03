package engram_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

func TestVerify(t *testing.T) {
	t.Run("ENGRAM-1-6 an export and the list of keys are all that it takes", func(t *testing.T) {
		got, err := engram.Verify(issued(t), expected(t))
		if err != nil || got.Trust != engram.Verified || got.Kid != "key-2026-05" || got.Document.Beliefs[0].Key != "radio_style" || len(got.Warnings) != 0 {
			t.Errorf("got %+v, %v", got, err)
		}
		if !got.Until.Equal(noon(t).Add(12 * time.Hour)) {
			t.Errorf("until %s", got.Until)
		}
	})
	t.Run("ENGRAM-3.8-31 nobody's secret is needed, and who is unknown is not trusted", func(t *testing.T) {
		o := expected(t)
		o.Issuer = ""
		if got, err := engram.Verify(issued(t), o); err != nil || got.Trust != engram.Unrecognised {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	for name, c := range refusals(t) {
		t.Run(name, func(t *testing.T) {
			o := expected(t)
			if c.expect != nil {
				c.expect(&o)
			}
			raw := c.raw
			if raw == nil {
				raw = issued(t)
			}
			if got := reason(t, raw, o); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

type refusalCase struct {
	raw    []byte // nil: what the test's signer issues
	expect func(*engram.VerifyOptions)
	want   engram.Reason
}

// refusals are exports that are good but for one thing.
func refusals(t *testing.T) map[string]refusalCase {
	v := tree(t, string(issued(t)))
	signed := func(pointer, raw string) []byte { return resigned(t, edited(t, v, pointer, raw), jcs) }
	sig := v.Get("signature").Text()
	with := func(s string) []byte { return v.With("signature", canon.String(s)).Append(nil) }
	unasked := func(o *engram.VerifyOptions) {
		o.Keys = func(bool) ([]engram.Key, error) { t.Error("the keys were asked for"); return nil, nil }
	}
	other := engram.NewKey("key-2026-05-2", otherKey(t).Public(), at(t, "2026-04-01T00:00:00Z"))
	scoped := func(member string) []byte {
		return signed("/scope_definition", `{"included_categories":["health"],`+member+`}`)
	}
	return map[string]refusalCase{
		"ENGRAM-3.8-12 a flipped bit":                             {with(flip(sig)), nil, engram.BadSignature},
		"ENGRAM-3.8-9 no kid":                                     {signed("/kid", ""), unasked, engram.MissingKid},
		"ENGRAM-3.8-23 an empty kid":                              {signed("/kid", `""`), unasked, engram.MissingKid},
		"ENGRAM-3.8-23 a kid that is null":                        {signed("/kid", `null`), unasked, engram.MissingKid},
		"ENGRAM-3.8-11 a kid that is not listed":                  {signed("/kid", `"gone"`), nil, engram.UnknownKid},
		"ENGRAM-3.8-22 a key that was revoked":                    {nil, keysAre(other), engram.UnknownKid},
		"ENGRAM-3.2-11 a kid of another key":                      {signed("/kid", `"key-2026-05-2"`), keysAre(other, testListed(t)), engram.BadSignature},
		"ENGRAM-3.8-21 a key that is kept after rotation":         {nil, keysAre(other, testListed(t)), ""},
		"ENGRAM-3.8-24 a key that has expired":                    {nil, keyFrom(t, "2025-04-30T12:00:00Z"), engram.KeyExpired},
		"ENGRAM-3.8-24 a key that is younger than what it signed": {nil, keyFrom(t, "2026-05-01T12:00:01Z"), engram.KeyNotYet},
		"ENGRAM-3.8-10 keys that cannot be had": {nil, func(o *engram.VerifyOptions) {
			o.Keys = func(bool) ([]engram.Key, error) { return nil, errors.New("no network") }
		}, engram.NoKeys},
		"ENGRAM-3.8-11 nobody to ask for keys":              {nil, func(o *engram.VerifyOptions) { o.Keys = nil }, engram.UnknownKid},
		"ENGRAM-3.8-27 padding":                             {with(sig + "=="), nil, ""},
		"ENGRAM-3.8-27 too much padding":                    {with(sig + "="), unasked, engram.MalformedSignature},
		"ENGRAM-3.8-27 more padding than any text has":      {with(sig + "======"), unasked, engram.MalformedSignature},
		"ENGRAM-3.8-18 a key of another length":             {nil, keysAre(engram.Key{Kid: "key-2026-05", Public: make([]byte, 33), ExpiresAt: noon(t).Add(time.Hour)}), engram.UnknownKid},
		"ENGRAM-3.8-27 the other alphabet":                  {with("+/" + sig[2:]), unasked, engram.MalformedSignature},
		"ENGRAM-3.8-27 white space":                         {with(sig[:40] + "\n" + sig[40:]), unasked, engram.MalformedSignature},
		"ENGRAM-3.8-27 63 bytes":                            {with(base64.RawURLEncoding.EncodeToString(make([]byte, 63))), unasked, engram.MalformedSignature},
		"ENGRAM-3.8-27 bits that are not used":              {with(sig[:85] + unused(sig[85])), unasked, engram.MalformedSignature},
		"ENGRAM-3.8-27 no signature":                        {v.Without("signature").Append(nil), unasked, engram.MalformedSignature},
		"ENGRAM-3.8-13 it ended a second ago":               {nil, after(t, 12*time.Hour+time.Second), engram.Expired},
		"ENGRAM-3.8-13 it ends this second":                 {nil, after(t, 12*time.Hour), engram.Expired},
		"ENGRAM-3.8-13 it ends in a second":                 {nil, after(t, 12*time.Hour-time.Second), ""},
		"ENGRAM-3.2-9 no expiry":                            {signed("/expires_at", ""), nil, engram.Expired},
		"ENGRAM-3.2-8 an expiry of null":                    {signed("/expires_at", "null"), nil, engram.Expired},
		"ENGRAM-3.2-3 issued in five minutes":               {nil, after(t, -5*time.Minute), ""},
		"ENGRAM-3.2-3 issued in more than five minutes":     {nil, after(t, -5*time.Minute-time.Second), engram.FromTheFuture},
		"ENGRAM-3.8-26 an issuer that is not expected":      {signed("/issuer/url", `"https://evil.example"`), unasked, engram.IssuerMismatch},
		"ENGRAM-3.8-26 an issuer without https":             {signed("/issuer/url", `"http://harbour.example"`), unasked, engram.IssuerMismatch},
		"ENGRAM-3.8-26 the same issuer in another spelling": {signed("/issuer/url", `"https://HARBOUR.example:443/"`), nil, ""},
		"ENGRAM-3.7-8 a grant that has ended":               {scoped(`"valid_until":"2026-05-01T11:00:00Z"`), nil, engram.Expired},
		"ENGRAM-3.7-8 a grant does not make it live longer": {scoped(`"valid_until":"2026-09-01T11:00:00Z"`), after(t, 13*time.Hour), engram.Expired},
		"ENGRAM-3.7-22 one that was issued to another":      {scoped(`"issued_to":"urn:rt:b"`), audience("urn:rt:a"), engram.WrongAudience},
		"ENGRAM-3.7-22 one that was issued to this":         {scoped(`"issued_to":"urn:rt:a"`), audience("urn:rt:a"), ""},
		"ENGRAM-3.10-1 no version":                          {signed("/engram_version", ""), unasked, engram.VersionRefused},
		"ENGRAM-3.10-4 another major version":               {signed("/engram_version", `"2.3"`), unasked, engram.VersionRefused},
		"ENGRAM-3.1-2 what cannot be read":                  {signed("/beliefs", `{}`), unasked, engram.MalformedExport},
		"ENGRAM-3.8-14 what is no export":                   {[]byte("hello"), unasked, engram.MalformedExport},
		"ENGRAM-3.8-27 a signature of no algorithm":         {change(t, "/signature", `{"value":"`+strings.Repeat("A", 86)+`","kid":"k","alg":"none"}`), nil, engram.MalformedSignature},
		"ENGRAM-12.6-5 one that is not signed":              {change(t, "/signature", `"unsigned-v1"`), unasked, engram.NotSigned},
	}
}

// flip changes one bit of a signature.
func flip(sig string) string {
	b, _ := base64.RawURLEncoding.DecodeString(sig)
	b[7] ^= 4
	return base64.RawURLEncoding.EncodeToString(b)
}

// unused sets the bits of the last letter of a signature that mean nothing.
func unused(c byte) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return letters[strings.IndexByte(letters, c)|1:][:1]
}

func keysAre(list ...engram.Key) func(*engram.VerifyOptions) {
	return func(o *engram.VerifyOptions) { o.Keys = listed(list...) }
}

func keyFrom(t *testing.T, created string) func(*engram.VerifyOptions) {
	return keysAre(engram.NewKey("key-2026-05", testKey(t).Public(), at(t, created)))
}

func after(t *testing.T, d time.Duration) func(*engram.VerifyOptions) {
	return func(o *engram.VerifyOptions) { o.Now = noon(t).Add(d) }
}

func audience(uri string) func(*engram.VerifyOptions) {
	return func(o *engram.VerifyOptions) { o.Audience = uri }
}

func TestVerifyAsksAnewOnce(t *testing.T) {
	for name, c := range map[string]struct {
		late []engram.Key
		want engram.Reason
	}{"and finds the kid": {[]engram.Key{testListed(t)}, ""}, "and gives up": {nil, engram.UnknownKid}} {
		t.Run("ENGRAM-3.8-25 an unknown kid is asked for once more "+name, func(t *testing.T) {
			var asked []bool
			o := expected(t)
			o.Keys = func(fresh bool) ([]engram.Key, error) {
				asked = append(asked, fresh)
				if fresh {
					return c.late, nil
				}
				return nil, nil
			}
			if got := reason(t, issued(t), o); got != c.want {
				t.Errorf("got %q", got)
			}
			if len(asked) != 2 || asked[0] || !asked[1] {
				t.Errorf("asked %v", asked)
			}
		})
	}
}
