package umpsuite

import (
	"errors"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/ump"
)

func idChecks() []check {
	return []check{
		{"UMP-6.2-1", randomID},
		{"UMP-6.2-2", contentID},
		{"UMP-6.2-3", sameBirth},
		{"UMP-6.2-4", foreignID},
	}
}

var (
	shortID = pattern.New(`^urn:ump:[a-z2-7]{26}$`)
	longID  = pattern.New(`^urn:ump:[a-z2-7]{52}$`)
)

func randomID(r *run) error {
	if says, _ := levelOf("", r.offered); says >= 2 {
		return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "from level 2 on an id is made from the content"}
	}
	n, err := r.plain()
	if err == nil && !shortID.MatchString(string(n.id)) {
		err = errors.New("the id is not 26 characters of base32")
	}
	return err
}

func contentID(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	if !longID.MatchString(string(n.id)) {
		return errors.New("the id is not 52 characters of base32")
	}
	if !ump.IsBirthID(n.record.Append(nil)) {
		return errors.New("the id is not the hash of the record as it was born")
	}
	return nil
}

func sameBirth(r *run) error {
	draft, _ := r.draft(`{"time":{"created":%q,"observed":%q,"valid_from":%q},"provenance":{"actor":"a","actor_kind":"user","method":"said"}}`, longAgo, longAgo, longAgo)
	one, _, err := r.put(draft)
	if err != nil {
		return err
	}
	a := r.forget(one, `{"hard":true}`)
	if a.code() == memory.ForbiddenScope {
		return notTried("the run's token may not erase, so that nothing is born twice")
	}
	if _, err := a.ok(); err != nil {
		return err
	}
	two, _, err := r.put(draft)
	if err == nil && one != two {
		err = errors.New("the same complete draft has another id the second time")
	}
	return err
}

func foreignID(r *run) error {
	v, _ := complete(r, `{}`)
	want := memory.ID(v.Get("id").Text())
	id, _, err := r.put(v)
	if err == nil && id != want {
		err = errors.New("an id made elsewhere was replaced")
	}
	if err != nil {
		return err
	}
	got, err := r.get(want)
	if err == nil && got.Get("id").Text() != string(want) {
		err = errors.New("an id made elsewhere is not kept")
	}
	return err
}
