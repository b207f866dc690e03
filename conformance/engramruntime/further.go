package engramruntime

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

const (
	correctPath = "/v1/context/correct"
	diffPath    = "/v1/context/diff"
)

// furtherChecks covers what runtimes of the tiers Writer and Full do in addition. These rows
// have no level.
func furtherChecks() []check {
	return []check{
		{"ENGRAM-6-3", "", proposes},
		{"ENGRAM-6-4", "", keepsUp},
		{"ENGRAM-3.9-DIFF-9", "", func(r *run) error {
			p, err := r.syncs(http.StatusOK)
			if err != nil {
				return err
			}
			return p.without(p.value("tides"))
		}},
	}
}

// lacks ends a row for which the run has no command.
func lacks(what string) error {
	return &conformance.Skipped{Outcome: conformance.NotApplicable, Reason: "it takes a command of the runtime that " + what}
}

// proposes makes the runtime propose a correction, to a store that accepts it and to some
// that do not.
func proposes(r *run) error {
	if r.Correct == nil {
		return lacks("proposes a correction")
	}
	p, err := r.corrects(http.StatusCreated, "")
	if err != nil {
		return err
	}
	if !p.said.Done {
		return fmt.Errorf("it fails: %s", line(p.said.Log))
	}
	if err := p.proposed(); err != nil {
		return err
	}
	for _, code := range []engram.Code{engram.Unauthorized, engram.Forbidden, engram.BeliefNotFound, engram.ServerError} {
		p, err := r.corrects(code.Status(), code)
		if err == nil && p.said.Done {
			err = fmt.Errorf("the store answers %s, and it ends as if nothing were wrong", code)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// corrects starts the command that proposes a correction.
func (r *run) corrects(status int, code engram.Code) (*play, error) {
	call := Call{Belief: engram.IDFrom(r.mark, "meetings"), Value: r.value("right")}
	return r.play(scene{start: r.Correct, further: call, answer: func(p *play, w http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path != correctPath || q.Method != http.MethodPost {
			return false
		}
		body := object("error", object("code", canon.String(string(code)), "message", canon.String("no"), "status", canon.Int(int64(status))))
		if code == "" {
			body = object("correction_id", canon.String(engram.IDFrom(p.mark, "correction")), "belief_id", canon.String(call.Belief),
				"status", canon.String(string(engram.Pending)), "message", canon.String("it waits for the user"))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		write(w, body.Append(nil))
		return true
	}})
}

// proposed looks for the single proposal that the runtime should send.
func (p *play) proposed() error {
	var sent []request
	for _, q := range p.requests() {
		if q.method == http.MethodPost {
			sent = append(sent, q)
		}
	}
	if len(sent) != 1 || sent[0].path != correctPath {
		return fmt.Errorf("it sends %s proposals to %s, not one", strconv.Itoa(len(sent)), correctPath)
	}
	v, err := canon.Parse(sent[0].body, canon.Options{})
	_, dated := engram.ParseInstant(v.Get("timestamp").Text())
	switch {
	case err != nil || v.Get("belief_id").Text() != p.further.Belief || v.Get("new_value").Text() != p.further.Value:
		return errors.New("belief_id and new_value are not those that it was given")
	case v.Get("runtime_id").Text() == "":
		return errors.New("it does not say in runtime_id who proposes")
	case !dated:
		return errors.New("timestamp is no time")
	case sent[0].token != "Bearer "+p.token:
		return errors.New("the token is not sent as Authorization: Bearer")
	}
	return nil
}

// keepsUp makes the runtime ask for changes, from a store that answers and from some that do
// not.
func keepsUp(r *run) error {
	if r.Sync == nil {
		return lacks("asks what changed")
	}
	p, err := r.syncs(http.StatusOK)
	if err != nil {
		return err
	}
	if err := p.used(p.value("added")); err != nil {
		return err
	}
	for _, q := range p.requests() {
		if q.path != diffPath {
			continue
		}
		if _, dated := engram.ParseInstant(q.query.Get("since")); !dated || q.token != "Bearer "+r.token {
			return errors.New("it asks without since, or without Authorization: Bearer")
		}
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusInternalServerError} {
		p, err := r.syncs(status)
		if err == nil && p.without(p.value("added")) != nil {
			err = fmt.Errorf("it uses what comes with status %d", status)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// syncs starts the command that asks for changes.
func (r *run) syncs(status int) (*play, error) {
	if r.Sync == nil {
		return nil, lacks("asks what changed")
	}
	since := r.began.Add(-time.Hour)
	return r.play(scene{start: r.Sync, further: Call{Since: since}, answer: func(p *play, w http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path != diffPath {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		write(w, engram.EncodeDelta(engram.Delta{
			Since: since, GeneratedAt: r.began, Added: []engram.Belief{engram.ReadBelief(p.belief("added"))},
			Deleted: []engram.Tombstone{{ID: engram.IDFrom(p.mark, "tides"), DeletedAt: r.began}},
		}))
		return true
	}})
}

// tierReached returns the tier that the rows of section 6 show.
func (r *run) tierReached() engram.Tier {
	tier := engram.Tier("")
	if r.reached() == "" {
		return tier
	}
	tier = engram.ReaderTier
	for i, id := range []string{"ENGRAM-6-3", "ENGRAM-6-4"} {
		if !r.passed(id) {
			break
		}
		tier = []engram.Tier{engram.WriterTier, engram.FullTier}[i]
	}
	return tier
}
