package meaning

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/embed"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// rest is how long no question is sent after one without an answer.
const rest = 10 * time.Second

// byWords ends each notice.
const byWords = "; found by words alone"

// Ask implements [vault.Meaning]. Secrets in the question are masked before it is sent.
func (s *Service) Ask(ctx context.Context, owner memory.DID, question string) vault.MeaningSearch {
	c, err := s.current(ctx, owner)
	if err != nil || !c.on() {
		return nil // the search itself reports a store that fails
	}
	redact.Mask(&question)
	vectors, failure, err := s.vectorsWithin(ctx, s.wait, owner, c, func(ctx context.Context, e Embedder) ([]embed.Vector, error) {
		return e.Embed(ctx, []string{question})
	})
	switch {
	case err != nil:
		return nil
	case failure != "":
		return notSearched(failure)
	}
	return func(r store.Reader, apart bool) ([]recall.Near, string, error) {
		return s.search(owner, c, r, vectors[0], apart)
	}
}

// vectorsWithin asks an owner's server of embeddings for vectors, unless the server rests. failure
// says in words why there are none; err is the end of ctx alone.
func (s *Service) vectorsWithin(ctx context.Context, wait time.Duration, owner memory.DID, c current, ask func(context.Context, Embedder) ([]embed.Vector, error)) (vectors []embed.Vector, failure string, err error) {
	if failure := s.resting(owner); failure != "" {
		return nil, failure, nil
	}
	e, err := s.open(owner, c)
	if err != nil {
		return nil, s.tire(owner, "the server of embed cannot be asked: its key is missing"), nil
	}
	limited, stop := context.WithTimeout(ctx, wait)
	defer stop()
	if vectors, err = ask(limited, e); err == nil {
		return vectors, "", nil
	}
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	return nil, s.tire(owner, failureOf(err)), nil
}

// notSearched finds nothing, and says why.
func notSearched(failure string) vault.MeaningSearch {
	return func(store.Reader, bool) ([]recall.Near, string, error) { return nil, failure + byWords, nil }
}

// failureOf says in words what went wrong, and nothing that the server says.
func failureOf(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the server of embed did not answer in time"
	case errors.Is(err, embed.ErrDimension):
		return "the server of embed answers with other vectors than before"
	}
	return "the server of embed did not answer the question"
}

// resting returns why no question is sent now; empty: one may be.
func (s *Service) resting(owner memory.DID) string {
	o := s.of(owner)
	o.mu.Lock()
	defer o.mu.Unlock()
	if left := o.rests.Sub(s.kernel.Now()); left > 0 && left <= rest {
		return o.failure
	}
	return ""
}

// tire sends no question for a while, and returns the failure.
func (s *Service) tire(owner memory.DID, failure string) string {
	o := s.of(owner)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rests, o.failure, o.embedder = s.kernel.Now().Add(rest), failure, nil
	return failure
}
