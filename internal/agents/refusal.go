package agents

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
)

// negotiate compares the definition with the features in force here.
func (j *judgement) negotiate(ctx context.Context) (aaif.Negotiation, error) {
	m, err := j.service.Manifest(ctx)
	if err != nil {
		return aaif.Negotiation{}, err
	}
	return aaif.Negotiate(j.definition, m, aaif.NegotiateOptions{Now: j.service.opt.Now(), CustomRegion: j.service.opt.CustomRegion}), nil
}

// turnedDown writes the refusal of a definition at level regulated to the audit log,
// even if its agent wants no log. It returns the reasons (AAIF-7-9). They include the
// unmet needs of the agent even if an earlier check, such as the signature, refused it.
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
