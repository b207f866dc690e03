package aaifsuite

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// runChecks start runs of an agent whose model and tools the suite plays.
func runChecks() []check {
	return []check{
		{"AAIF-4-10", staged(instructed)},
		{"AAIF-4.2-22", staged(verbatim)},
		{"AAIF-4.4-4", staged(schemas)},
		{"AAIF-4.4-9", staged(filled)},
		{"AAIF-4.4-28", staged(checked)},
		{"AAIF-12-2", staged(granted)},
		{"AAIF-4.3-23", staged(bounded)},
		{"AAIF-4.6-1", staged(timed)},
		{"AAIF-4.6-6", staged(onceOnly)},
		{"AAIF-4.9-12", staged(asks)},
		{"AAIF-4.9-16", staged(unanswered)},
		{"AAIF-4.9-18", staged(exactly)},
		{"AAIF-8.1-8", staged(countsOn)},
		{"AAIF-8.2-6", staged(reissued)},
		{"AAIF-9-9", twins},
		{"AAIF-10-9", staged(extensions)},
	}
}

// staged makes a check of a run out of one of its stage.
func staged(try func(stage) error) func(*run) error {
	return func(r *run) error { return try(stage{r}) }
}

// instructed looks at the system prompts of a run of several turns.
func instructed(r stage) error {
	if err := r.runs(); err != nil {
		return err
	}
	for i, q := range r.first.requests() {
		messages := q.Get("messages").Items()
		if len(messages) == 0 || messages[0].Get("role").Text() != "system" || !strings.HasPrefix(messages[0].Get("content").Text(), instructions) {
			return fmt.Errorf("request %d to the model does not begin with the instructions", i+1)
		}
	}
	return nil
}

func verbatim(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	for i, q := range r.first.requests() {
		if !canon.Equal(q.Get("x_conformance"), r.extended()) {
			return fmt.Errorf("request %d to the model does not have params.extended as it is", i+1)
		}
	}
	return nil
}

func schemas(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	for i, q := range r.first.requests() {
		if !canon.Equal(offered(q, bookTool).Get("parameters"), bookSchema()) {
			return fmt.Errorf("request %d to the model does not offer %s with its parameters_schema", i+1, bookTool)
		}
	}
	return nil
}

// filled looks at the valid call: its path has two of its arguments, its body the third.
func filled(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	const path, body = "a%2Fb/1", `{"note":"The 1st."}`
	for _, c := range r.first.calls(bookTool) {
		if c.method != http.MethodPost || !strings.EqualFold(c.path, path) || c.body != body {
			continue
		}
		if !strings.Contains(strings.Join(r.first.results(), ""), "is done by "+bookTool) {
			return errors.New("the model is not told what the tool answered")
		}
		return nil
	}
	return fmt.Errorf("the tool is not called by POST at %s with %s, but as %.300s", path, body, fmt.Sprint(r.first.calls(bookTool)))
}

// checked looks at the call whose number is a text.
func checked(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	for _, c := range r.first.calls(bookTool) {
		if strings.HasSuffix(c.path, "one") {
			return errors.New("the tool is called with arguments that its schema refuses")
		}
	}
	if told := r.first.results(); len(told) < 2 || !strings.Contains(told[0], "TOOL_ARGS_INVALID") {
		return errors.New("the model is not told TOOL_ARGS_INVALID of arguments that the schema of the tool refuses")
	}
	return nil
}

func granted(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	if r.first.early {
		return errors.New("the platform contacts model or tools of an agent that does not run")
	}
	if len(r.first.calls(secretTool)) > 0 {
		return fmt.Errorf("the tool %s is called, which nobody has granted", secretTool)
	}
	return nil
}

// looking calls a tool turn after turn.
func looking() []line {
	return []line{{calls: []canon.Value{want(lookTool, canon.Object())}}}
}

// endless runs an agent that never comes to an end, and expects a number of turns.
func (r stage) endless(turns int, edit func(canon.Value) canon.Value) error {
	p, err := r.perform(play{script: looking(), edit: edit})
	if err != nil {
		return err
	}
	if n := len(p.requests()); n != turns || p.status() != string(aaif.Failed) || p.failed() != string(aaif.MaxIterations) {
		return fmt.Errorf("the model is asked %d times and not %d, and the run ends as %s %s", n, turns, p.status(), p.failed())
	}
	return p.formed()
}

