package engramhttp_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
)

func TestTransport(t *testing.T) {
	var leaked []string
	evil := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked = append(leaked, r.URL.Path) }))
	defer evil.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, evil.URL+"/x", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/within", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/here", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/here", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.Header.Get("Authorization"))) })
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 11)) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	home := httptest.NewServer(mux)
	defer home.Close()
	over := engramhttp.Transport(&http.Client{Timeout: 300 * time.Millisecond})
	ask := func(method, url string) (engram.Response, error) {
		return over.Do(t.Context(), engram.Request{Method: method, URL: url, Token: "tk", Most: 10})
	}
	for _, path := range []string{"/here", "/within"} {
		if got, err := ask("GET", home.URL+path); err != nil || got.Status != 200 || string(got.Body) != "Bearer tk" {
			t.Errorf("%s: %d %s, %v", path, got.Status, got.Body, err)
		}
	}
	t.Run("ENGRAM-3.8-26 a redirect to another origin is refused", func(t *testing.T) {
		if _, err := ask("GET", home.URL+"/away"); !errors.Is(err, engramhttp.ErrOtherOrigin) || len(leaked) > 0 {
			t.Errorf("%v, and %q was asked", err, leaked)
		}
	})
	t.Run("ENGRAM-3.8-26 https, or this machine", func(t *testing.T) {
		for _, url := range []string{"http://memory.example/v1/context", "ftp://127.0.0.1/", "https://u:p@memory.example/"} {
			if _, err := ask("GET", url); !errors.Is(err, engramhttp.ErrOtherOrigin) {
				t.Errorf("%s: %v", url, err)
			}
		}
	})
	for name, path := range map[string]string{"answers are bounded": "/long", "and so is their time": "/never", "and the hops": "/round"} {
		t.Run(name, func(t *testing.T) {
			if _, err := ask("GET", home.URL+path); err == nil {
				t.Error("it is taken")
			}
		})
	}
	t.Run("what is sent is sent on to nobody", func(t *testing.T) {
		if _, err := ask("POST", home.URL+"/within"); err == nil || !strings.Contains(err.Error(), "for it alone") {
			t.Errorf("%v", err)
		}
	})
}
