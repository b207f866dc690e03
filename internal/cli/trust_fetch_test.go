package cli

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/keys"
)

func TestFetchKeys(t *testing.T) {
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := aimem.EncodeKey(aimem.PublicKey(key))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/aimem-pubkey", func(w http.ResponseWriter, r *http.Request) { w.Write(encoded) })
	mux.HandleFunc("GET /large", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat("x", aimem.MaxKeySet+1))
	})
	mux.HandleFunc("GET /away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/.well-known/aimem-pubkey", http.StatusFound)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	a := &App{Ctx: t.Context(), Out: io.Discard, Err: io.Discard}
	t.Run("AIMEM-5.3-6 a published key, by the server's name alone", func(t *testing.T) {
		found, from, err := a.fetchKeys(server.URL)
		if err != nil || len(found) != 1 || found[0].Name() != string(key.DID()) || from != server.URL+aimem.KeyPath {
			t.Errorf("fetchKeys = %v, %s, %v", found, from, err)
		}
	})
	for path, says := range map[string]string{"/large": "longer than", "/away": "302", "/none": "publishes no key"} {
		if found, _, err := a.fetchKeys(server.URL + path); err == nil || found != nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v", path, found, err)
		}
	}
	for _, raw := range []string{"http://192.0.2.1/", "ftp://localhost/", "https://user:word@localhost/", "https:///key", "http://localhost.example.org"} {
		var refused *Failure
		if _, _, err := a.fetchKeys(raw); !errors.As(err, &refused) || refused.Status != ExitUsage {
			t.Errorf("%s: %v", raw, err)
		}
	}
}
