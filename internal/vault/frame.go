package vault

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

var _ ump.Rehydrator = (*Vault)(nil)

// frameBudget is how many tokens a frame has unless another number is asked for.
const frameBudget = 2000

// Rehydrate recalls and frames what it finds for a model (UMP 5.3).
func (v *Vault) Rehydrate(ctx context.Context, c memory.Caller, q memory.Query) (memory.Framed, error) {
	budget := q.Budget
	q.Budget = 0 // the frame counts what it adds
	hits, err := v.Recall(ctx, c, q)
	if err != nil {
		return memory.Framed{}, err
	}
	records := make([]memory.Record, len(hits))
	for i, h := range hits {
		records[i] = h.Record
	}
	if q.Scope.Owner == "" {
		q.Scope.Owner = c.Owner
	}
	framed, err := v.framed(q.Scope.Owner, records, budget)
	return framed, v.refusal(c, "recall", "", err)
}

// framed puts records that have passed the gate into a frame.
func (v *Vault) framed(owner memory.DID, records []memory.Record, budget int) (memory.Framed, error) {
	if budget <= 0 {
		budget = frameBudget
	}
	return ump.Frame(records, ump.FrameOptions{
		Owner: owner, Nonce: v.random(), Budget: budget, Tokens: recall.Tokens, Now: v.now(),
		RequireSigned: v.allSigned && v.holder(owner) != nil, Verified: v.sound, Public: true,
	})
}

// random returns 128 random bits in base32.
func (v *Vault) random() string { return strings.ToLower(rand.Text()) }