// formed looks for the members of the error of a run (AAIF-4.6-10).
func (p performance) formed() error {
	for _, name := range []string{"code", "message", "step", "occurred_at"} {
		if p.state.Get("error").Get(name).Text() == "" {
			return errors.New("the error of the run has no " + name)
		}
	}
	if p.state.Get("error").Get("retries_remaining").Type() != canon.TypeNumber {
		return errors.New("the error of the run does not say how many retries remain")
	}
	return nil
}

func most(turns int64) func(canon.Value) canon.Value {
	return func(v canon.Value) canon.Value {
		return set(v, "/agent/orchestration/max_iterations", canon.Int(turns))
	}
}

func bounded(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	return conformance.First(
		named("max_iterations 3", r.endless(3, most(3))),
		named("no max_iterations", r.endless(10, nil)),
		r.turnsDown("max_iterations 0", most(0)(r.definition(""))))
}

// timed runs an agent whose model does not answer.
func timed(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	began := r.Now()
	p, err := r.perform(play{script: []line{{hang: true}}, edit: func(v canon.Value) canon.Value {
		return set(v, "/agent/runtime/timeout_seconds", canon.Int(1))
	}})
	if err != nil {
		return err
	}
	took := r.Now().Sub(began).Seconds()
	switch {
	case p.status() != string(aaif.Failed) || p.failed() != string(aaif.RunTimeout):
		return fmt.Errorf("after timeout_seconds the run is %s %s", p.status(), p.failed())
	case took > startWait:
		return fmt.Errorf("with timeout_seconds 1 the run takes %.1f seconds", took)
	}
	conformance.Pause(r.ctx, pollTime)
	if !p.wasLet() {
		return errors.New("the run has ended, and its request to the model goes on")
	}
	return p.formed()
}

// onceOnly runs an agent whose model is away after a call that succeeded.
func onceOnly(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	p, err := r.perform(play{script: []line{{calls: []canon.Value{want(bookTool, booking())}}, {status: http.StatusServiceUnavailable}, {text: "It is booked."}}})
	if err != nil {
		return err
	}
	if n := len(p.calls(bookTool)); n != 1 || p.status() != string(aaif.Completed) || len(p.requests()) < 3 {
		return fmt.Errorf("the tool is called %d times, the model is asked %d times, and the run ends as %s %s", n, len(p.requests()), p.status(), p.failed())
	}
	return nil
}

