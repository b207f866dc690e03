package run

import (
	"context"
)

// finish holds the latest turn to the rules and ends the run with it.
func (h *held) finish(ctx context.Context, m *Means) error {
	text, notes, err := m.Rules.Output(ctx, h.run.Messages[len(h.run.Messages)-1].Content)
	if err != nil {
		return h.refused(ctx, err)
	}
	return h.append(ctx, append(events(notes), Event{Kind: Completed, Text: text})...)
}
