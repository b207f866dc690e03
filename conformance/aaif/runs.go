package aaifsuite

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// runChecks run agents whose model and tools are those of this package.
func runChecks() []check {
	return []check{
		{"AAIF-4-10", instructed},
		{"AAIF-4.4-4", offered},
		{"AAIF-4.4-9", called},
		{"AAIF-4.4-28", heldToSchema},
		{"AAIF-4.9-12", asksPeople},
		{"AAIF-4.9-18", approvesExactly},
		{"AAIF-4.3-23", iterates},
		{"AAIF-4.6-1", timesOut},
	}
}

// runWait is how long a run of this package may take, in seconds.
const runWait = 20

// noModel says what a platform lacks whose runs do not reach the stage.
const noModel = "the platform does not ask the model that this run serves: its operator has to let agents reach its address, as a model and as tools"

// parameters is the schema of the arguments of the tools.
const parameters = `{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}`

// serves serves the stage, once.
func (r *run) serves() error {
	if r.Listen == nil {
		return conformance.NotOffered("a model of the run's own to agents; --listen serves one")
	}
	if r.stage.base == "" {
		r.stage.base = "http://" + r.Listen.Addr().String()
		s := &http.Server{Handler: &r.stage, ReadTimeout: answerTime}
		r.ends = s.Close
		go func(l net.Listener) { _ = s.Serve(l) }(r.Listen) // it ends with the run
	}
	return nil
}

// runs lets an agent answer, once. If that does not work, the run can try nothing about runs.
func (r *run) runs() error {
	return r.running.once(func() error {
		if err := r.serves(); err != nil {
			return err
		}
		got, err := r.performs(whatItIs, func(int) line { return line{text: done} })
		if err != nil {
			return err
		}
		if asked, _ := r.stage.seen(); len(asked) == 0 {
			return conformance.Lacks(noModel)
		}
		if got.Get("status").Text() != string(aaif.Completed) || got.Get("output").Text() != done {
			return fmt.Errorf("the run of an agent whose model answers at once ends otherwise: %.300s", got.Append(nil))
		}
		return nil
	})
}

func whatItIs(v canon.Value) canon.Value { return v }

// actor returns a definition whose model and tools are those of the stage. A call of pay
// waits for a person.
func (r *run) actor(id string) (canon.Value, error) {
	schema, err := canon.Parse([]byte(parameters), canon.Options{})
	if err != nil {
		return canon.Value{}, err
	}
	tool := func(name string) canon.Value {
		return text("name", name, "description", "Does it.", "protocol", "http", "endpoint", r.stage.base+"/tools/"+name).With("parameters_schema", schema)
	}
	v := set(r.definition(id), "/agent/instructions", canon.String(r.told()))
	v = set(v, "/agent/model", text("provider", "openai", "preferred", "conformance", "base_url", r.stage.base+"/v1"))
	v = set(v, "/agent/tools", canon.Array(tool("look"), tool("pay")))
	v = set(v, "/agent/compliance/human_in_the_loop", canon.Object(canon.Member{Name: "enabled", Value: canon.Bool(true)},
		canon.Member{Name: "trigger", Value: text("lang", "cel", "expr", "tool.name == 'pay'")}))
	return at(v, "minimal"), nil
}

// told is the instructions of the actor.
func (r *run) told() string { return "Do as the user of conformance run " + r.nonce + " says." }

// performs starts a run of an actor and returns it when it has ended, or waits.
func (r *run) performs(change func(canon.Value) canon.Value, p play) (canon.Value, error) {
	id, err := r.newID()
	if err != nil {
		return canon.Value{}, err
	}
	v, err := r.actor(id)
	if err != nil {
		return canon.Value{}, err
	}
	kept := r.take(change(v))
	if kept.code() == aaif.UnsatisfiedCapabilities {
		return canon.Value{}, conformance.NotOffered("to run agents that call tools and ask a person")
	}
	if err := named("a definition with tools", kept.taken()); err != nil {
		return canon.Value{}, err
	}
	r.left = append(r.left, "agent "+id)
	r.stage.set(p)
	a := r.do(ask{method: http.MethodPost, path: fmt.Sprintf("%s/%s/runs?wait=%d", strings.TrimSuffix(r.intake, "/"), url.PathEscape(id), runWait), media: jsonType,
		body: []byte(`{"input":` + quoted("Begin.") + `}`)})
	if a.Err == nil && (a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed || a.Status == http.StatusNotImplemented) {
		return canon.Value{}, conformance.NotOffered("to run agents")
	}
	if a.taken() == nil {
		r.left = append(r.left, "run "+a.Value.Get("run_id").Text())
	}
	return a.Value, a.taken()
}

