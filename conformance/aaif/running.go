package aaifsuite

import (
	"errors"
	"fmt"
	"net/http"
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

// staged returns a check that needs a stage as a check of a run.
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

// filled looks at the valid call: two arguments are in its path, the third is in its body.
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

// checked looks at the call with invalid arguments: its number is a text.
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

// alike runs an agent twice and compares every request to the model and to tools.
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
