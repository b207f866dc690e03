package engram_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

// sample is an export with one of everything. Its signature has the form of one.
const sample = `{
"engram_version":"0.1","schema":"https://engramspec.org/schema/v0.1",
"issued_at":"2026-05-01T08:00:00Z","expires_at":"2026-05-01T20:00:00Z","kid":"key-2026-05",
"issuer":{"name":"Harbour","url":"https://harbour.example","did":"did:web:harbour.example"},
"subject":{"id":"0b8f5ac2-5b3e-4d0c-9a0e-1f6d2c3b4a59","display_name":"Noor"},
"scope":"full",
"signature":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
"identity":{"display_name":"Noor","timezone":"Europe/Lisbon","locale":"pt-PT","role":"Pilot","domains":["tides","radio"],"bio":"Guides ships — mostly","created_at":"2026-01-02T00:00:00Z","last_updated":"2026-04-30T00:00:00Z"},
"beliefs":[
{"id":"11111111-1111-4111-8111-111111111111","category":"communication","key":"radio_style","value":"short words","value_type":"string","confidence":0.90,"source":"user_stated","status":"active","created_at":"2026-01-05T09:00:00Z","last_confirmed":"2026-04-01T09:00:00Z","stale_after_days":90,"tags":["radio","voice"]},
{"id":"22222222-2222-4222-8222-222222222222","category":"health","key":"sleep","value":"naps after night shifts","confidence":1.0,"source":"inferred","status":"archived","created_at":"2026-02-05T09:00:00Z"},
{"id":"33333333-3333-4333-8333-333333333333","category":"custom","key":"deleted","value":"","confidence":0,"source":"user_stated","status":"deleted","created_at":"2026-02-06T09:00:00Z","deleted_at":"2026-03-01T00:00:00Z"}],
"evolution":[
{"id":"44444444-4444-4444-8444-444444444444","belief_id":"11111111-1111-4111-8111-111111111111","old_value":"long words","new_value":"short words","changed_at":"2026-02-10T10:00:00Z","trigger":"user_correction","context":"during a watch","note":"asked twice"}],
"corrections":[
{"id":"55555555-5555-4555-8555-555555555555","belief_id":"11111111-1111-4111-8111-111111111111","corrected_by":"user","corrected_at":"2026-02-10T10:00:00Z","old_value":"long words","new_value":"short words","method":"explicit","note":"no, short ones"}],
"constraints":[
{"id":"66666666-6666-4666-8666-666666666666","rule":"Never announce arrivals","category":"communication","created_at":"2026-01-10T09:00:00Z","set_by":"user_stated","status":"active","note":"since the fog"}]
}`

// radio, sleep and gone are the ids of the sample's beliefs.
const (
	radio = "11111111-1111-4111-8111-111111111111"
	sleep = "22222222-2222-4222-8222-222222222222"
	gone  = "33333333-3333-4333-8333-333333333333"
)

// at reads a time.
func at(t testing.TB, s string) time.Time {
	t.Helper()
	out, ok := engram.ParseInstant(s)
	if !ok {
		t.Fatalf("%s is no time", s)
	}
	return out
}

// noon is a time at which the sample is good.
func noon(t testing.TB) time.Time { return at(t, "2026-05-01T12:00:00Z") }

func tree(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(raw), canon.Options{})
	if err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

// edited sets what is at a pointer of v to raw, or takes it away.
func edited(t testing.TB, v canon.Value, pointer, raw string) canon.Value {
	t.Helper()
	if pointer == "" {
		return tree(t, raw)
	}
	name, rest, deeper := strings.Cut(pointer[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	if v.Type() == canon.TypeArray {
		i, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		if !deeper && raw == "" {
			return v.WithoutItem(i)
		}
		var item canon.Value
		if i < v.Len() {
			item = v.Items()[i]
		}
		return v.WithItem(i, edited(t, item, rest, raw))
	}
	if !deeper && raw == "" {
		return v.Without(name)
	}
	return v.With(name, edited(t, v.Get(name), rest, raw))
}

// change edits the sample.
func change(t testing.TB, pointer, raw string) []byte {
	t.Helper()
	return edited(t, tree(t, sample), pointer, raw).Append(nil)
}

func parsed(t testing.TB, raw []byte) engram.Document {
	t.Helper()
	d, _, err := engram.Parse(raw, engram.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// seed is the secret of RFC 8032, test 1.
var seed = []byte("\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4\x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60")

func testKey(t testing.TB) keys.Private {
	t.Helper()
	k, err := keys.FromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func otherKey(t testing.TB) keys.Private {
	t.Helper()
	k, err := engram.IssuerKey(testKey(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func signer(t testing.TB) engram.Signer {
	t.Helper()
	return engram.Signer{
		Issuer: engram.Issuer{Name: "Harbour", URL: "https://harbour.example"}, Kid: "key-2026-05", Key: testKey(t),
	}
}

// listed are keys as their issuer lists them.
func listed(list ...engram.Key) func(bool) ([]engram.Key, error) {
	return func(bool) ([]engram.Key, error) { return list, nil }
}

func testListed(t testing.TB) engram.Key {
	t.Helper()
	return engram.NewKey("key-2026-05", testKey(t).Public(), at(t, "2026-04-01T00:00:00Z"))
}

// view is the sample's memory.
func view(t testing.TB) engram.View {
	t.Helper()
	d := parsed(t, []byte(sample))
	return engram.View{Subject: d.Subject, Scope: engram.Full, Memory: d.Memory}
}

func issued(t testing.TB) []byte {
	t.Helper()
	raw, err := signer(t).Issue(view(t), noon(t))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
