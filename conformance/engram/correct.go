package engramsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

func correctionChecks() []check {
	return []check{
		{"ENGRAM-3.9-CORR-4", func(r *run) error {
			if err := wrongProposals(`belief_id=`, `belief_id=null`)(r); err != nil {
				return err
			}
			nobody, err := engram.NewID(r.Random)
			if err != nil {
				return err
			}
			return r.call(r.Token, http.MethodPost, correctPath, r.proposal(nobody).text()).refused(engram.BeliefNotFound)
		}},
		{"ENGRAM-3.9-CORR-5", wrongProposals(`new_value=`, `new_value=""`, `new_value=5`)},
		{"ENGRAM-3.9-CORR-7", wrongProposals(`runtime_id=`, `runtime_id=""`)},
		{"ENGRAM-3.9-CORR-8", wrongProposals(`timestamp=`, `timestamp="now"`)},
		{"ENGRAM-3.9-CORR-11", func(r *run) error {
			if err := r.bodies(`[]`, `x`, `"text"`, ``); err != nil {
				return err
			}
			return r.call(r.Token, http.MethodPost, correctPath, r.proposal(r.any()).text(), "Content-Type: text/plain").refused(engram.InvalidRequest)
		}},
		{"ENGRAM-3.9-CORR-17", func(r *run) error {
			one := r.proposal(r.any()).text()
			return r.bodies("["+one+","+one+"]", `{"corrections":[`+one+`]}`)
		}},
		{"ENGRAM-12.4-2", func(r *run) error { return r.bodies(`{"corrections":[` + r.proposal(r.any()).text() + `]}`) }},
		{"ENGRAM-3.9-CORR-10", func(r *run) error {
			a, belief, err := r.propose()
			if err != nil {
				return err
			}
			if !engram.IsID(a.Value.Get("correction_id").Text()) || a.Value.Get("belief_id").Text() != belief {
				return errors.New("correction_id is no UUID, or belief_id another than that of the proposal")
			}
			if a.Value.Get("status").Text() != string(engram.Pending) || a.Value.Get("message").Text() == "" {
				return errors.New("the answer does not say that the correction waits")
			}
			return a.Is(http.StatusCreated)
		}},
		{"ENGRAM-3.9-CORR-6", func(r *run) error {
			_, belief, err := r.propose()
			if err != nil {
				return err
			}
			v := r.proposal(belief).Without("context")
			return r.post(proposal{v}).Is(http.StatusCreated)
		}},
		{"ENGRAM-3.9-CORR-1", recorded(func(c canon.Value, _ engram.Belief) error {
			if c.Get("corrected_by").Text() != string(engram.ByRuntime) {
				return errors.New("it is not recorded as one of a runtime")
			}
			return nil
		})},
		{"ENGRAM-3.9-CORR-2", untouched},
		{"ENGRAM-3.9-CORR-20", recorded(func(c canon.Value, b engram.Belief) error {
			if c.Get("method").Text() != string(engram.Implicit) || c.Get("status").Text() != string(engram.Pending) || c.Get("runtime_id").Text() == "" || c.Get("old_value").Text() != b.Text {
				return errors.New("method, status, runtime_id or old_value is not that of a proposal that waits")
			}
			return nil
		})},
		{"ENGRAM-3.9-CORR-16", func(r *run) error {
			id, err := r.mine(engram.Health)
			switch {
			case r.Narrow == "":
				return conformance.Lacks("there is no token for the scope professional")
			case err != nil:
				return err
			}
			return r.call(r.Narrow, http.MethodPost, correctPath, r.proposal(id).text()).refused(engram.BeliefNotFound, engram.Forbidden)
		}},
	}
}

// proposedContext is the occasion of every proposal.
const proposedContext = "a run of requirements"

// untouched compares the belief of the proposal with its earlier form.
func untouched(r *run) error {
	_, id, err := r.propose()
	if err != nil {
		return err
	}
	after, err := r.get("").document()
	if err != nil {
		return err
	}
	was, _ := belief(r.before[id], id)
	if is, _ := belief(after, id); !same(was.Value, is.Value) || len(changes(after, id)) != len(changes(r.before[id], id)) {
		return errors.New("a proposal changes the belief, or its history")
	}
	return nil
}

