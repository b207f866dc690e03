package agents

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
)

// negotiate holds the definition against what is in force here.
func (j *judgement) negotiate(ctx context.Context) (aaif.Negotiation, error) {
	m, err := j.service.Manifest(ctx)
	if err != nil {
		return aaif.Negotiation{}, err
	}
	return aaif.Negotiate(j.definition, m, aaif.NegotiateOptions{Now: j.service.opt.Now(), CustomRegion: j.service.opt.CustomRegion}), nil
}

// turnedDown puts into the audit log that a definition of the level regulated is refused,
// whatever its agent says of a log, and returns why it is (AAIF-7-9). What the agent needs
// that is not here stands there also where it was refused for something else before that
// was asked, such as its signature.
func (j *judgement) turnedDown(ctx context.Context, err error, o aaif.IntakeOptions) error {
	why := aaif.CodeOf(err)
	if why == "" || o.DryRun || j.definition.Agent.Compliance.Safety != aaif.Regulated {
		return err
	}
	n, failed := j.negotiate(ctx)
	if failed != nil {
		return errors.Join(err, failed)
	}
	var needs []string
	for _, need := range n.Unsatisfied() {
		if need.Unregistered {
			need.Capability = ""
		}
		needs = append(needs, need.Capability)
	}
	if logged := j.service.store.RejectAgent(ctx, j.caller, IDOf(j.definition.ID), string(why), needs); logged != nil {
		return errors.Join(err, logged)
	}
	return err
}
