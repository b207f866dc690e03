package httpkit_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// offers is a handler that offers the routes of these names.
type offers string

// TestTable finds routes by path and method.
func TestTable(t *testing.T) {
	row := func(name, method, path string) *httpkit.Route[offers] {
		return &httpkit.Route[offers]{Operation: httpkit.Operation{Name: name, Method: method, Path: path},
			Do: func(_ offers, w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
				_, err := w.Write([]byte(name + " " + r.PathValue("id")))
				return err
			},
			On: func(o offers) bool { return strings.Contains(string(o), name) }}
	}
	table := httpkit.Table[offers]{
		row("list", "GET", "/things"), row("add", "POST", "/things"), row("new", "GET", "/things/new"), row("one", "GET", "/things/{id}"),
		row("confirm", "POST", "/things/{id...}/confirm"), row("any", "GET", "/any/{id...}"),
	}
	const all = offers("list add new one confirm any")
	for _, c := range []struct {
		method, path string
		by           offers
		want, allow  string
	}{
		{"GET", "/things", all, "list ", "GET, HEAD, POST"},
		{"HEAD", "/things", all, "list ", "GET, HEAD, POST"},
		{"POST", "/things", all, "add ", "GET, HEAD, POST"},
		{"PUT", "/things", all, "", "GET, HEAD, POST"},
		{"POST", "/things", "list", "", "GET, HEAD"},
		{"GET", "/things/new", all, "new ", "GET, HEAD"},
		{"GET", "/things/new", "one", "one new", "GET, HEAD"},
		{"GET", "/things/7", all, "one 7", "GET, HEAD"},
		{"GET", "/things/", all, "", ""},
		{"GET", "/things/7/8", all, "", ""},
		{"POST", "/things/7/8/confirm", all, "confirm 7/8", "POST"},
		{"GET", "/any/a/b%2Fc", all, "any a/b/c", "GET, HEAD"},
		{"GET", "/any/", all, "", ""},
		{"GET", "/nothing", all, "", ""},
	} {
		r := httptest.NewRequest(c.method, c.path, nil)
		found := table.At(c.by, r)
		got := ""
		if way := found.For(c.method); way != nil {
			w := httptest.NewRecorder()
			if err := way.Do(c.by, w, r, memory.Caller{}); err != nil {
				t.Fatal(err)
			}
			got = w.Body.String()
		}
		if allow := strings.Join(found.Methods(), ", "); got != c.want || allow != c.allow {
			t.Errorf("%s %s: %q, allowed %s; want %q, %s", c.method, c.path, got, allow, c.want, c.allow)
		}
	}
	if at, ok := table.PathOf("/things/7/8/confirm"); at != "/things/{id}/confirm" || !ok {
		t.Errorf("%q %v", at, ok)
	}
	if got := strings.Join(table.Paths(), " "); got != "/things /things/new" {
		t.Error(got)
	}
	table[3].Who = httpkit.Everyone
	if !table.Open("/things/7") || table.Open("/things") || table.Open("/nothing") {
		t.Error("the wrong paths are open")
	}
	if got := table.Offered("list one"); len(got) != 2 || !table.Has("list", "/things") || table.Has("one", "/things") {
		t.Errorf("%+v", got)
	}
}
