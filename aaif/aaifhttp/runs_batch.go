package aaifhttp

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// mostInputs is the most inputs of one batch.
const mostInputs = 1000

// readBatch reads what the runs of a batch are started with, one for each input, in order
// (AAIF-4-19).
func readBatch(v canon.Value, head http.Header) ([]RunStart, error) {
	inputs := v.Get("inputs")
	switch {
	case inputs.Type() != canon.TypeArray || len(inputs.Items()) == 0:
		return nil, wrongMember("inputs", "is a list of inputs")
	case len(inputs.Items()) > mostInputs:
		return nil, wrongMember("inputs", "has more than "+strconv.Itoa(mostInputs)+" inputs")
	case v.Has("input"), v.Has("run_id"):
		return nil, wrongMember("inputs", "stands in the place of input, and its runs get ids of their own")
	}
	s, err := readSettings(v)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(head)
	if err != nil {
		return nil, err
	}
	s.Async = true
	all := make([]RunStart, inputs.Len())
	for i, input := range inputs.Items() {
		if s.Input = input; key != "" {
			s.RunID = keyedID(key + "\x00" + strconv.Itoa(i))
		}
		all[i] = s
	}
	return all, nil
}

// batchResult is what became of one input: a run, or why there is none.
type batchResult struct {
	run Run
	err error
}

// startBatch starts a run for each input, and answers with their runs in the order of the
// inputs. What keeps one run from starting does not concern the others.
func (h *Handler) startBatch(w http.ResponseWriter, r *http.Request, c memory.Caller, all []RunStart, wait time.Duration) error {
	results := make([]batchResult, len(all))
	for i, s := range all {
		run, _, err := h.options.Runs.Start(r.Context(), c, s)
		if r.Context().Err() != nil {
			return r.Context().Err()
		}
		if memory.KindOf(err) == memory.NotFound {
			return err // there is no such agent
		}
		results[i] = batchResult{run, err}
	}
	done, err := h.awaitAll(r.Context(), c, results, wait)
	if err != nil {
		return err
	}
	status := http.StatusAccepted
	if done {
		status = http.StatusOK
	}
	list := make([]canon.Value, len(results))
	for i, one := range results {
		if list[i] = runValue(one.run); one.err != nil {
			p := problemOf(one.err)
			if p.status >= http.StatusInternalServerError {
				h.options.Report(r, one.err)
			}
			list[i] = canon.Object(canon.Member{Name: "error", Value: canon.Object(p.members()...)})
		}
	}
	send(w, status, canon.Object(canon.Member{Name: "results", Value: canon.Array(list...)}))
	return nil
}

// awaitAll waits until all runs of a batch stand, for a time at most, and reports whether they
// do.
func (h *Handler) awaitAll(ctx context.Context, c memory.Caller, results []batchResult, wait time.Duration) (done bool, err error) {
	until := h.options.Now().Add(wait)
	done = true
	for i := range results {
		one := &results[i]
		if one.err != nil {
			continue
		}
		if one.run, err = h.await(ctx, c, one.run, max(until.Sub(h.options.Now()), 0)); err != nil {
			return false, err
		}
		done = done && one.run.stands()
	}
	return done, nil
}
