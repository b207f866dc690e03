package engram_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

func TestDelivery(t *testing.T) {
	delta := engram.Delta{
		Added: []engram.Belief{{ID: "a", Text: "pistachio"}}, Updated: []engram.Belief{{ID: "u", Key: "pistachio"}},
		Deleted:     []engram.Tombstone{{ID: "d"}},
		Corrections: []engram.Correction{{ID: "w", Status: engram.Pending, New: "pistachio"}, {ID: "r", Status: engram.Rejected}},
	}
	d := engram.Delivery{Subscription: engram.Subscription{ID: "s"}, GeneratedAt: noon(t), Happened: delta.Events(engram.EventTypes())}
	body := d.Body()
	t.Run("ENGRAM-12.5-1 a delivery names what changed and nothing of what it says", func(t *testing.T) {
		want := `{"engram_version":"0.1","events":[{"id":"a","type":"belief.added"},{"id":"u","type":"belief.updated"},{"id":"d","type":"belief.deleted"},{"id":"r","type":"correction.resolved"}],` +
			`"generated_at":"2026-05-01T12:00:00Z","subscription_id":"s"}`
		if string(body) != want {
			t.Errorf("%s", body)
		}
		if only := delta.Events([]engram.EventType{engram.BeliefDeleted}); len(only) != 1 || only[0].ID != "d" {
			t.Errorf("%v", only)
		}
	})
	t.Run("ENGRAM-12.5-1 its signature is of its secret, its time and its bytes", func(t *testing.T) {
		const secret = "a secret of some length"
		header := engram.SignDelivery(secret, noon(t), body)
		for name, ok := range map[string]bool{
			"as it is":          engram.VerifyDelivery(header, secret, body, noon(t).Add(time.Minute)),
			"another secret":    !engram.VerifyDelivery(header, secret+"x", body, noon(t)),
			"another body":      !engram.VerifyDelivery(header, secret, append([]byte(" "), body...), noon(t)),
			"an hour too early": !engram.VerifyDelivery(header, secret, body, noon(t).Add(-time.Hour)),
			"an hour later":     !engram.VerifyDelivery(header, secret, body, noon(t).Add(time.Hour)),
			"another time":      !engram.VerifyDelivery(strings.Replace(header, "t=1", "t=2", 1), secret, body, noon(t)),
			"no signature":      !engram.VerifyDelivery("", secret, body, noon(t)),
		} {
			if !ok {
				t.Errorf("%s: %s", name, header)
			}
		}
	})
	for name, s := range map[string]engram.Subscription{
		"http":         {URL: "http://x.example/h"},
		"no address":   {URL: "https:///h"},
		"a user":       {URL: "https://u:p@x.example/h"},
		"no events":    {Events: []engram.EventType{}},
		"other events": {Events: []engram.EventType{"belief.read"}},
		"no secret":    {Secret: "short"},
	} {
		t.Run("ENGRAM-12.5-1 refused: "+name, func(t *testing.T) {
			good := engram.Subscription{URL: "https://x.example/h", Events: engram.EventTypes(), Secret: strings.Repeat("s", 16)}
			if err := good.Check(); err != nil {
				t.Fatal(err)
			}
			if s.URL != "" {
				good.URL = s.URL
			}
			if s.Events != nil {
				good.Events = s.Events
			}
			if s.Secret != "" {
				good.Secret = s.Secret
			}
			if good.Check() == nil {
				t.Error("it is taken")
			}
		})
	}
}