// plays is performs for a platform that runs agents. It returns what the stage saw as well.
func (r *run) plays(p play) (got canon.Value, asked, called []canon.Value, err error) {
	if err := r.runs(); err != nil {
		return canon.Value{}, nil, nil, blocked(err)
	}
	got, err = r.performs(whatItIs, p)
	asked, called = r.stage.seen()
	return got, asked, called, err
}

// ended says that a run did not end as it has to.
func ended(got canon.Value, status aaif.RunStatus) error {
	if s := got.Get("status").Text(); s != string(status) {
		return fmt.Errorf("the run is %.40q, not %s: %.300s", s, status, got.Append(nil))
	}
	return nil
}

// instructed looks for the instructions in front of every turn.
func instructed(r *run) error {
	got, asked, _, err := r.plays(calls("look", `{"n":1}`))
	if err != nil {
		return err
	}
	for _, q := range asked {
		first, _ := q.At("/messages/0")
		if first.Get("role").Text() != "system" || !strings.HasPrefix(words(first.Get("content")), r.told()) {
			return errors.New("a turn of the model does not begin with the instructions as its system message")
		}
	}
	return conformance.First(ended(got, aaif.Completed), atLeast(asked, 2))
}

func atLeast(asked []canon.Value, n int) error {
	if len(asked) < n {
		return fmt.Errorf("the model was asked %d times, not %d", len(asked), n)
	}
	return nil
}

// words returns the text of a message, in one piece or in several.
func words(v canon.Value) string {
	all := v.Text()
	for _, part := range v.Items() {
		all += part.Get("text").Text()
	}
	return all
}

// offered looks for the tools of the definition among those of the request.
func offered(r *run) error {
	_, asked, _, err := r.plays(func(int) line { return line{text: done} })
	if err != nil {
		return err
	}
	if err := atLeast(asked, 1); err != nil {
		return err
	}
	want, err := canon.Parse([]byte(parameters), canon.Options{})
	if err != nil {
		return err
	}
	found := 0
	for _, t := range asked[0].Get("tools").Items() {
		if f := t.Get("function"); f.Get("description").Text() != "" && canon.Equal(f.Get("parameters"), want) {
			found++
		}
	}
	if found != 2 {
		return fmt.Errorf("%d of 2 tools are offered to the model with their schema as it is", found)
	}
	return nil
}

// resultOf returns what a model was told of its call.
func resultOf(asked []canon.Value) string {
	for _, q := range asked {
		for _, m := range q.Get("messages").Items() {
			if m.Get("role").Text() == "tool" {
				return words(m.Get("content"))
			}
		}
	}
	return ""
}

// called has a tool called, and its result told.
func called(r *run) error {
	got, asked, called, err := r.plays(calls("look", `{"n":1}`))
	if err != nil {
		return err
	}
	if err := ended(got, aaif.Completed); err != nil {
		return err
	}
	if len(called) != 1 || called[0].Get("tool").Text() != "look" || called[0].Get("arguments").Get("n").Float() != 1 {
		return fmt.Errorf("%d calls, and not one of the tool with its arguments", len(called))
	}
	if !strings.Contains(resultOf(asked), "result of look") {
		return errors.New("the model is not told what the tool answered")
	}
	return nil
}

// heldToSchema has a tool called with arguments that its schema refuses.
func heldToSchema(r *run) error {
	for _, arguments := range []string{`{"n":"one"}`, `{}`, `{"n":1,"m":2}`} {
		_, asked, called, err := r.plays(calls("look", arguments))
		if err != nil {
			return err
		}
		if len(called) != 0 {
			return fmt.Errorf("a tool is called with %s, which its schema refuses", arguments)
		}
		if resultOf(asked) == "" {
			return fmt.Errorf("the model is not told that its call with %s was not made", arguments)
		}
	}
	return nil
}

// runPath returns the path of a run, or of what is below it.
func (r *run) runPath(got canon.Value, below string) string {
	return r.Runs + "/" + url.PathEscape(got.Get("run_id").Text()) + below
}

