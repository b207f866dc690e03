package httpkit_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

func TestSend(t *testing.T) {
	for name, kept := range map[string]string{"nobody keeps it": "", "others may keep it": "public, max-age=60"} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			want := http.Header{"Content-Type": {"text/plain"}, "X-Content-Type-Options": {"nosniff"}, "Content-Length": {"5"}, "Cache-Control": {"no-store"}}
			if kept != "" {
				w.Header().Set("Cache-Control", kept)
				want.Set("Cache-Control", kept)
			}
			httpkit.Send(w, http.StatusCreated, "text/plain", []byte("hello"))
			if w.Code != http.StatusCreated || w.Body.String() != "hello" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if d := cmp.Diff(want, w.Header()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		name      string
		status    int
		set, more http.Header
		want      http.Header
	}{
		{"whoever may not is not told more", http.StatusForbidden, nil, nil, http.Header{}},
		{"where to sign in", http.StatusUnauthorized, nil, nil, http.Header{"Www-Authenticate": {`Bearer realm="satchel"`}}},
		{"where it is said already", http.StatusUnauthorized, http.Header{"Www-Authenticate": {"Bearer error"}}, nil, http.Header{"Www-Authenticate": {"Bearer error"}}},
		{"what follows is not read", http.StatusRequestEntityTooLarge, nil, nil, http.Header{"Connection": {"close"}}},
		{"more headers", http.StatusTooManyRequests, nil, http.Header{"Retry-After": {"1"}}, http.Header{"Retry-After": {"1"}}},
		{"those set already are kept", http.StatusTooManyRequests, http.Header{"Retry-After": {"9"}}, http.Header{"Retry-After": {"1"}}, http.Header{"Retry-After": {"9"}}},
		{"what others may keep otherwise", http.StatusNotFound, http.Header{"Cache-Control": {"public"}}, nil, http.Header{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			for name, values := range c.set {
				w.Header()[name] = values
			}
			httpkit.Refuse(w, c.status, "application/json", []byte("{}"), c.more)
			c.want["Content-Type"], c.want["Content-Length"] = []string{"application/json"}, []string{"2"}
			c.want["X-Content-Type-Options"], c.want["Cache-Control"] = []string{"nosniff"}, []string{"no-store"}
			if d := cmp.Diff(c.want, w.Header()); d != "" || w.Code != c.status {
				t.Errorf("%d %s", w.Code, d)
			}
		})
	}
}

// TestSendTagged sends a body to clients that do not have it yet.
func TestSendTagged(t *testing.T) {
	for known, want := range map[string]int{"": 200, `"other"`: 200, "tag": 200, `"tag"`: 304, `W/"tag"`: 304, `"other", "tag"`: 304, "*": 304} {
		r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		r.Header.Set("If-None-Match", known)
		httpkit.SendTagged(w, r, "text/plain", []byte("body"), "tag")
		if w.Code != want || w.Header().Get("ETag") != `"tag"` || (w.Body.String() == "body") != (want == http.StatusOK) {
			t.Errorf("%s: %d %v %q, want %d", known, w.Code, w.Header(), w.Body, want)
		}
	}
}
