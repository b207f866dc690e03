package belief_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestHealthIsChosen(t *testing.T) { onEach(t, testHealthIsChosen) }

func testHealthIsChosen(t *testing.T, open opener) {
	h := open(t)
	about := func(category engram.Category, key string) string {
		return `"structured":{"engram":{"v":1,"id":"` + engram.IDFrom(key) + `","belief":{"category":"` + string(category) + `","key":"` + key + `","confidence":0.9,"source":"inferred","status":"active","created_at":"2026-01-01T00:00:00Z"}}}`
	}
	says := func(c memory.Caller, category engram.Category, key string, more ...string) memory.ID {
		t.Helper()
		members := append([]string{`"body":{"text":"` + key + `: yes",` + about(category, key) + `}`}, more...)
		v, err := h.Call(ump.OpRemember, c, `{"record":{`+strings.Join(members, ",")+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		return memory.ID(v["id"].(string))
	}
	told := func(key string) bool {
		b, ok := beliefOf(h.context(h.Me(), engram.Query{}), engram.IDFrom(key))
		return ok && b.Status == engram.Active
	}
	t.Run("ENGRAM-3.4-30 what an assistant concludes about health waits for the owner", func(t *testing.T) {
		id := says(h.Agent(), engram.Health, "asthma")
		if told("asthma") {
			t.Error("it is told as fact")
		}
		h.Change(id, `{"lifecycle":{"status":"active"}}`)
		if !told("asthma") {
			t.Error("the owner's choice is not heeded")
		}
	})
	t.Run("ENGRAM-3.4-30 what the person said, and other categories, count at once", func(t *testing.T) {
		says(h.Agent(), engram.Values, "honesty")
		says(h.Me(), engram.Health, "nuts")
		says(h.Agent(), engram.Health, "pollen", `"provenance":{"actor":"`+string(h.Key.DID())+`","actor_kind":"user","method":"user_stated"}`)
		for _, key := range []string{"honesty", "nuts", "pollen"} {
			if !told(key) {
				t.Errorf("%s is not told", key)
			}
		}
	})
	h.Healthy()
}

func TestHealthIsChosenInRevisions(t *testing.T) { onEach(t, testHealthIsChosenInRevisions) }

func testHealthIsChosenInRevisions(t *testing.T, open opener) {
	h := open(t)
	belief := func(category engram.Category) string {
		return `"structured":{"engram":{"v":1,"belief":{"category":"` + string(category) + `","key":"pulse","confidence":0.9,"source":"inferred","status":"active","created_at":"2026-01-01T00:00:00Z"}}}`
	}
	told := func(word string) bool {
		return strings.Contains(fmt.Sprint(h.context(h.Me(), engram.Query{Categories: []engram.Category{engram.Health}}).Beliefs), word)
	}
	revises := func(c memory.Caller, id memory.ID, patch string) error {
		_, err := h.Call(ump.OpRevise, c, `{"id":"`+string(id)+`","patch":`+patch+`}`)
		return err
	}
	remembers := func(c memory.Caller, text, more string) memory.ID {
		v, err := h.Call(ump.OpRemember, c, `{"record":{"body":{"text":"`+text+`"`+more+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		return memory.ID(v["id"].(string))
	}
	refused := func(what string, err error) {
		t.Helper()
		if e, ok := errors.AsType[*memory.Error](err); !ok || e.Kind != memory.ForbiddenScope || e.Rule != "ENGRAM-3.4-30" {
			t.Errorf("%s: %v", what, err)
		}
	}
	writer := h.Granted(memory.Grant{ID: "writer", Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb, memory.DeriveVerb}, Expires: h.Now.Add(time.Hour)})
	own := remembers(h.Agent(), "pulse: fast", "}")
	health := remembers(h.Me(), "pulse: calm", ","+belief(engram.Health)+"}")
	t.Run("ENGRAM-3.4-30 nobody but the owner makes a belief one about health", func(t *testing.T) {
		brought := remembers(h.Me(), "pulse: hasty", `},"scope":{"visibility":"shared"}`)
		refused("an agent", revises(h.Agent(), own, `{"body":{`+belief(engram.Health)+`}}`))
		refused("a token", revises(writer, brought, `{"body":{`+belief(engram.Health)+`}}`))
		if told("fast") || told("hasty") {
			t.Error("it is told")
		}
	})
	t.Run("ENGRAM-3.4-30 nor lets one about health say something else", func(t *testing.T) {
		refused("its text", revises(h.Agent(), health, `{"body":{"text":"pulse: racing"}}`))
		refused("its text, and no category", revises(h.Agent(), health, `{"body":{"text":"pulse: racing","structured":null}}`))
		refused("its key", revises(h.Agent(), health, `{"body":{"structured":{"engram":{"belief":{"key":"heart"}}}}}`))
		refused("its category", revises(h.Agent(), health, `{"body":{`+belief(engram.Values)+`}}`))
		remembers(h.Agent(), "pulse: racing", `},"supersedes":["`+string(health)+`"]`)
		remembers(h.Agent(), "pulse: of value", ","+belief(engram.Values)+`},"supersedes":["`+string(health)+`"]`)
		if told("racing") || told("heart") || !told("calm") {
			t.Error("it says something else")
		}
	})
	t.Run("ENGRAM-3.4-30 what the person said, and what says no more of health, is taken", func(t *testing.T) {
		patch := `{"provenance":{"actor":"` + string(h.Key.DID()) + `","actor_kind":"user","method":"user_stated"},"body":{"text":"pulse: slow"}}`
		for what, err := range map[string]error{
			"in other categories": revises(h.Agent(), own, `{"body":{`+belief(engram.Learning)+`}}`),
			"beside what it says": revises(h.Agent(), health, `{"lifecycle":{"salience":0.9}}`),
		} {
			if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := revises(h.Agent(), h.idOf("calm"), patch); err != nil || !told("slow") {
			t.Errorf("what the person said: %v", err)
		}
	})
	h.Healthy()
}
