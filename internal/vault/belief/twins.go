package belief

import (
	"context"
	"fmt"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Twin is a memory that claims the id of another memory's belief and says something
// else, as two imports may cause. Contexts show the memory that came first.
type Twin struct {
	Belief        string
	Told, LeftOut memory.ID
}

// String says what is wrong and how to mend it.
func (t Twin) String() string {
	return fmt.Sprintf("belief %s: two memories say different things of it; contexts tell %s, which came first, and leave %s out: "+
		"if that is right, satchel belief correct the belief, and then satchel forget what is left out", t.Belief, t.Told, t.LeftOut)
}

// Twins lists the owner's memories that contexts leave out because an earlier memory has
// their belief, in the order of their arrival.
func (s *Service) Twins(ctx context.Context, c memory.Caller) (twins []Twin, err error) {
	const op = "list"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		all, err := s.gather(ctx, r, c.Owner)
		if err == nil {
			twins, err = s.twinsAmong(r, c.Owner, all)
		}
		return err
	})
	return twins, s.kernel.Refusal(c, op, "", err)
}

// twinsAmong finds the twins among all lineages of an owner.
func (b *beliefs) twinsAmong(r store.Reader, owner memory.DID, all *lineageSet) ([]Twin, error) {
	p, _, err := b.tellAll(r, owner, all, moment{at: b.kernel.Now()}, false)
	return p.twins, err
}

// isTwin notes a belief whose id an earlier belief with another text has.
func (p *passport) isTwin(by idClaim, told engram.BeliefHistory, ver *version) {
	if first := p.told[by.at]; !p.moment.gone(ver) && first.Text != told.Text && first.Status != engram.Deleted {
		p.twins = append(p.twins, Twin{told.ID, by.record, ver.id})
	}
}
