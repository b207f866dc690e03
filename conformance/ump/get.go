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
		{"UMP-3.4-1", asStored},
		{"UMP-3.4-3", ownerGetsAll},
		{"UMP-3.4-4", getIsStrict},
		{"UMP-3.4-5", withoutID},
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
	token, err := outsider(r)
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
		return nil // the server cannot tell callers apart
	}
	c, err := curate(r)
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