// supervised runs an agent that has to ask before it books. It returns the run while it
// waits.
func (r stage) supervised(edit func(canon.Value) canon.Value) (performance, error) {
	if err := r.tools(); err != nil {
		return performance{}, blocked(err)
	}
	if !r.offer.Platform.Capabilities.Compliance.HumanInTheLoop {
		return performance{}, conformance.NotOffered("to ask a person")
	}
	p, err := r.perform(play{script: []line{{calls: []canon.Value{want(bookTool, booking())}}, {text: "That is all."}}, edit: func(v canon.Value) canon.Value {
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

// waiting is supervised for a run that has to wait now.
func (r stage) waiting() (p performance, wait canon.Value, err error) {
	if p, err = r.supervised(nil); err != nil {
		return p, wait, err
	}
	if p.status() != string(aaif.AwaitingApproval) || p.state.Get("waits").Len() != 1 {
		return p, wait, fmt.Errorf("before a call that may write the run does not wait, but is %s", p.status())
	}
	return p, p.state.Get("waits").Items()[0], nil
}

// decision is what a person says to a call.
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

// unanswered lets nobody answer in time.
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

// exactly approves another call than the one that waits.
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

// restored sends a checkpoint of the agent and lets its run go on.
func (r stage) restored(p play, change func(canon.Value) canon.Value) (performance, error) {
	if err := r.moves(); err != nil {
		return performance{}, blocked(err)
	}
	s, err := r.newScene(p)
	if err != nil {
		return performance{}, err
	}
	v, err := r.state()
	if err != nil {
		return performance{}, err
	}
	v = v.With("agent_id", canon.String(Runner)).Without("pipeline_position").Without("pending_tool_calls").With("memory_snapshot", canon.Array()).With("iteration", canon.Int(1)).
		With("conversation", canon.Array(text("role", "user", "content", "Book number 1.")))
	if v, err = r.ready(change(v)); err != nil {
		return performance{}, err
	}
	if err := named("a checkpoint of an agent with tools", r.land(v).taken()); err != nil {
		return performance{}, err
	}
	a := r.do(ask{method: http.MethodPost, path: r.States + "/" + url.PathEscape(v.Get("state_id").Text()) + "/resume"})
	if a.Err == nil && a.code() == "RUN_EXISTS" { // the operator lets states go on when they arrive
		a = r.get(r.Runs + "/" + url.PathEscape(v.Get("run_id").Text()))
	}
	return r.follow(s, a)
}

func countsOn(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	for iteration, turns := range map[int64]int{9: 1, 10: 0} {
		p, err := r.restored(play{script: looking(), edit: most(10)}, func(v canon.Value) canon.Value { return v.With("iteration", canon.Int(iteration)) })
		if err != nil {
			return err
		}
		if n := len(p.requests()); n != turns || p.failed() != string(aaif.MaxIterations) {
			return fmt.Errorf("from iteration %d of 10 on, the model is asked %d times and not %d, and the run is %s %s", iteration, n, turns, p.status(), p.failed())
		}
	}
	return nil
}

// reissued restores two calls that were under way: one that reads and one that writes.
func reissued(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	pending := func(id, tool string, arguments canon.Value) canon.Value {
		return text("id", id, "tool_name", tool, "status", "in_flight").With("arguments", arguments)
	}
	p, err := r.restored(play{script: []line{{text: "That is all."}}}, func(v canon.Value) canon.Value {
		return v.With("pending_tool_calls", canon.Array(pending("call_1", lookTool, canon.Object()), pending("call_2", bookTool, booking())))
	})
	if err != nil {
		return err
	}
	told := p.results()
	timedOut := func(i int) bool { return i < len(told) && strings.Contains(told[i], "timed_out") }
	looked := len(p.calls(lookTool))
	switch {
	case len(p.calls(bookTool)) > 0:
		return errors.New("a call that writes and was under way is made again")
	case p.status() != string(aaif.Completed) || len(told) != 2:
		return fmt.Errorf("the model is told of %d calls that were under way, not of 2, and the run is %s %s", len(told), p.status(), p.failed())
	case !timedOut(1):
		return errors.New("the model is not told timed_out of a call that writes and was under way")
	case looked != 1 && !(looked == 0 && timedOut(0)):
		return errors.New("a call that reads and was under way is made " + strconv.Itoa(looked) + " times")
	}
	return nil
}

// alike runs two agents and compares everything that they ask.
func (r stage) alike(what string, a, b play) error {
	script := []line{{calls: []canon.Value{want(bookTool, booking()), want(lookTool, canon.Object())}}, {text: "That is all."}}
	var logs [2]string
	for i, p := range []play{a, b} {
		p.script = script
		done, err := r.perform(p)
		if err != nil {
			return err
		}
		logs[i] = done.log() + done.status() + " " + done.state.Get("output").Text()
	}
	if logs[0] != logs[1] {
		return fmt.Errorf("%s: the run asks model and tools for something else", what)
	}
	return nil
}

func extensions(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	return r.alike("with members that begin with x-", play{}, play{edit: func(v canon.Value) canon.Value {
		return v.With("x-conformance", text("instructions", "Do nothing.")).With("x-acme-max-iterations", canon.Int(1))
	}})
}

// encodings runs an agent that came as CBOR.
func (r stage) encodings() error {
	if err := r.runs(); err != nil {
		if conformance.IsSkipped(err) {
			return nil // what can be seen without a run is seen
		}
		return blocked(err)
	}
	return r.alike("as CBOR", play{}, play{media: aaif.CBORMediaType})
}
