package engramconform

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/trial"
)

// belief returns a belief of a document.
func belief(d engram.Document, id string) (engram.Belief, bool) {
	at := slices.IndexFunc(d.Beliefs, func(b engram.Belief) bool { return b.ID == id })
	if at < 0 {
		return engram.Belief{}, false
	}
	return d.Beliefs[at], true
}

// changes are those of one belief.
func changes(d engram.Document, id string) []engram.Change {
	return slices.DeleteFunc(slices.Clone(d.Evolution), func(c engram.Change) bool { return c.Belief != id })
}

// own returns the run's belief of a category as the context tells it.
func (r *run) own(c engram.Category) (engram.Belief, error) {
	if err := r.state(); err != nil {
		return engram.Belief{}, err
	}
	d, err := r.get("").document()
	b, there := belief(d, r.stated[c])
	if err == nil && !there {
		err = errors.New("what was stated is not in the context")
	}
	return b, err
}

// corrected lets the owner correct a belief of the run, and compares the contexts
// before and after.
func corrected(try func(r *run, before, after engram.Document, id, value string) error) func(*run) error {
	return func(r *run) error {
		id, err := r.spare1()
		if err != nil {
			return err
		}
		before, err := r.get("").document()
		if err != nil {
			return err
		}
		value := "corrected by " + r.nonce
		if err := r.Hands.Correct(r.ctx, id, value); err != nil {
			return fmt.Errorf("correct a belief: %w", err)
		}
		after, err := r.get("").document()
		if err != nil {
			return err
		}
		return try(r, before, after, id, value)
	}
}

// spare1 states a belief that a check may do with as it likes.
func (r *run) spare1() (string, error) {
	if err := r.state(); err != nil {
		return "", err
	}
	return r.spareBelief(engram.Projects)
}

// decided proposes a correction, lets the owner decide, and looks at what came of it.
func decided(confirm bool, try func(b engram.Belief, value string, before, after engram.Document) error) func(*run) error {
	return func(r *run) error {
		id, err := r.spare1()
		if err != nil {
			return err
		}
		return r.decide(id, confirm, try)
	}
}

func (r *run) decide(id string, confirm bool, try func(b engram.Belief, value string, before, after engram.Document) error) error {
	if r.ReadOnly {
		return trial.Lacks("the run proposes nothing")
	}
	a, _, err := r.proposeFor(id)
	if err != nil {
		return err
	}
	before, err := r.get("").document()
	if err != nil {
		return err
	}
	correction, value := a.value.Get("correction_id").Text(), r.proposal(id).Get("new_value").Text()
	if b, _ := belief(before, id); b.Text == value {
		return errors.New("the correction is applied before anybody confirmed it")
	}
	if err := r.Hands.Decide(r.ctx, correction, confirm); err != nil {
		return fmt.Errorf("decide on the correction: %w", err)
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(s string) bool { return s == correction })
	after, err := r.get("").document()
	if err != nil {
		return err
	}
	b, _ := belief(after, id)
	return try(b, value, before, after)
}

// comesBack corrects what is archived.
func comesBack(r *run) error {
	id, err := r.spare1()
	if err != nil {
		return err
	}
	if err := r.Hands.Archive(r.ctx, id); err != nil {
		return fmt.Errorf("archive a belief: %w", err)
	}
	return r.decide(id, true, func(b engram.Belief, value string, _, _ engram.Document) error {
		if b.Status != engram.Active || b.Text != value {
			return errors.New("what was archived does not come back with its correction")
		}
		return nil
	})
}

