package pages

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// doorOnly is a backend that knows whose cookie it is, and nothing else: whatever else a
// route asks of it is a panic.
type doorOnly struct {
	Backend
	resumed  int
	keepsKey bool
}

func (d *doorOnly) Resume(_ context.Context, cookie string) (memory.Caller, error) {
	d.resumed++
	if cookie != "good" {
		return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized}
	}
	return memory.Caller{Owner: "did:key:ana", Role: memory.Owner}, nil
}

func (d *doorOnly) SignsElsewhere(memory.Caller) bool { return d.keepsKey }

func (d *doorOnly) Activity(context.Context, memory.Caller, int64) (Activity, error) {
	return Activity{}, errors.New("nobody counts")
}

// Every route but those that let browsers in needs a visit, and a form of the same visit to
// change something. Who asks is found out once.
func TestRoutesAreGuarded(t *testing.T) {
	d := &doorOnly{}
	h := New(d, Options{Now: time.Now, Cookie: "satchel-1", Plain: true, Report: func(*http.Request, error) {}, Refused: func(*http.Request, memory.ErrorKind) {}})
	ask := func(method, path, form string, header ...string) int {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://m-1.localhost"+path, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		d.resumed = 0
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if d.resumed > 1 {
			t.Errorf("%s %s resumes the visit %d times", method, path, d.resumed)
		}
		return w.Code
	}
	token := "token=" + formToken("good")
	var open []string
	for _, r := range h.routes() {
		path := regexp.MustCompile(`\{\w+}`).ReplaceAllString(strings.TrimSuffix(r.path, "{$}"), "x")
		if r.open != nil {
			open = append(open, r.path)
			continue
		}
		sees, sends := http.StatusMethodNotAllowed, http.StatusMethodNotAllowed
		if r.read != nil || r.preview != nil {
			sees = http.StatusSeeOther
		}
		if r.write != nil {
			sends = http.StatusForbidden
		}
		for _, c := range []struct {
			name, method, form string
			header             []string
			want               int
		}{
			{"without a cookie", "GET", "", nil, sees},
			{"with a wrong cookie", "HEAD", "", []string{"Cookie", "satchel-1=x"}, sees},
			{"a form without a cookie", "POST", token, nil, sends},
			{"a form without a token", "POST", "a=b", []string{"Cookie", "satchel-1=good"}, sends},
			{"a form of another visit", "POST", "token=" + formToken("other"), []string{"Cookie", "satchel-1=good"}, sends},
			{"a form of another origin", "POST", token, []string{"Cookie", "satchel-1=good", "Origin", "http://m-1.localhost:81"}, sends},
			{"another method", "DELETE", token, []string{"Cookie", "satchel-1=good"}, http.StatusMethodNotAllowed},
		} {
			if got := ask(c.method, path, c.form, c.header...); got != c.want {
				t.Errorf("%s %s %s: %d, want %d", c.name, c.method, path, got, c.want)
			}
		}
		if r.lines == nil {
			continue
		}
		d.keepsKey = true
		if got := ask("POST", path, token, "Cookie", "satchel-1=good"); r.write != nil && got != http.StatusConflict {
			t.Errorf("POST %s of an owner who keeps the key: %d", path, got)
		}
		d.keepsKey = false
	}
	if want := []string{"/me", EnterPath, ExchangePath, AskPath, "/me/static/{digest}/{name}", eventsPath}; !slices.Equal(open, want) {
		t.Errorf("without a visit answer %q", open)
	}
}
