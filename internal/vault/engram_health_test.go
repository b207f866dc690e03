package vault_test

import (
	"strings"
	"testing"

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
		v, err := h.call(ump.OpRemember, c, `{"record":{`+strings.Join(members, ",")+`}}`)
		if err != nil {
			t.Fatal(err)
		}
		return memory.ID(v["id"].(string))
	}
	told := func(key string) bool {
		b, ok := beliefOf(h.context(h.owner(), engram.Query{}), engram.IDFrom(key))
		return ok && b.Status == engram.Active
	}
	t.Run("ENGRAM-3.4-30 what an assistant concludes about health waits for the owner", func(t *testing.T) {
		id := says(h.agent(), engram.Health, "asthma")
		if told("asthma") {
			t.Error("it is told as fact")
		}
		h.changes(id, `{"lifecycle":{"status":"active"}}`)
		if !told("asthma") {
			t.Error("the owner's choice is not heeded")
		}
	})
	t.Run("ENGRAM-3.4-30 what the person said, and other categories, count at once", func(t *testing.T) {
		says(h.agent(), engram.Values, "honesty")
		says(h.owner(), engram.Health, "nuts")
		says(h.agent(), engram.Health, "pollen", `"provenance":{"actor":"`+string(h.key.DID())+`","actor_kind":"user","method":"user_stated"}`)
		for _, key := range []string{"honesty", "nuts", "pollen"} {
			if !told(key) {
				t.Errorf("%s is not told", key)
			}
		}
	})
	h.healthy()
}
