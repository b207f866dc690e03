package engramsuite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/engram"
)

// belief returns a belief of a document.
func belief(d engram.Document, id string) (engram.Belief, bool) {
	at := slices.IndexFunc(d.Beliefs, func(b engram.Belief) bool { return b.ID == id })
	if at < 0 {
		return engram.Belief{}, false
	}
	return d.Beliefs[at], true
}

// changes returns the changes of one belief.
func changes(d engram.Document, id string) []engram.Change {
	return slices.DeleteFunc(slices.Clone(d.Evolution), func(c engram.Change) bool { return c.Belief != id })
}

// deed is an act of the owner on a belief, such as [Hands.Archive].
type deed func(owner Hands, ctx context.Context, id string) error

// correct returns the deed that gives a belief another value.
func correct(value string) deed {
	return func(owner Hands, ctx context.Context, id string) error { return owner.Correct(ctx, id, value) }
}

func (r *run) do(act deed, id string) error {
	if err := act(r.Hands, r.ctx, id); err != nil {
		return fmt.Errorf("an act of the owner: %w", err)
	}
	return nil
}

// spare1 states a belief for a check to change freely.
func (r *run) spare1() (string, error) { return r.spareBelief(engram.Projects) }

// doTo does something to a belief older than since.
func (r *run) doTo(c engram.Category, act deed) (id, since string, err error) {
	if id, err = r.spareBelief(c); err != nil {
		return "", "", err
	}
	if since, err = r.mark(); err != nil {
		return "", "", err
	}
	return id, since, r.do(act, id)
}

// doToNew does something to a belief newer than since.
func (r *run) doToNew(act deed) (id, since string, err error) {
	if since, err = r.mark(); err != nil {
		return "", "", err
	}
	if id, err = r.spareBelief(engram.Projects); err != nil {
		return "", "", err
	}
	return id, since, r.do(act, id)
}

// stays archives a belief: the context still has it.
func stays(r *run) error {
	id, _, err := r.doTo(engram.Projects, Hands.Archive)
	if err != nil {
		return err
	}
	return r.inContext(id, engram.Archived)
}

// inContext looks for a belief of the run in the context, with its stated members.
func (r *run) inContext(id string, status engram.Status) error {
	d, err := r.get("").document()
	if err != nil {
		return err
	}
	if b, _ := belief(d, id); b.Status != status || b.Text == "" || b.Confidence != certain {
		return fmt.Errorf("a belief that is %s is not in the context as that", status)
	}
	return nil
}

// everyStatus looks for archived, stale and deleted beliefs.
func everyStatus(r *run) error {
	old, err := r.stale()
	if err != nil {
		return err
	}
	if err := r.inContext(old, engram.Active); err != nil {
		return fmt.Errorf("and stale: %w", err)
	}
	if err := stays(r); err != nil {
		return err
	}
	return deleted(tombstone)(r)
}

// toldUpdated archives a belief: the changes report it, with the whole belief.
func toldUpdated(r *run) error {
	id, since, err := r.doTo(engram.Projects, Hands.Archive)
	if err != nil {
		return err
	}
	delta, err := r.diff(since).delta()
	if err != nil {
		return err
	}
	if !among(delta.Updated, id) || among(delta.Added, id) {
		return errors.New("what is archived is not told as updated")
	}
	return r.asInContext(delta.Updated, id)
}

// asInContext compares a reported belief with the one in the context.
func (r *run) asInContext(told []engram.Belief, id string) error {
	d, err := r.get("").document()
	if err != nil {
		return err
	}
	b, _ := belief(d, id)
	at := slices.IndexFunc(told, func(b engram.Belief) bool { return b.ID == id })
	if at < 0 || !same(told[at].Value, b.Value) {
		return errors.New("a belief is told as another than in the context")
	}
	return nil
}

// toldAdded states a belief and corrects it: the changes report it as new, and as nothing
// else.
func toldAdded(r *run) error {
	id, since, err := r.doToNew(correct("corrected by " + r.nonce))
	if err != nil {
		return err
	}
	d, err := r.diff(since).delta()
	if err != nil {
		return err
	}
	if !among(d.Added, id) || among(d.Updated, id) {
		return errors.New("what is new is not told as added, and as that alone")
	}
	return r.asInContext(d.Added, id)
}