// proposal is the body of a correction.
type proposal struct{ canon.Value }

func (p proposal) text() string { return string(p.Append(nil)) }

// proposal returns the proposal for a belief, the same each time.
func (r *run) proposal(belief string) proposal {
	return proposal{engram.Proposal{
		Belief: belief, New: "Proposed by conformance run " + r.nonce, Context: proposedContext, Runtime: "conformance-" + r.nonce,
		ObservedAt: r.first.IssuedAt,
	}.Wire()}
}

// any returns the id of an active belief; empty: none.
func (r *run) any() string {
	if id, err := r.mine(engram.Communication); err == nil {
		return id
	}
	at := slices.IndexFunc(r.first.Beliefs, func(b engram.Belief) bool { return b.Status == engram.Active })
	if at < 0 {
		return ""
	}
	return r.first.Beliefs[at].ID
}

// propose proposes the run's single correction, once.
func (r *run) propose() (a answer, belief string, err error) {
	belief = r.any()
	switch {
	case r.ReadOnly:
		return a, "", conformance.Lacks("the run proposes nothing")
	case belief == "":
		return a, "", conformance.Lacks("there is no active belief to correct")
	}
	return r.proposeFor(belief)
}

func (r *run) proposeFor(belief string) (answer, string, error) {
	a, done := r.proposed[belief]
	if !done {
		d, err := r.get("").document()
		if err != nil {
			return a, belief, err
		}
		r.before[belief] = d
		a = r.post(r.proposal(belief))
		r.proposed[belief] = a
	}
	if a.Err == nil && (a.Status < 200 || a.Status > 299) {
		return a, belief, fmt.Errorf("%s answered %s, not 201", a.Asked, a.Said())
	}
	return a, belief, a.Err
}

// post sends a proposal, and remembers what the proposal leaves behind.
func (r *run) post(p proposal) answer {
	a := r.call(r.Token, http.MethodPost, correctPath, p.text())
	if id := a.Value.Get("correction_id").Text(); id != "" && !slices.Contains(r.waiting, id) {
		r.waiting = append(r.waiting, id)
	}
	return a
}

// wrongProposals sends proposals with one member changed or left out. The store must refuse
// each.
func wrongProposals(edits ...string) func(*run) error {
	return func(r *run) error {
		for _, edit := range edits {
			name, raw, _ := strings.Cut(edit, "=")
			v := r.proposal(r.any()).Value
			if v = v.Without(name); raw != "" {
				changed, err := canon.Parse([]byte(raw), canon.Options{})
				if err != nil {
					return err
				}
				v = v.With(name, changed)
			}
			if err := r.bodies(string(v.Append(nil))); err != nil {
				return fmt.Errorf("%s: %w", edit, err)
			}
		}
		return nil
	}
}

// bodies sends bodies that the store must refuse.
func (r *run) bodies(list ...string) error {
	if r.ReadOnly {
		return conformance.Lacks("the run proposes nothing")
	}
	for _, body := range list {
		if err := r.call(r.Token, http.MethodPost, correctPath, body).refused(engram.InvalidRequest); err != nil {
			return err
		}
	}
	return nil
}

// recorded looks for the proposal in the context.
func recorded(try func(c canon.Value, b engram.Belief) error) func(*run) error {
	return func(r *run) error {
		a, belief, err := r.propose()
		if err != nil {
			return err
		}
		c, b, err := r.find(a.Value.Get("correction_id").Text(), belief)
		if err != nil {
			return err
		}
		return try(c, b)
	}
}

// find returns a correction and its belief from the context.
func (r *run) find(correction, belief string) (canon.Value, engram.Belief, error) {
	a := r.get("")
	d, err := a.document()
	if err != nil {
		return canon.Value{}, engram.Belief{}, err
	}
	at := slices.IndexFunc(d.Beliefs, func(b engram.Belief) bool { return b.ID == belief })
	for _, c := range a.Value.Get("corrections").Items() {
		if c.Get("id").Text() == correction && at >= 0 {
			return c, d.Beliefs[at], nil
		}
	}
	return canon.Value{}, engram.Belief{}, errors.New("the context has no such correction")
}
