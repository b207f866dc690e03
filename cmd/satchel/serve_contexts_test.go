//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
)

// fetch gets something from a server with a token; "" is none.
func fetch(t *testing.T, at, token string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got.StatusCode, body
}

// verify verifies a context with the keys that a server lists now.
func verify(t *testing.T, base, issuer string, document []byte) error {
	t.Helper()
	_, err := engram.Verify(document, engram.VerifyOptions{Issuer: issuer, Now: time.Now(), Keys: func(bool) ([]engram.Key, error) {
		_, list := fetch(t, base+"/.well-known/engram-keys", "")
		return engram.DecodeKeys(list)
	}})
	return err
}

func TestServeContexts(t *testing.T) {
	t.Parallel()
	p, base, _ := serving(t)
	notes := p.mint(t, "--runtime", "notes", "--scope", "professional")
	status, before := fetch(t, base+"/v1/context", notes)
	if err := verify(t, base, base, before); status != http.StatusOK || err != nil {
		t.Fatalf("status %d, %v: %s", status, err, before)
	}
	t.Run("ENGRAM-3.8-21 what was signed before a rotation stays good, in a server that is running", func(t *testing.T) {
		if code, _, said := p.run("keys", "rotate", "--issuer"); code != cli.ExitDone {
			t.Fatalf("it ends with %d: %s", code, said)
		}
		_, after := fetch(t, base+"/v1/context", notes)
		if bytes.Equal(before, after) || !bytes.Contains(after, []byte(`-2"`)) {
			t.Errorf("it is signed with the key before: %s", after)
		}
		for _, document := range [][]byte{before, after} {
			if err := verify(t, base, base, document); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("ENGRAM-3.8-22 what a key signed that was revoked is refused", func(t *testing.T) {
		d, _, err := engram.Parse(before, engram.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if code, _, said := p.run("keys", "revoke", d.Kid); code != cli.ExitDone {
			t.Fatalf("it ends with %d: %s", code, said)
		}
		if err := verify(t, base, base, before); err == nil || !strings.Contains(err.Error(), string(engram.UnknownKid)) {
			t.Errorf("it is verified: %v", err)
		}
	})
	t.Run("ENGRAM-3.8-28 no private key in the list, nor in what is shown", func(t *testing.T) {
		code, out, _ := p.run("keys", "show", "--json")
		if code != cli.ExitDone || !strings.Contains(out, `"kid":"key-`) && !strings.Contains(out, `"kid": "key-`) {
			t.Errorf("it ends with %d: %s", code, out)
		}
		var list struct{ Keys []map[string]any }
		if _, body := fetch(t, base+"/.well-known/engram-keys", ""); json.Unmarshal(body, &list) != nil || len(list.Keys) == 0 {
			t.Fatalf("the list is %s", body)
		}
		for _, key := range list.Keys {
			for name := range key {
				if !slices.Contains([]string{"kid", "alg", "use", "public_key", "created_at", "expires_at", "revoked_at"}, name) {
					t.Errorf("a key of the list has a member %s", name)
				}
			}
		}
	})
	t.Run("ENGRAM-3.7-14 ENGRAM-3.7-5 ENGRAM-3.7-6 a token for categories, with a purpose and for whom", func(t *testing.T) {
		some := p.mint(t, "--runtime", "tax", "--category", "health", "--category", "values", "--purpose", "tax", "--issued-to", "https://a.example")
		_, document := fetch(t, base+"/v1/context", some)
		d, _, err := engram.Parse(document, engram.ReadOptions{})
		if err != nil || d.Scope != engram.Custom || d.Definition == nil {
			t.Fatalf("%v: %s", err, document)
		}
		if got := d.Definition; !slices.Equal(got.Included, []engram.Category{engram.Health, engram.Values}) || got.Purpose != "tax" || got.IssuedTo != "https://a.example" {
			t.Errorf("%+v", got)
		}
		if err := verify(t, base, base, document); err != nil {
			t.Error(err)
		}
	})
	t.Run("ENGRAM-3.9-AUTH-6 a token says for what it is", func(t *testing.T) {
		if _, out, _ := p.run("token", "inspect", notes); !strings.Contains(out, "scope professional, for notes") || !strings.Contains(out, "propose corrections") {
			t.Errorf("it says %s", out)
		}
	})
	t.Run("ENGRAM-12.1-6 the store lists what it issued by itself", func(t *testing.T) {
		if _, out, _ := p.run("token", "list"); !strings.Contains(out, "scope professional, for notes") || strings.Contains(out, notes) {
			t.Errorf("it says %s", out)
		}
	})
	t.Run("ENGRAM-12.1-3 a token that was revoked opens nothing", func(t *testing.T) {
		if code, _, said := p.run("token", "revoke", notes); code != cli.ExitDone {
			t.Fatalf("it ends with %d: %s", code, said)
		}
		if status, body := fetch(t, base+"/v1/context", notes); status != http.StatusUnauthorized {
			t.Errorf("status %d: %s", status, body)
		}
	})
}

func TestServeIssuerURL(t *testing.T) {
	t.Parallel()
	p, base, _ := serving(t, "--issuer-url", "https://memory.example", "--context-rate", "1")
	whole := p.mint(t, "--runtime", "all", "--scope", "full")
	_, document := fetch(t, base+"/v1/context", whole)
	if err := verify(t, base, "https://memory.example", document); err != nil {
		t.Errorf("%v: %s", err, document)
	}
	if err := verify(t, base, base, document); err == nil {
		t.Error("another issuer's is verified")
	}
	if status, _ := fetch(t, base+"/v1/context", whole); status != http.StatusTooManyRequests {
		t.Errorf("status %d", status)
	}
	for _, args := range [][]string{
		{"serve", "--issuer-url", "http://memory.example"}, {"serve", "--context-rate", "0"}, {"keys", "issuer", "--url", "memory.example"},
		{"token", "mint", "--runtime", "n"}, {"token", "mint", "--scope", "full", "--verb", "read", "--all"},
		{"token", "mint", "--runtime", "n", "--scope", "full", "--all"}, {"token", "mint", "--runtime", "n", "--scope", "work"},
		{"token", "mint", "--runtime", "n", "--category", "cars"}, {"token", "mint", "--runtime", "n", "--scope", "full", "--category", "health"},
	} {
		if code, _, said := p.run(args...); code != cli.ExitUsage {
			t.Errorf("%q ends with %d: %s", args, code, said)
		}
	}
	if code, out, said := p.run("keys", "issuer", "--name", "Ana's", "--url", "https://other.example"); code != cli.ExitDone || !strings.Contains(out, "Ana's at https://other.example") {
		t.Errorf("it ends with %d: %s%s", code, out, said)
	}
}