// archived archives a belief: it stays in the context, and the change is told.
func archived(r *run) error {
	id, err := r.spare1()
	if err != nil {
		return err
	}
	since, err := r.mark()
	if err != nil {
		return err
	}
	if err := r.Hands.Archive(r.ctx, id); err != nil {
		return fmt.Errorf("archive a belief: %w", err)
	}
	d, err := r.get("").document()
	if err != nil {
		return err
	}
	if b, _ := belief(d, id); b.Status != engram.Archived || b.Text == "" {
		return errors.New("what is archived is not in the context as that")
	}
	delta, err := r.diff(since).delta()
	if err == nil && (!among(delta.Updated, id) || among(delta.Added, id)) {
		err = errors.New("what is archived is not told as updated")
	}
	return err
}

// added states a belief and corrects it: it is new, and nothing else.
func added(r *run) error {
	if err := r.state(); err != nil {
		return err
	}
	since, err := r.mark()
	if err != nil {
		return err
	}
	id, err := r.spare1()
	if err != nil {
		return err
	}
	if err := r.Hands.Correct(r.ctx, id, "corrected by "+r.nonce); err != nil {
		return fmt.Errorf("correct a belief: %w", err)
	}
	d, err := r.diff(since).delta()
	if err == nil && (!among(d.Added, id) || among(d.Updated, id)) {
		err = errors.New("what is new is not told as added, and as that alone")
	}
	return err
}

// deleted deletes a belief of the category health; since is from before that.
func deleted(try func(r *run, id, since string) error) func(*run) error {
	return func(r *run) error {
		if err := r.state(); err != nil {
			return err
		}
		id, err := r.spareBelief(engram.Health)
		if err != nil {
			return err
		}
		since, err := r.mark()
		if err != nil {
			return err
		}
		if err := r.Hands.Delete(r.ctx, id); err != nil {
			return fmt.Errorf("delete a belief: %w", err)
		}
		return try(r, id, since)
	}
}

// tombstone looks for one that tells nothing.
func tombstone(r *run, id, _ string) error {
	a := r.get("")
	d, err := a.document()
	if err != nil {
		return err
	}
	b, there := belief(d, id)
	switch {
	case !there || b.Status != engram.Deleted:
		return errors.New("there is no tombstone of what was deleted")
	case b.Text != "" || bytes.Contains(b.Value.Append(nil), []byte(r.canary(engram.Health))):
		return errors.New("the tombstone says what was deleted")
	}
	return nil
}

func scopedTombstone(r *run, id, _ string) error {
	inside, err := r.get("?scope=personal").document()
	if err != nil {
		return err
	}
	outside := r.get("?scope=professional")
	if b, there := belief(inside, id); !there || b.Status != engram.Deleted {
		return errors.New("the tombstone is not in its scope")
	}
	if bytes.Contains(outside.body, []byte(id)) {
		return errors.New("the tombstone is in another scope")
	}
	return nil
}

// toldDeleted looks at what is told of a belief that was deleted.
func toldDeleted(r *run, id, since string) error {
	a := r.diff(since)
	d, err := a.delta()
	if err != nil {
		return err
	}
	if among(d.Added, id) || among(d.Updated, id) {
		return errors.New("what is deleted is told as added or updated")
	}
	for _, t := range a.value.Get("changes").Get("beliefs").Get("deleted").Items() {
		if t.Get("id").Text() == id {
			if len(t.Members()) != 3 || t.Get("status").Text() != string(engram.Deleted) || t.Get("deleted_at").Text() == "" {
				return errors.New("what is deleted is told in other members than id, status and deleted_at")
			}
			return nil
		}
	}
	return errors.New("what is deleted is not told")
}

// cameAndWent states a belief and deletes it.
func cameAndWent(r *run) error {
	if err := r.state(); err != nil {
		return err
	}
	since, err := r.mark()
	if err != nil {
		return err
	}
	id, err := r.spare1()
	if err != nil {
		return err
	}
	if err := r.Hands.Delete(r.ctx, id); err != nil {
		return fmt.Errorf("delete a belief: %w", err)
	}
	if err := r.call(r.Token, http.MethodGet, diffPath+"?since="+since, "").is(200); err != nil {
		return err
	}
	return toldDeleted(r, id, since)
}
