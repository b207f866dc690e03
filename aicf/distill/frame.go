package distill

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/text/conversation"
)

// head makes the entry of the conversation itself, and returns the time of
// distilling.
func (d *Distiller) head(c conversation.Conversation, tokens int) (*aicf.Conversation, time.Time, error) {
	id := safe(c.ID, -1)
	if c.ID == "" {
		id = "conversation"
	}
	for n, plain := 2, id; d.ids[id]; n++ {
		id = plain + "_" + strconv.Itoa(n)
	}
	d.ids[id] = true
	now := c.Ended
	if d.options.Now != nil {
		now = d.options.Now().UTC().Truncate(time.Second)
	}
	if now.IsZero() {
		return nil, now, fmt.Errorf("conversation %s has no date, and none was given for it", id)
	}
	if c.Started.IsZero() {
		d.report.Undated++
		c.Started, c.Ended = now, now
	}
	messages, n := int64(len(c.Turns)), int64(tokens)
	head := &aicf.Conversation{
		ID: id, TimestampStart: aicf.Stamp{Time: c.Started}, TimestampEnd: aicf.Stamp{Time: c.Ended}, Messages: &messages, Tokens: &n, Participants: c.Participants,
	}
	if topic := split(c.Title); len(topic) > 0 {
		head.Topic = &topic[0]
	}
	if c.Source != "" {
		head.Platform = &c.Source
	}
	return head, now, nil
}

func (d *Distiller) state(g *gather) *aicf.State {
	status, actions := aicf.Word("completed"), g.actions()
	if slices.ContainsFunc(g.found, func(s statement) bool { return s.kind == Open }) {
		status = "in_progress"
	}
	return &aicf.State{Status: &status, Actions: &actions, Flow: g.flow()}
}

// consolidated reports the savings, and the part of the words that was kept
// (AICF-COMP-8).
func (d *Distiller) consolidated(head *aicf.Conversation, at time.Time, entries []aicf.Entry, before int, kept float64) *aicf.Consolidation {
	c := &aicf.Consolidation{
		ID: "distilled_" + strconv.Itoa(d.report.Conversations+1), SourceItems: []string{head.ID}, ConsolidatedAt: aicf.Stamp{Time: at}, Method: "importance_filtering",
		InformationPreserved: strconv.FormatFloat(100*kept, 'f', 1, 64) + "%", CompressionRatio: "0.000",
	}
	if data, _, err := aicf.Encode(&aicf.Contents{Entries: append(slices.Clone(entries), c)}, aicf.WriteOptions{}); err == nil {
		c.CompressionRatio = strconv.FormatFloat(saved(before, Tokens(string(data))), 'f', 3, 64)
	}
	return c
}

// saved returns 1 − after/before.
func saved(before, after int) float64 {
	if before == 0 {
		return 0
	}
	return 1 - float64(after)/float64(before)
}
