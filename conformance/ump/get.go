package umpsuite

import (
	"errors"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

func getChecks() []check {
	return []check{
		{"UMP-3.4-1", implied, "L1", "get gives the record as it is stored.", asStored, false},
		{"UMP-3.4-2", implied, "L1", "An id nobody has is not_found.", unknownID, true},
		{"UMP-3.4-3", implied, "L2", "The owner can get what was superseded or forgotten.", ownerGetsAll, false},
		{"UMP-3.4-4", implied, "L2", "get is as strict as recall about who may see what.", getIsStrict, false},
		{"UMP-3.4-5", implied, "L1", "get without an id is malformed.", withoutID, false},
	}
}

func asStored(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	if !strings.Contains(n.record.Get("body").Get("text").Text(), n.word) {
		return errors.New("get gives another text than was remembered")
	}
	got, err := r.get(n.id)
	if err == nil && !canon.Equal(got, n.record) {
		err = errors.New("get twice gives two records")
	}
	return err
}

func unknownID(r *run) error {
	return first(r.fetch("urn:ump:aaaa").refused(memory.NotFound), r.seen.verdict("UMP-3.4-2"))
}

func ownerGetsAll(r *run) error {
	c, err := r.revised()
	if err != nil {
		return err
	}
	if _, err := r.get(c.prior.id); err != nil {
		return err
	}
	n, err := r.gone()
	if err != nil {
		return err
	}
	_, err = r.get(n.id)
	return err
}

func getIsStrict(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	token, err := r.outsider()
	if err != nil {
		return err
	}
	for _, token := range []string{token, ""} {
		if err := r.fetchAs(token, n.id).refused(memory.NotFound, memory.ForbiddenScope, memory.Unauthorized); err != nil {
			return err
		}
	}
	peer, err := r.peer()
	if err != nil {
		return nil // nobody else can be told apart
	}
	c, err := r.curate()
	if err != nil || !c.shared {
		return err
	}
	a := r.fetchAs(peer, c.cut.id)
	if _, err := a.ok(); err != nil {
		return err
	}
	if strings.Contains(string(a.Body), c.secret) {
		return errors.New("get gives a peer what is redacted")
	}
	return nil
}

func withoutID(r *run) error {
	return first(
		r.call(r.Token, http.MethodGet, "/ump/memory/", nil).refused(memory.InvalidRecord, memory.NotFound),
		r.fetch("x").refused(memory.NotFound),
		r.raw("revise", `{"patch":{"body":{"text":"x"}}}`).refused(memory.InvalidRecord, memory.Unsupported, memory.NotFound))
}
