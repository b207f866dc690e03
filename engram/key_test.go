package engram_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

func TestKeyList(t *testing.T) {
	key := engram.NewKey("key-2026-04", testKey(t).Public(), at(t, "2026-04-01T00:00:00Z"))
	raw := engram.EncodeKeys([]engram.Key{key})
	t.Run("ENGRAM-3.8-17 the list of keys", func(t *testing.T) {
		want := `{"keys":[{"kid":"key-2026-04","alg":"Ed25519","use":"sig","public_key":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","created_at":"2026-04-01T00:00:00Z","expires_at":"2027-04-01T00:00:00Z"}]}`
		if string(raw) != want { // ENGRAM-3.8-18, ENGRAM-3.8-19
			t.Errorf("got %s", raw)
		}
		got, err := engram.DecodeKeys(raw)
		if err != nil || len(got) != 1 || got[0].Kid != key.Kid || !bytes.Equal(got[0].Public, key.Public) || !got[0].ExpiresAt.Equal(key.ExpiresAt) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	for name, edit := range map[string][2]string{
		"ENGRAM-3.8-24 of another algorithm":  {"Ed25519", "RS256"},
		"ENGRAM-3.8-24 of another use":        {`"sig"`, `"enc"`},
		"ENGRAM-3.8-18 of 31 bytes":           {"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", strings.Repeat("A", 42)},
		"ENGRAM-3.8-18 that all can sign for": {"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "AQ" + strings.Repeat("A", 41)},
		"ENGRAM-3.8-18 of null":               {`"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"`, "null"},
		"ENGRAM-3.8-19 without a time":        {`"2027-04-01T00:00:00Z"`, "null"},
		"ENGRAM-3.8-11 without a kid":         {`"key-2026-04"`, `""`},
	} {
		t.Run(name+" is a key that is left out", func(t *testing.T) {
			edited := strings.Replace(string(raw), edit[0], edit[1], 1)
			if got, err := engram.DecodeKeys([]byte(edited)); err != nil || len(got) != 0 || edited == string(raw) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	t.Run("ENGRAM-3.8-20 several keys are listed", func(t *testing.T) {
		other := engram.NewKey("key-2026-04-2", otherKey(t).Public(), at(t, "2026-04-05T00:00:00Z"))
		if got, err := engram.DecodeKeys(engram.EncodeKeys([]engram.Key{other, key})); err != nil || len(got) != 2 || got[0].Kid != "key-2026-04-2" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	t.Run("ENGRAM-3.8-11 two keys of one kid are no list", func(t *testing.T) {
		var p *codec.ParseError
		if _, err := engram.DecodeKeys(engram.EncodeKeys([]engram.Key{key, key})); !errors.As(err, &p) || p.Path != "/keys/1" {
			t.Errorf("got %v", err)
		}
		if _, err := engram.DecodeKeys([]byte(`{"keys":{}}`)); !errors.As(err, &p) || p.Path != "/keys" {
			t.Errorf("got %v", err)
		}
		if _, err := engram.DecodeKeys([]byte(`<html>`)); !errors.As(err, &p) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("ENGRAM-3.8-32 the keys as a JWK set", func(t *testing.T) {
		want := `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"key-2026-04","alg":"EdDSA","use":"sig"}]}`
		if got := string(engram.JWKS([]engram.Key{key})); got != want {
			t.Errorf("got %s", got)
		}
	})
}

func TestIssuerKey(t *testing.T) {
	t.Run("ENGRAM-3.8-20 each generation is another key, always the same", func(t *testing.T) {
		first, err := engram.IssuerKey(testKey(t), 1)
		if err != nil || first.DID() == otherKey(t).DID() || first.DID() == testKey(t).DID() {
			t.Errorf("got %s, %v", first, err)
		}
		if again, err := engram.IssuerKey(testKey(t), 2); err != nil || again.DID() != otherKey(t).DID() {
			t.Errorf("got %s, %v", again, err)
		}
		if _, err := engram.IssuerKey(testKey(t), 0); err == nil {
			t.Error("there is a generation 0")
		}
		if _, err := engram.IssuerKey(keys.Private{}, 1); !errors.Is(err, keys.ErrNoKey) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("ENGRAM-3.8-20 keys of one month have different names", func(t *testing.T) {
		created := at(t, "2026-04-30T23:30:00-02:00")
		for _, c := range []struct {
			want  string
			taken []string
		}{
			{"key-2026-05", nil}, {"key-2026-05", []string{"key-2026-04"}},
			{"key-2026-05-2", []string{"key-2026-05"}}, {"key-2026-05-3", []string{"key-2026-05-2", "key-2026-05"}},
		} {
			if got := engram.KidOf(created, c.taken...); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		}
	})
}

func TestIssuerAddress(t *testing.T) {
	for issuer, want := range map[string]string{
		"https://h.example/":          "https://h.example/.well-known/engram-keys",
		"https://h.example":           "https://h.example/.well-known/engram-keys",
		"https://h.example/memory//":  "https://h.example/memory/.well-known/engram-keys",
		"http://127.0.0.1:7000":       "http://127.0.0.1:7000/.well-known/engram-keys",
		"http://[::1]:7000/":          "http://[::1]:7000/.well-known/engram-keys",
		"http://localhost":            "http://localhost/.well-known/engram-keys",
		"http://h.example":            "",
		"http://localhost.h.example":  "",
		"https://u:p@h.example":       "",
		"https://h.example?next=evil": "",
		"file:///etc/passwd":          "",
		"h.example":                   "",
		"":                            "",
	} {
		t.Run("ENGRAM-3.8-10 keys of "+strings.ReplaceAll(issuer, "/", "_"), func(t *testing.T) {
			got, err := engram.KeysURL(issuer)
			if got != want || (err == nil) != (want != "") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	t.Run("ENGRAM-3.8-26 what is the same issuer", func(t *testing.T) {
		for _, c := range []struct {
			a, b string
			want bool
		}{
			{"https://h.example", "https://H.example:443/", true}, {"http://localhost:80", "http://localhost/", true},
			{"https://h.example", "https://h.example:8443", false}, {"https://h.example/a", "https://h.example/b", false},
			{"https://h.example", "https://h.example.evil.example", false}, {"", "", false}, {"http://h.example", "http://h.example", false},
		} {
			if engram.SameIssuer(c.a, c.b) != c.want {
				t.Errorf("%s and %s: not %v", c.a, c.b, c.want)
			}
		}
	})
}
