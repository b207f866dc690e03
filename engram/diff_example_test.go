package engram_test

import (
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// A runtime brings the context that it has up to date by what has changed since.
func ExampleParseDelta() {
	since := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	answer := engram.EncodeDelta(engram.Delta{
		Since: since, GeneratedAt: since.Add(time.Hour),
		Added: []engram.Belief{{ID: "11111111-1111-4111-8111-111111111111", Category: "communication", Key: "email_style", Text: "short, direct",
			Confidence: 1, Source: "user_stated", Status: "active", CreatedAt: since.Add(time.Minute)}},
	})
	delta, err := engram.ParseDelta(answer, engram.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, b := range delta.Added {
		fmt.Println(b.Key+":", b.Text)
	}
	fmt.Println("ask next since", engram.FormatInstant(delta.GeneratedAt))
	// Output:
	// email_style: short, direct
	// ask next since 2026-06-01T13:00:00Z
}
