package belief

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Believe states a belief by the owner's word. A statement with the category, key and
// value of a belief in force confirms that belief. A statement with another value
// contradicts it (decision E-50): it waits as a correction by system, unless resolve
// says that the new value holds.
func (s *Service) Believe(ctx context.Context, c memory.Caller, b engram.Belief, resolve bool) (engram.StatementResult, error) {
	if err := checkBelief(b); err != nil {
		return engram.StatementResult{}, err
	}
	b.Tags = slices.Clone(b.Tags)
	vault.MaskTexts(c, &b.Key, &b.Text)
	for i := range b.Tags {
		vault.MaskTexts(c, &b.Tags[i])
	}
	var done engram.StatementResult
	err := s.govern(ctx, c, "believe", s.kernel.Store().Update, func(g beliefTx) error {
		have, found, err := g.alike(b)
		switch {
		case err != nil:
			return err
		case !found:
			done, err = g.state(b)
		case sameValue(have.Text, b.Text):
			done, err = g.stateAgain(have)
		case resolve:
			done, err = g.stateInstead(have, b.Text)
		default:
			done, err = g.contradict(have, b.Text)
		}
		return err
	})
	return done, err
}

func checkBelief(b engram.Belief) error {
	switch {
	case b.ID != "" && !engram.IsID(b.ID):
		return wrongRequest("ENGRAM-3.4-1", "the id of a belief is a UUIDv4: leave it out to be given one")
	case b.Category == "":
		return wrongRequest("ENGRAM-3.4-4", "a belief needs a category")
	case strings.TrimSpace(b.Key) == "":
		return wrongRequest("ENGRAM-3.4-5", "a belief needs a key: what it is about")
	case b.Confidence < 0 || b.Confidence > 1:
		return wrongRequest("ENGRAM-3.4-9", "confidence is a number from 0 to 1")
	case !slices.Contains([]engram.Source{"", engram.UserStated, engram.Inferred, engram.Corrected}, b.Source):
		return wrongRequest("ENGRAM-3.4-11", "source is user_stated, inferred or corrected")
	case !slices.Contains([]string{"", "string", "boolean", "number", "enum"}, b.ValueType):
		return wrongRequest("ENGRAM-3.4-7", "value_type is string, boolean, number or enum")
	case b.StaleAfter != nil && *b.StaleAfter < 0:
		return wrongRequest("ENGRAM-3.4-20", "stale_after_days is a number of days")
	}
	return checkText("value", b.Text)
}

// normal returns a text in the form in which texts are compared: lower case, single
// spaces.
func normal(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

func sameValue(a, b string) bool { return normal(a) == normal(b) }

// alike returns the belief in force with the same category and key, if there is one. It
// refuses an id that a belief has or had (ENGRAM-3.4-3).
func (g beliefTx) alike(b engram.Belief) (have beliefRecords, found bool, err error) {
	if err := g.unused(b.ID); err != nil {
		return have, false, err
	}
	for _, have = range g.index.beliefs {
		if have.Status == engram.Active && have.Category == b.Category && sameValue(have.Key, b.Key) {
			return have, true, nil
		}
	}
	return have, false, nil
}

// state stores a belief that contradicts no other.
func (g beliefTx) state(b engram.Belief) (engram.StatementResult, error) {
	if b.ID == "" {
		id, err := engram.NewID(rand.Reader)
		if err != nil {
			return engram.StatementResult{}, err
		}
		b.ID = id
	}
	b.Status, b.CreatedAt, b.DeletedAt = engram.Active, g.now, time.Time{}
	if b.Source == "" {
		b.Source = engram.UserStated
	}
	if b.Confidence == 0 && b.Source == engram.UserStated {
		b.Confidence = statedConfidence
	}
	if b.LastConfirmed = g.now; b.Source == engram.Inferred {
		b.LastConfirmed = time.Time{} // nobody has validated it
	}
	rec, err := g.tell.Draft(b)
	if err != nil {
		return engram.StatementResult{}, err
	}
	if rec, err = g.lay(rec, store.Created); err != nil {
		return engram.StatementResult{}, err
	}
	row, err := g.w.Row(rec.ID)
	if err != nil {
		return engram.StatementResult{}, err
	}
	g.vault.places.learn(g.tell.Owner, b.ID, row.Number)
	told, err := g.tell.Belief(engram.Lineage{Versions: []memory.Record{rec}})
	return engram.StatementResult{Belief: told.Belief}, err
}

// stateAgain confirms a belief that the owner states again.
func (g beliefTx) stateAgain(have beliefRecords) (engram.StatementResult, error) {
	have, err := g.confirm(have)
	return engram.StatementResult{Belief: have.Belief, Unchanged: true}, err
}

// stateInstead replaces the belief that a statement contradicts.
func (g beliefTx) stateInstead(have beliefRecords, value string) (engram.StatementResult, error) {
	have, err := g.override(have, valueChange{
		value: value, method: engram.Explicit, trigger: engram.ContradictionResolution, confidence: statedConfidence,
	})
	return engram.StatementResult{Belief: have.Belief}, err
}

// contradict makes a statement wait for the owner, as a correction by system
// (ENGRAM-3.9-CORR-23).
func (g beliefTx) contradict(have beliefRecords, value string) (engram.StatementResult, error) {
	k, err := g.propose(have, engram.Proposal{Belief: have.ID, New: value, ObservedAt: g.now})
	return engram.StatementResult{Belief: have.Belief, Contradicts: &k}, err
}
