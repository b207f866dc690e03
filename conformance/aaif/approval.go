package aaifsuite

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// supervised runs an agent that needs approval before it books. It returns the run while
// the run waits.
func (r stage) supervised(edit func(canon.Value) canon.Value) (performance, error) {
	if err := r.tools(); err != nil {
		return performance{}, blocked(err)
	}
	if !r.offer.Platform.Capabilities.Compliance.HumanInTheLoop {
		return performance{}, conformance.NotOffered("to ask a person")
	}
	p, err := r.perform(play{props: props{script: []line{{calls: []canon.Value{want(bookTool, booking())}}, {text: "That is all."}}}, edit: func(v canon.Value) canon.Value {
		if v = set(v, "/agent/compliance/human_in_the_loop/enabled", canon.Bool(true)); edit != nil {
			v = edit(v)
		}
		return v
	}})
	if err != nil {
		return p, err
	}
	if len(p.calls(bookTool)) > 0 {
		return p, errors.New("a tool that may write is called before anybody agrees")
	}
	return p, nil
}

// waiting starts a supervised run and returns it with the one call that waits for approval.
func (r stage) waiting() (p performance, wait canon.Value, err error) {
	if p, err = r.supervised(nil); err != nil {
		return p, wait, err
	}
	if p.status() != string(aaif.AwaitingApproval) || p.state.Get("waits").Len() != 1 {
		return p, wait, fmt.Errorf("before a call that may write the run does not wait, but is %s", p.status())
	}
	return p, p.state.Get("waits").Items()[0], nil
}

// decision is the body of an approval or of a rejection.
func decision(word string, wait canon.Value) canon.Value {
	return text("decision", word, "call", wait.Get("call").Text(), "digest", wait.Get("digest").Text())
}

func asks(r stage) error {
	for word, times := range map[string]int{"approve": 1, "reject": 0} {
		p, wait, err := r.waiting()
		if err != nil {
			return err
		}
		a, err := r.settles(&p, decision(word, wait))
		if err := conformance.First(err, a.taken()); err != nil {
			return named(word, err)
		}
		if n := len(p.calls(bookTool)); n != times || !aaif.RunStatus(p.status()).Ended() {
			return fmt.Errorf("%s: the tool is called %d times and not %d, and the run is %s", word, n, times, p.status())
		}
		if word == "reject" && (len(p.requests()) != 2 || len(p.results()) != 1) {
			return errors.New("the model is not told that a call was rejected")
		}
	}
	return nil
}

// unanswered starts a supervised run and lets the time for an answer pass.
func unanswered(r stage) error {
	p, err := r.supervised(func(v canon.Value) canon.Value {
		return set(v, "/agent/compliance/human_in_the_loop/timeout_seconds", canon.Int(2))
	})
	if err != nil {
		return err
	}
	for began, poll := r.Now(), newPoll(); !aaif.RunStatus(p.status()).Ended(); poll(r.ctx) {
		a := r.get(r.Runs + "/" + url.PathEscape(p.id))
		if err := a.is(http.StatusOK); err != nil {
			return err
		}
		if p.state = a.Value; r.Now().Sub(began) > runTime || r.ctx.Err() != nil {
			return errors.New("a run that nobody answers waits on")
		}
	}
	switch {
	case len(p.calls(bookTool)) > 0:
		return errors.New("a call that nobody agreed to is made")
	case p.failed() != string(aaif.ApprovalTimeout) && !strings.Contains(strings.Join(p.results(), ""), string(aaif.ApprovalTimeout)):
		return errors.New("neither the run nor the model says APPROVAL_TIMEOUT")
	}
	return nil
}

// exactly sends an approval whose digest is that of another call, and looks that nothing is
// called (AAIF-4.9-18). Then it sends the right digest.
func exactly(r stage) error {
	p, wait, err := r.waiting()
	if err != nil {
		return err
	}
	if wait.Get("tool").Text() != bookTool || !canon.Equal(wait.Get("arguments"), booking()) || wait.Get("digest").Text() == "" {
		return errors.New("the person is not shown the tool and its arguments")
	}
	digest := wait.Get("digest").Text()
	other := strings.Repeat("0", len(digest)-1) + "1"
	if at := strings.LastIndexByte(digest, ':'); at >= 0 {
		other = digest[:at+1] + other[at+1:]
	}
	a, err := r.settles(&p, decision("approve", wait).With("digest", canon.String(other)))
	if err != nil {
		return err
	}
	if err := a.refused(0, aaif.ApprovalMismatch); err != nil {
		return named("the digest of another call", err)
	}
	if len(p.calls(bookTool)) > 0 {
		return errors.New("a call that was not agreed to is made")
	}
	if a, err = r.settles(&p, decision("approve", wait)); err != nil || a.taken() != nil {
		return conformance.First(err, a.taken())
	}
	before := r.first.calls(bookTool) // the latest has the same arguments
	if made := p.calls(bookTool); len(made) != 1 || len(before) > 0 && made[0] != before[len(before)-1] {
		return errors.New("what is called is not what was agreed to")
	}
	return nil
}
