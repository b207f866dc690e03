package aaifsuite

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
)

// TestWorldIsBounded: a hostile platform that asks the model and the tools without end, or sends
// spans without end, takes no memory without end.
func TestWorldIsBounded(t *testing.T) {
	w := &world{base: "http://here.example", scenes: map[string]*scene{}}
	s := w.stage("s", props{script: []line{{text: "Done."}}})
	ask := func(path, body string) int {
		out := httptest.NewRecorder()
		q := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		q.Header.Set("Content-Type", jsonType)
		w.ServeHTTP(out, q)
		return out.Code
	}
	long := strings.Repeat("x", 4<<20)
	said := 0
	for range mostHeard/len(long) + 2 {
		if ask("/v1/chat/completions", `{"model":"s","messages":[{"role":"user","content":"`+long+`"}]}`) == http.StatusOK {
			said++
		}
	}
	if said >= mostHeard/len(long)+1 || said == 0 || len(s.told("")) > mostHeard {
		t.Errorf("%d requests of 4 MiB are kept, %d bytes", said, len(s.told("")))
	}
	s = w.stage("t", props{script: []line{{text: "Done."}}})
	for range mostKept + 10 {
		ask("/tool/t/look/x", `{}`)
	}
	if n := len(s.calls("")); n != mostKept {
		t.Errorf("%d calls are kept", n)
	}
	one := canon.Object(canon.Member{Name: "name", Value: canon.String("a")})
	spans := make([]canon.Value, 7000)
	for i := range spans {
		spans[i] = one
	}
	export := `{"resourceSpans":[{"scopeSpans":[{"spans":` + string(canon.Array(spans...).Append(nil)) + `}]}]}`
	for range 3 {
		if got := ask(tracesPath, export); got != http.StatusOK {
			t.Errorf("the collector answers %d", got)
		}
	}
	if n := w.spanCount(); n != mostKept {
		t.Errorf("%d spans are kept", n)
	}
}

// TestMeetTwice: models that wait for each other are met once, also if one gives up while the last
// one comes.
func TestMeetTwice(t *testing.T) {
	s := (&world{scenes: map[string]*scene{}}).stage("s", props{})
	s.meet = 1
	s.awaitOthers(2)
	s.note(func() { s.meet-- }) // one gave up at that moment
	s.awaitOthers(2)
	if !s.abreast() {
		t.Error("they did not meet")
	}
}
