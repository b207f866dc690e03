package aaifhttp

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// PushState sends a state to another platform as one document (section 8.2): over https
// only, with its migration token and its checksum set. TOKEN_REPLAYED means that it is
// there already: the source does not go on with the run. [NotConfirmed] means that nobody
// has said that it is there.
func (c Client) PushState(ctx context.Context, address string, state canon.Value) (aaif.Landed, error) {
	u, err := c.endpoint(address, c.Local)
	if err != nil {
		return aaif.Landed{}, err
	}
	if err := aaif.VerifyChecksum(state); err != nil {
		return aaif.Landed{}, err
	}
	got, body, err := c.do(ctx, call{method: http.MethodPost, to: u, accept: jsonType, media: jsonType, token: c.Token, body: bytes.NewReader(state.Append(nil))})
	if err != nil {
		return aaif.Landed{}, err
	}
	if err := confirmed(got, body, state); err != nil {
		return aaif.Landed{}, err
	}
	landed := landedOf(tree(body))
	landed.StateID = state.Get("state_id").Text() // a frame says which by its checksum
	return landed, nil
}

// landedOf reads what a platform says of a state that it has taken in, as far as it
// says so.
func landedOf(v canon.Value) aaif.Landed {
	at := func(name string) time.Time {
		t, _ := time.Parse(time.RFC3339Nano, v.Get(name).Text()) // zero: it does not say
		return t
	}
	return aaif.Landed{StateID: shown(v.Get("state_id").Text()), AgentID: shown(v.Get("agent_id").Text()), RunID: shown(v.Get("run_id").Text()),
		Status: aaif.RunStatus(shown(v.Get("status").Text())), Source: shown(v.Get("source_platform").Text()),
		CheckpointAt: at("checkpoint_at"), Received: at("received_at"), Warnings: textsOf(v.Get("warnings"))}
}
