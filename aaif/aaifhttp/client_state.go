package aaifhttp

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// PushState sends a state to another platform as one document (section 8.2), over https
// only. The state needs its migration token and its checksum. TOKEN_REPLAYED means that
// the platform has it already, so that the source must not continue the run.
// [NotConfirmed] means that nobody has confirmed the state.
func (c Client) PushState(ctx context.Context, address string, state canon.Value) (aaif.KeptState, error) {
	u, err := c.endpoint(address, c.Local)
	if err != nil {
		return aaif.KeptState{}, err
	}
	if err := aaif.VerifyChecksum(state); err != nil {
		return aaif.KeptState{}, err
	}
	got, body, err := c.do(ctx, call{method: http.MethodPost, to: u, accept: jsonType, media: jsonType, token: c.Token, body: bytes.NewReader(state.Append(nil))})
	if err != nil {
		return aaif.KeptState{}, err
	}
	if err := checkConfirmation(got, body, state); err != nil {
		return aaif.KeptState{}, err
	}
	landed := stateOf(tree(body))
	landed.StateID = state.Get("state_id").Text() // a frame identifies the state by its checksum
	return landed, nil
}

// stateOf reads the platform's description of a received state, as far as it is complete.
func stateOf(v canon.Value) aaif.KeptState {
	at := func(name string) time.Time {
		t, _ := time.Parse(time.RFC3339Nano, v.Get(name).Text()) // zero: not given
		return t
	}
	return aaif.KeptState{StateID: printable(v.Get("state_id").Text()), AgentID: printable(v.Get("agent_id").Text()), RunID: printable(v.Get("run_id").Text()),
		Status: aaif.RunStatus(printable(v.Get("status").Text())), Source: printable(v.Get("source_platform").Text()),
		CheckpointAt: at("checkpoint_at"), Received: at("received_at"), Warnings: textsOf(v.Get("warnings"))}
}
