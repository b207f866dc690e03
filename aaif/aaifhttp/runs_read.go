package aaifhttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// listRuns lists the runs, newest first and a page at a time, optionally of one agent. A
// list shows nothing of their content.
func (h *Handler) listRuns(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	p, err := parametersOf(r, "agent", "after", "limit")
	if err != nil {
		return err
	}
	return sendPage(w, p, RunsPath, "runs", func(limit int) ([]Run, error) {
		at, id, err := p.place()
		if err != nil {
			return nil, err
		}
		return h.options.Runs.List(r.Context(), c, p.text("agent"), RunPlace{at, id}, limit)
	}, func(r Run) string { return formatPlace(r.Began, r.RunID) }, func(r Run) canon.Value { return canon.Object(headOf(r)...) })
}

// headOf returns the members of a run that a list shows.
func headOf(r Run) []canon.Member {
	return []canon.Member{member("run_id", r.RunID), member("agent_id", r.AgentID), {Name: "revision", Value: canon.Int(int64(r.Revision))},
		member("status", string(r.Status)), {Name: "events", Value: canon.Int(r.Events)}, instant("began_at", r.Began), instant("changed_at", r.Changed)}
}

// runValue describes a run as it stands.
func runValue(r Run) canon.Value {
	all := headOf(r)
	if r.Job {
		all = append(all, member("job_id", r.RunID))
	}
	if r.Status == aaif.Completed {
		all = append(all, member("output", r.Output))
	}
	if r.Err != nil {
		all = append(all, canon.Member{Name: "error", Value: errorValue(r.Err)})
	}
	waits := make([]canon.Value, len(r.Waits))
	for i, w := range r.Waits {
		waits[i] = canon.Object(member("call", w.Call), member("tool", w.Tool), canon.Member{Name: "arguments", Value: w.Arguments},
			optional("why", w.Why), member("digest", w.Digest), instant("asked_at", w.AskedAt), instant("until", w.Until),
			optional("in", w.In), member("agent", w.Agent))
	}
	all = append(all, optional("platform", r.Platform), canon.Member{Name: "turns", Value: canon.Int(int64(r.Turns))},
		canon.Member{Name: "usage", Value: r.Usage}, canon.Member{Name: "waits", Value: canon.Array(waits...)})
	if len(r.Threads) > 0 {
		all = append(all, canon.Member{Name: "threads", Value: threadsValue(r.Threads)})
	}
	if r.Resume {
		all = append(all, canon.Member{Name: "waits_for_resume", Value: canon.Bool(true)})
	}
	return canon.Object(all...)
}

// threadsValue describes what subagents do in a run.
func threadsValue(threads []RunThread) canon.Value {
	list := make([]canon.Value, len(threads))
	for i, t := range threads {
		status := string(t.Status)
		if t.Skipped {
			status = "skipped"
		}
		all := []canon.Member{member("in", t.In), optional("agent", t.AgentID), optional("alias", t.Alias), member("status", status)}
		if t.Status == aaif.Completed && !t.Skipped {
			all = append(all, member("output", t.Output))
		}
		if t.Err != nil {
			all = append(all, canon.Member{Name: "error", Value: errorValue(t.Err)})
		}
		list[i] = canon.Object(append(all, canon.Member{Name: "turns", Value: canon.Int(int64(t.Turns))}, canon.Member{Name: "usage", Value: t.Usage})...)
	}
	return canon.Array(list...)
}

// errorValue describes the error of a run (AAIF-4.6-10).
func errorValue(e *aaif.RunError) canon.Value {
	retries := canon.Member{Name: "retries_remaining"}
	if e.Retries != nil {
		retries.Value = canon.Int(int64(*e.Retries))
	}
	return canon.Object(member("code", e.Code), member("message", e.Message), optional("step", e.Step), instant("occurred_at", e.OccurredAt), retries)
}

// run returns a run as it stands.
func (h *Handler) run(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if _, err := parametersOf(r); err != nil {
		return err
	}
	run, err := h.options.Runs.Run(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	send(w, http.StatusOK, runValue(run))
	return nil
}

// runState returns a run as a checkpoint (section 8.1), over TLS only (AAIF-12-11).
func (h *Handler) runState(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.requireTLS(r); err != nil {
		return err
	}
	if _, err := parametersOf(r); err != nil {
		return err
	}
	state, err := h.options.Runs.Checkpoint(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	return sendDocument(w, r, state, aaif.Digest(state))
}
