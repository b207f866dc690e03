package aaifhttp

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// longestWait is the longest that a request waits for the end of a run.
const longestWait = 5 * time.Minute

var uuidForm = pattern.New(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// startRun starts a run of an agent, and answers with it at once. A run of an agent that is
// asynchronous, or for a client that prefers it, is a job: it waits for its turn where others
// of its agent are executed, and the status is 202 until it stands (AAIF-4.6-7). A body with
// inputs starts a batch. With wait=SECONDS in the
// query, or Prefer: wait=SECONDS (RFC 7240), it answers once the run has ended or waits for
// somebody, or the time is over. A request with run_id, or with the header Idempotency-Key,
// can be repeated: it starts one run.
func (h *Handler) startRun(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	wait, err := waitOf(w, r)
	if err != nil {
		return err
	}
	raw, c, err := h.jsonBody(w, r, c, h.options.MaxAgent)
	if err != nil {
		return err
	}
	all, batch, err := readStart(raw, r.Header)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].AgentID = r.PathValue("id")
	}
	if batch {
		return h.startBatch(w, r, c, all, wait)
	}
	s := all[0]
	s.Async = asksForJob(r)
	run, fresh, err := h.options.Runs.Start(r.Context(), c, s)
	if err != nil {
		return err
	}
	if run, err = h.await(r.Context(), c, run, wait); err != nil {
		return err
	}
	status := http.StatusOK
	switch {
	case run.Job && !run.stands():
		status = http.StatusAccepted
	case fresh:
		status = http.StatusCreated
	}
	w.Header().Set("Location", RunPath+url.PathEscape(run.RunID))
	send(w, status, runValue(run))
	return nil
}

// asksForJob reports whether a client prefers a job to a result (RFC 7240).
func asksForJob(r *http.Request) bool {
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Prefer"), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(part), "respond-async") {
			return true
		}
	}
	return false
}

// waitOf returns how long a request waits for its run.
func waitOf(w http.ResponseWriter, r *http.Request) (time.Duration, error) {
	p, err := parametersOf(r, "wait")
	if err != nil {
		return 0, err
	}
	most := int(longestWait.Seconds())
	seconds, err := p.number("wait", 0, most, 0)
	if err != nil {
		return 0, err
	}
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Prefer"), ","), ",") {
		name, said, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(strings.Trim(strings.TrimSpace(said), `"`))
		if _, asked := p["wait"]; !asked && strings.EqualFold(strings.TrimSpace(name), "wait") && err == nil && n >= 0 {
			seconds = min(n, most)
			w.Header().Set("Preference-Applied", "wait="+strconv.Itoa(seconds))
		}
	}
	return time.Duration(seconds) * time.Second, nil
}

// await waits until a run stands, for a time at most.
func (h *Handler) await(ctx context.Context, c memory.Caller, run Run, wait time.Duration) (Run, error) {
	timed, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for !run.stands() && timed.Err() == nil {
		if err := h.options.Runs.Await(timed, c, run.RunID, run.Events); err != nil {
			if timed.Err() != nil || aaif.CodeOf(err) == stopping {
				break
			}
			return run, err
		}
		next, err := h.options.Runs.Run(ctx, c, run.RunID)
		if err != nil {
			return run, err
		}
		run = next
	}
	return run, ctx.Err()
}

// stopping is the code of a wait that ends because the platform is about to stop.
const stopping aaif.Code = "STOPPING"

// Stopping is the error of [Runs.Await] on a platform that is about to stop.
func Stopping() error { return &aaif.Fault{Code: stopping, Text: "this platform is about to stop"} }

// mostDepth and mostValues bound the JSON of a request.
const (
	mostDepth  = 64
	mostValues = 50_000
)

// objectOf reads a body that is an object with no members but known ones.
func objectOf(raw []byte, known ...string) (canon.Value, error) {
	v, err := aaif.FromJSON(raw, aaif.ReadOptions{Depth: mostDepth, Values: mostValues})
	if err != nil {
		return v, err
	}
	if v.Type() != canon.TypeObject {
		return v, wrongMember("", "the body is an object")
	}
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			return v, wrongMember(m.Name, "is not known here; there are: "+strings.Join(known, ", "))
		}
	}
	return v, nil
}

// wrongMember refuses a member of a body.
func wrongMember(name, text string) error {
	said := text
	if name != "" {
		said = "/" + aaif.Shown(name) + " " + text
	}
	return &answer{status: http.StatusUnprocessableEntity, code: refusedCode, detail: said}
}

