package ump_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestEventJSON(t *testing.T) {
	form := `{"x":1,"ump":"0.1","id":"urn:ump:aaaa","kind":"semantic","body":{"text":"a\nb"},"scope":{"owner":"o"},"time":{"created":"2026-06-04T10:00:00.0Z"}}`
	r := mustDecode(t, form)
	for _, row := range []struct {
		sentence string
		event    memory.Event
		want     string
	}{
		{"a change tells the record as it is stored", memory.Event{Sequence: 7, Type: memory.WasRevised, ID: "urn:ump:aaaa", Record: &r},
			`{"type":"revised","id":"urn:ump:aaaa","record":` + form + `}`},
		{"what was erased has no record", memory.Event{Sequence: 8, Type: memory.WasErased, ID: "urn:ump:aaaa"},
			`{"type":"erased","id":"urn:ump:aaaa"}`},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			got, err := ump.EventJSON(row.event)
			if err != nil || string(got) != row.want {
				t.Errorf("it says %s (%v), want %s", got, err, row.want)
			}
			if strings.ContainsAny(string(got), "\r\n") {
				t.Error("it is more than one line")
			}
		})
	}
	t.Run("UMP-3.7-6 a damaged record is our fault, and not shown", func(t *testing.T) {
		broken := memory.Record{ID: "urn:ump:aaaa", Origin: []byte(`{"text":"swordfish`)}
		_, err := ump.EventJSON(memory.Event{Type: memory.WasCreated, ID: broken.ID, Record: &broken})
		if memory.KindOf(err) != memory.Internal || strings.Contains(string(ump.ErrorEnvelope(err)), "swordfish") {
			t.Errorf("%v", err)
		}
	})
}
