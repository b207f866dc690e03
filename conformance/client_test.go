package conformance_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/conformance"
)

// handled answers requests without a network.
type handled struct{ http.HandlerFunc }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

func client(handler http.HandlerFunc) *conformance.Client {
	return &conformance.Client{
		HTTP: &http.Client{Transport: handled{handler}}, Base: "http://a.example", Now: time.Now, MaxAnswer: 100, Timeout: time.Minute, Code: []string{"error", "code"},
	}
}

func TestClient(t *testing.T) {
	t.Run("a request has the headers that are asked for", func(t *testing.T) {
		c := client(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprintf(w, `{"said":"%s %s %q %q %q %s"}`, r.Method, r.URL, r.Header["Authorization"], r.Header["Content-Type"], r.Header["Accept"], body)
		})
		for want, q := range map[string]conformance.Request{
			`POST http://a.example/x?y=1 ["Bearer t"] ["a/b"] [] hi`: {Method: "POST", Path: "/x?y=1", Token: "t", Type: "a/b", Body: []byte("hi")},
			`PUT http://a.example/ [] ["c/d"] ["e" "f"] hi`:          {Method: "PUT", Path: "/", Type: "a/b", Body: []byte("hi"), Header: conformance.Headers("Content-Type: c/d", "accept: e", "Accept: f")},
			`POST http://a.example/ [] [] [] flow`:                   {Method: "POST", Path: "/", Type: "a/b", Header: conformance.Headers("Content-Type: "), Stream: func() io.Reader { return strings.NewReader("flow") }, Length: 4},
		} {
			a := c.Once(t.Context(), q)
			if got := strings.ReplaceAll(string(a.Body), `{"said":"`, ""); a.Err != nil || !strings.HasPrefix(got, want) || a.Asked != q.Method+" "+q.Path {
				t.Errorf("%s is asked for %q, %v; want %q", a.Asked, got, a.Err, want)
			}
		}
	})
	t.Run("an answer is read up to its limit", func(t *testing.T) {
		c := client(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("1", 200)) })
		if a := c.Once(t.Context(), conformance.Request{Path: "/"}); a.Err != nil || len(a.Body) != 100 {
			t.Errorf("%d bytes, %v", len(a.Body), a.Err)
		}
	})
	t.Run("an error is told by its status and code", func(t *testing.T) {
		c := client(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"error":{"code":"clash"}}`)
		})
		a := c.Once(t.Context(), conformance.Request{Method: "GET", Path: "/x", Name: "GET it"})
		if _, err := a.Object(); a.Is(200, 409) != nil || err == nil || err.Error() != "GET it answered 409 clash, not 200" {
			t.Errorf("%v", err)
		}
	})
	t.Run("nobody answers", func(t *testing.T) {
		c := client(nil)
		c.HTTP, c.Base = http.DefaultClient, "http://127.0.0.1:1"
		if a := c.Send(t.Context(), conformance.Request{Method: "GET", Path: "/"}, nil); a.Err == nil || a.Is(0) == nil || a.Said() != a.Err.Error() {
			t.Errorf("%+v", a)
		}
	})
	for lasts, want := range map[int]int{1: 2, 100: 8} {
		t.Run(fmt.Sprintf("throttled %d times, all of which are seen", lasts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, seen := 0, 0
				c := client(func(w http.ResponseWriter, _ *http.Request) {
					if asked++; asked <= lasts {
						w.WriteHeader(http.StatusTooManyRequests)
					}
				})
				a := c.Send(t.Context(), conformance.Request{Method: "GET", Path: "/"}, func(conformance.Answer) { seen++ })
				if asked != want || seen != want || (a.Err != nil) != (lasts == 100) {
					t.Errorf("asked %d times, %d were seen, %v", asked, seen, a.Err)
				}
			})
		})
	}
}
