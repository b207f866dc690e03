package umpsuite

import (
	"errors"
	"net/http"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func fullChecks() []check {
	return []check{
		{"UMP-3.8-1", feedbackTaken},
		{"UMP-3.8-2", feedbackAlters},
		{"UMP-3.8-3", changesFollowed},
		{"UMP-3.8-4", eventStream},
		{"UMP-3.8-5", followersSeeNoMore},
	}
}

func feedbackTaken(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	for _, outcome := range []string{"followed", "overridden", "ignored", "contradicted"} {
		a := r.post("feedback", object(`{"id":%q,"outcome":%q,"session":"conformance"}`, n.id, outcome))
		if a.code() == memory.Unsupported || a.Status == http.StatusNotFound && a.code() != memory.NotFound {
			return notOffered("feedback")
		}
		v, err := a.ok()
		if err != nil {
			return err
		}
		if !v.Get("ok").True() {
			return errors.New("feedback does not answer {\"ok\":true}")
		}
	}
	return first(
		r.post("feedback", object(`{"id":%q,"outcome":"good"}`, n.id)).refused(memory.InvalidRecord),
		r.post("feedback", object(`{"id":"urn:ump:aaaa","outcome":"followed"}`)).refused(memory.NotFound))
}

func feedbackAlters(r *run) error {
	n, err := r.noted(`{}`)
	if err != nil {
		return err
	}
	a := r.post("feedback", object(`{"id":%q,"outcome":"contradicted"}`, n.id))
	if a.code() == memory.Unsupported {
		return notOffered("feedback")
	}
	if _, err := a.ok(); err != nil {
		return err
	}
	got, err := r.get(n.id)
	if err == nil && !canon.Equal(got, n.record) {
		err = errors.New("feedback altered the record")
	}
	if err == nil && got.Has("integrity") {
		err = ump.Verify(got.Append(nil))
	}
	return err
}
