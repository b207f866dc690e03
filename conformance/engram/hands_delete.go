package engramsuite

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// deleted deletes a belief of the category health that is older than since.
func deleted(try func(r *run, id, since string) error) func(*run) error {
	return func(r *run) error {
		id, since, err := r.doTo(engram.Health, Hands.Delete)
		if err != nil {
			return err
		}
		return try(r, id, since)
	}
}

// keptTombstones checks tombstones: without hands those of the store, with hands those of
// the run.
func keptTombstones(r *run) error {
	if r.Hands != nil {
		return deleted(tombstone)(r)
	}
	context, told, err := r.gone()
	if err != nil {
		return err
	}
	for id := range told {
		if !context[id] {
			return errors.New("there is no tombstone of what the changes tell as deleted")
		}
	}
	return nil
}

// toldTombstones checks the tombstones in the reported changes.
func toldTombstones(r *run) error {
	if r.Hands != nil {
		return deleted(toldDeleted)(r)
	}
	context, told, err := r.gone()
	if err != nil {
		return err
	}
	for id := range context {
		if !told[id] {
			return errors.New("what is deleted is not told")
		}
	}
	return wellTold(r.diff(everTime))
}

// everTime is a since value older than every store.
const everTime = "1970-01-01T00:00:00Z"

// gone returns the ids of tombstones in the context, and the ids that the changes since ever
// report as deleted. Without any, the row is not tried.
func (r *run) gone() (context, told map[string]bool, err error) {
	d, err := r.get("").document()
	if err != nil {
		return nil, nil, err
	}
	delta, err := r.diff(everTime).delta()
	if err != nil {
		return nil, nil, err
	}
	context, told = map[string]bool{}, map[string]bool{}
	for _, b := range d.Beliefs {
		if b.Status == engram.Deleted {
			context[b.ID] = true
		}
	}
	for _, t := range delta.Deleted {
		told[t.ID] = true
	}
	if len(context)+len(told) == 0 {
		return nil, nil, conformance.Lacks("nothing is deleted, and the run has not the hands of the owner")
	}
	return context, told, nil
}

// tombstone looks for a belief's tombstone.
func tombstone(r *run, id, _ string) error {
	d, err := r.get("").document()
	if err != nil {
		return err
	}
	if b, there := belief(d, id); !there || b.Status != engram.Deleted {
		return errors.New("there is no tombstone of what was deleted")
	}
	return nil
}

// silent corrects a belief and deletes it, and looks for traces of its content or history.
func silent(r *run) error {
	id, _, err := r.doTo(engram.Health, func(owner Hands, ctx context.Context, id string) error {
		return conformance.First(owner.Correct(ctx, id, r.canary(engram.Health)+" corrected"), owner.Delete(ctx, id))
	})
	if err != nil {
		return err
	}
	d, err := r.get("").document()
	if err != nil {
		return err
	}
	said := slices.ContainsFunc(d.Beliefs, func(b engram.Belief) bool {
		return b.ID == id && (b.Text != "" || bytes.Contains(b.Value.Append(nil), []byte(r.canary(engram.Health))))
	})
	said = said || len(changes(d, id)) > 0 || slices.ContainsFunc(d.Corrections, func(c engram.Correction) bool { return c.Belief == id })
	if said {
		return errors.New("the tombstone, or what stands beside it, says what was deleted")
	}
	return nil
}

func scopedTombstone(r *run, id, _ string) error {
	inside, err := r.get("?scope=personal").document()
	if err != nil {
		return err
	}
	outside := r.get("?scope=professional")
	if err := outside.Is(http.StatusOK); err != nil {
		return err
	}
	if b, there := belief(inside, id); !there || b.Status != engram.Deleted {
		return errors.New("the tombstone is not in its scope")
	}
	if bytes.Contains(outside.Body, []byte(id)) {
		return errors.New("the tombstone is in another scope")
	}
	return nil
}

// toldDeleted checks the reported changes of a deleted belief.
func toldDeleted(r *run, id, since string) error {
	a := r.diff(since)
	d, err := a.delta()
	if err != nil {
		return err
	}
	if among(d.Added, id) || among(d.Updated, id) {
		return errors.New("what is deleted is told as added or updated")
	}
	if !slices.ContainsFunc(d.Deleted, func(t engram.Tombstone) bool { return t.ID == id }) {
		return errors.New("what is deleted is not told")
	}
	return wellTold(a)
}

// wellTold checks the members of deleted beliefs in the changes.
func wellTold(a answer) error {
	for _, t := range a.Value.Get("changes").Get("beliefs").Get("deleted").Items() {
		_, timed := engram.ParseInstant(t.Get("deleted_at").Text())
		if len(t.Members()) != 3 || t.Get("status").Text() != string(engram.Deleted) || !timed {
			return errors.New("what is deleted is told in other members than id, status and deleted_at")
		}
	}
	return nil
}

// cameAndWent states a belief and deletes it.
func cameAndWent(r *run) error {
	id, since, err := r.doToNew(Hands.Delete)
	if err != nil {
		return err
	}
	return toldDeleted(r, id, since)
}
