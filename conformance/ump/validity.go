package umpsuite

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

func validityChecks() []check {
	return []check{
		{"UMP-2.3-1", twoTimelines},
		{"UMP-2.3-2", changeLinks},
		{"UMP-2.3-3", historyAsked},
	}
}

func twoTimelines(r *run) error {
	n, err := r.noted(`{"time":{"valid_from":%q}}`, longAgo)
	if err != nil {
		return err
	}
	time := n.record.Get("time")
	switch {
	case time.Get("valid_from").Text() != longAgo:
		return errors.New("valid_from is not kept")
	case strings.HasPrefix(time.Get("created").Text(), "2020"), strings.HasPrefix(time.Get("observed").Text(), "2020"):
		return errors.New("created or observed was taken from valid_from")
	}
	return first(
		r.finds(n.word, `{"filter":{"valid_at":"`+sinceThen+`"}}`, []memory.ID{n.id}, nil),
		r.finds(n.word, `{"filter":{"valid_at":"2019-06-01T00:00:00Z"}}`, nil, []memory.ID{n.id}))
}

func changeLinks(r *run) error {
	c, err := r.revised()
	switch {
	case err != nil:
		return err
	case c.prior.record.Get("time").Get("valid_to").Text() == "":
		return errors.New("the old fact was not ended")
	case !has(c.next.record.Get("supersedes"), c.prior.id):
		return errors.New("the new fact does not link to the old one")
	}
	return nil
}

// at returns the patch of a recall's request that asks for an instant.
func at(instant string) string { return `{"filter":{"valid_at":"` + instant + `"}}` }

func historyAsked(r *run) error {
	c, err := r.revised()
	if err != nil {
		return err
	}
	both := c.prior.word + " " + c.next.word
	return first(
		r.finds(both, at(sinceThen), []memory.ID{c.prior.id}, []memory.ID{c.next.id}),
		r.finds(both, at(afterwards), []memory.ID{c.next.id}, []memory.ID{c.prior.id}))
}
