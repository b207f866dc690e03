package engramhttp_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

func TestSubscribe(t *testing.T) {
	const hook = `{"url":"https://notes.example/hook","events":["belief.added"],"secret":"a secret of some length"}`
	with := engramhttp.Options{Next: engramhttp.Next{Subscriptions: true}}
	t.Run("ENGRAM-12.5-1 a runtime subscribes and ends that", func(t *testing.T) {
		s := serve(t, with)
		owner := s.who
		s.runtime("minimal", memory.ReadVerb)
		r := s.do("POST", "/v1/context/subscribe", hook)
		id, _ := r.object(t, 201)["subscription_id"].(string)
		if !engram.IsID(id) || strings.Contains(string(r.body), "secret") {
			t.Errorf("%s", r.body)
		}
		if got := s.service.hooks[0]; got.Secret != "a secret of some length" || len(got.Events) != 1 {
			t.Errorf("%+v", got)
		}
		s.do("GET", "/v1/context/subscribe", "").refused(t, 403, engram.Forbidden)
		s.who = owner
		if r := s.do("GET", "/v1/context/subscribe", ""); r.StatusCode != 200 || strings.Contains(string(r.body), "a secret") || !strings.Contains(string(r.body), id) {
			t.Errorf("%s", r.body)
		}
		s.do("DELETE", "/v1/context/subscribe/"+id, "").object(t, 200)
		s.do("DELETE", "/v1/context/subscribe/none", "").refused(t, 404, engram.InvalidRequest)
		if at := s.do("GET", "/.well-known/engram", "").object(t, 200)["endpoints"].(map[string]any)["subscribe"]; at != "/v1/context/subscribe" {
			t.Errorf("%v", at)
		}
	})
	t.Run("ENGRAM-12.5-1 without events it is all of them", func(t *testing.T) {
		s := serve(t, with)
		s.do("POST", "/v1/context/subscribe", strings.Replace(hook, `"events":["belief.added"],`, "", 1)).object(t, 201)
		if got := s.service.hooks[0]; len(got.Events) != 4 {
			t.Errorf("%+v", got)
		}
	})
	for name, body := range map[string]string{
		"http": strings.Replace(hook, "https:", "http:", 1), "no secret": `{"url":"https://notes.example/hook"}`, "no url": `{"secret":"a secret of some length"}`,
		"other events": strings.Replace(hook, "belief.added", "belief.read", 1), "events are a text": strings.Replace(hook, `["belief.added"]`, `"all"`, 1),
	} {
		t.Run("ENGRAM-12.5-1 refused: "+name, func(t *testing.T) {
			serve(t, with).do("POST", "/v1/context/subscribe", body).refused(t, 400, engram.InvalidRequest)
		})
	}
	t.Run("ENGRAM-12.5-2 off, there is no such route", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.do("POST", "/v1/context/subscribe", hook).refused(t, 404, engram.InvalidRequest)
		s.do("DELETE", "/v1/context/subscribe/x", "").refused(t, 404, engram.InvalidRequest)
	})
}
