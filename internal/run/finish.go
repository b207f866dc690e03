package run

import (
	"context"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/policy"
)

// finish holds the latest turn to the rules and ends the run with it.
func (h *held) finish(ctx context.Context, m *Means) error {
	a, err := m.Rules.Output(ctx, h.run.Messages[len(h.run.Messages)-1].Content)
	notes := events(append(m.judged(), a.Notes...))
	if err != nil {
		if code := aaif.CodeOf(err); code != "" {
			return h.append(ctx, append(notes, Event{Kind: Failed, Code: string(code), Text: err.Error(), Step: "output"})...)
		}
		return err
	}
	last := Event{Kind: Completed, Text: a.Text}
	if a.Ask {
		c := outputOf(a.Text)
		last = Event{Kind: Withheld, Call: c.ID, Digest: policy.Digest(c.Tool, c.Arguments), Text: a.Text, Why: a.Why, Until: h.x.Now().Add(h.run.Start.Limits.Wait)}
	}
	return h.append(ctx, append(notes, last)...)
}