// readStart reads what a run, or each run of a batch, is started with.
func readStart(raw []byte, head http.Header) (all []RunStart, batch bool, err error) {
	v, err := objectOf(raw, "input", "inputs", "variables", "limits", "revision", "run_id", "session", "user")
	if err != nil {
		return nil, false, err
	}
	if v.Has("inputs") {
		all, err = readBatch(v, head)
		return all, true, err
	}
	if !v.Has("input") {
		return nil, false, wrongMember("input", "is missing: say what the agent is to do")
	}
	s, err := readSettings(v)
	if err != nil {
		return nil, false, err
	}
	s.Input = v.Get("input")
	s.RunID, err = idOf(v, head)
	return []RunStart{s}, false, err
}

// readSettings reads what all runs of a request are started with.
func readSettings(v canon.Value) (s RunStart, err error) {
	s.Variables = v.Get("variables")
	switch {
	case s.Variables.Type() != canon.TypeUndefined && s.Variables.Type() != canon.TypeObject:
		return s, wrongMember("variables", "is an object")
	}
	if s.Revision, err = whole(v, "revision", math.MaxInt32); err != nil {
		return s, err
	}
	if s.Limits, err = readLimits(v.Get("limits")); err != nil {
		return s, err
	}
	for name, to := range map[string]*string{"session": &s.Session, "user": &s.User} {
		said := v.Get(name)
		if *to = said.Text(); said.Type() != canon.TypeUndefined && (*to == "" || len(*to) > mostName) {
			return s, wrongMember(name, "is a text of at most "+strconv.Itoa(mostName)+" bytes")
		}
	}
	return s, nil
}

// mostName is the longest name of a session or a person.
const mostName = 200

// longestKey is the longest Idempotency-Key.
const longestKey = 255

// idOf returns the id of the run to start: the member run_id, else a UUID that is derived from
// the Idempotency-Key, else "".
func idOf(v canon.Value, head http.Header) (string, error) {
	if said := v.Get("run_id"); said.Type() != canon.TypeUndefined {
		if id := said.Text(); said.Type() == canon.TypeString && uuidForm.MatchString(id) {
			return id, nil
		}
		return "", wrongMember("run_id", "is a UUID in lower case")
	}
	key, err := keyOf(head)
	if err != nil || key == "" {
		return "", err
	}
	return keyedID(key), nil
}

// keyOf returns the Idempotency-Key of a request; empty: it has none.
func keyOf(head http.Header) (string, error) {
	key := head.Values("Idempotency-Key")
	switch {
	case len(key) == 0:
		return "", nil
	case len(key) > 1 || key[0] == "" || len(key[0]) > longestKey:
		return "", &answer{status: http.StatusBadRequest, code: invalidQuery, detail: "send one Idempotency-Key of at most " + strconv.Itoa(longestKey) + " bytes"}
	}
	return key[0], nil
}

// keyedID returns the id of the run that a key stands for.
func keyedID(key string) string { return aaif.DerivedID("satchel run start 1\x00" + key) }

// whole reads a member that is a whole number from 1; 0 stands for none.
func whole(v canon.Value, name string, most int) (int, error) {
	said := v.Get(name)
	if said.Type() == canon.TypeUndefined {
		return 0, nil
	}
	n := said.Float()
	if said.Type() != canon.TypeNumber || n != math.Trunc(n) || n < 1 || n > float64(most) {
		return 0, wrongMember(name, "is a whole number from 1 to "+strconv.Itoa(most))
	}
	return int(n), nil
}

// readLimits reads the member limits.
func readLimits(v canon.Value) (l RunLimits, err error) {
	if v.Type() == canon.TypeUndefined {
		return l, nil
	}
	if v.Type() != canon.TypeObject {
		return l, wrongMember("limits", "is an object")
	}
	known := []string{"turns", "tokens", "usd", "seconds", "call_seconds", "wait_seconds"}
	for _, m := range v.Members() {
		if !slices.Contains(known, m.Name) {
			return l, wrongMember("limits/"+m.Name, "is not known here; there are: "+strings.Join(known, ", "))
		}
	}
	if l.USD = v.Get("usd").Float(); v.Get("usd").Type() != canon.TypeUndefined && !(l.USD > 0) {
		return l, wrongMember("limits/usd", "is a number above 0")
	}
	for name, to := range map[string]*int{"turns": &l.Turns, "tokens": &l.Tokens} {
		if *to, err = whole(v, name, math.MaxInt32); err != nil {
			return l, err
		}
	}
	for name, to := range map[string]*time.Duration{"seconds": &l.Active, "call_seconds": &l.Call, "wait_seconds": &l.Wait} {
		n, err := whole(v, name, math.MaxInt32)
		if err != nil {
			return l, err
		}
		*to = time.Duration(n) * time.Second
	}
	return l, nil
}