// decides answers for a person, and returns the run once it has ended.
func (r *run) decides(got canon.Value, decision, digest string) (canon.Value, error) {
	body := `{"decision":` + quoted(decision) + `,"digest":` + quoted(digest) + `}`
	if err := r.do(ask{method: http.MethodPost, path: r.runPath(got, "/approval"), media: jsonType, body: []byte(body)}).taken(); err != nil {
		return canon.Value{}, err
	}
	for end := r.Now().Add(runWait * time.Second); ; conformance.Pause(r.ctx, 100*time.Millisecond) {
		a := r.get(r.runPath(got, ""))
		if err := a.is(http.StatusOK); err != nil {
			return canon.Value{}, err
		}
		if aaif.RunStatus(a.Value.Get("status").Text()).Ended() || r.Now().After(end) || r.ctx.Err() != nil {
			return a.Value, ended(a.Value, aaif.Completed)
		}
	}
}

// waits starts a run that calls pay, and returns it with the digest of the call.
func (r *run) waits() (got canon.Value, digest string, err error) {
	got, _, called, err := r.plays(calls("pay", `{"n":1}`))
	if err != nil {
		return got, "", err
	}
	if err := ended(got, aaif.AwaitingApproval); err != nil {
		return got, "", err
	}
	if len(called) != 0 {
		return got, "", errors.New("a call is made that a person has to approve")
	}
	wait, _ := got.At("/waits/0")
	if wait.Get("tool").Text() != "pay" || wait.Get("arguments").Get("n").Float() != 1 || wait.Get("digest").Text() == "" {
		return got, "", errors.New("the person is not shown the tool, its arguments and their digest")
	}
	return got, wait.Get("digest").Text(), nil
}

// asksPeople has a person reject a call, and approve one.
func asksPeople(r *run) error {
	for decision, made := range map[string]int{"reject": 0, "approve": 1} {
		got, digest, err := r.waits()
		if err != nil {
			return err
		}
		if _, err := r.decides(got, decision, digest); err != nil {
			return named("after a person said "+decision, err)
		}
		if _, called := r.stage.seen(); len(called) != made {
			return fmt.Errorf("after a person said %s, %d calls were made", decision, len(called))
		}
	}
	return nil
}

// approvesExactly approves something else than what waits.
func approvesExactly(r *run) error {
	got, digest, err := r.waits()
	if err != nil {
		return err
	}
	other := strings.Repeat("0", len(digest))
	a := r.do(ask{method: http.MethodPost, path: r.runPath(got, "/approval"), media: jsonType, body: []byte(`{"decision":"approve","digest":` + quoted(other) + `}`)})
	if err := a.refused(0, aaif.ApprovalMismatch); err != nil {
		return err
	}
	if _, called := r.stage.seen(); len(called) != 0 {
		return errors.New("a call is made although another one was approved")
	}
	_, err = r.decides(got, "reject", digest)
	return err
}

// iterates has a model call tools without end.
func iterates(r *run) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	const most = 3
	got, err := r.performs(func(v canon.Value) canon.Value { return set(v, "/agent/orchestration/max_iterations", canon.Int(most)) },
		func(turn int) line { return line{tool: "look", arguments: fmt.Sprintf(`{"n":%d}`, turn)} })
	if err != nil {
		return err
	}
	if asked, _ := r.stage.seen(); len(asked) != most {
		return fmt.Errorf("the model is asked %d times where max_iterations is %d", len(asked), most)
	}
	return fails(got, aaif.MaxIterations)
}

// fails returns nil for a run that failed with a code and the members of an error.
func fails(got canon.Value, code aaif.Code) error {
	e := got.Get("error")
	if err := ended(got, aaif.Failed); err != nil {
		return err
	}
	if e.Get("code").Text() != string(code) || e.Get("message").Text() == "" || e.Get("step").Text() == "" || e.Get("occurred_at").Text() == "" {
		return fmt.Errorf("it fails with %.300s, not with %s", e.Append(nil), code)
	}
	return nil
}

// timesOut has a model answer later than the run may take.
func timesOut(r *run) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	began := r.Now()
	got, err := r.performs(func(v canon.Value) canon.Value { return set(v, "/agent/runtime/timeout_seconds", canon.Int(1)) },
		func(int) line { return line{text: done, after: 10 * time.Second} })
	if err != nil {
		return err
	}
	if took := r.Now().Sub(began); took > 8*time.Second {
		return fmt.Errorf("a run that may take 1 second takes %s", took)
	}
	return fails(got, aaif.RunTimeout)
}
