package agent

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/run"
)

// The most characters of what is shown of a run in one line.
const (
	mostOfArgs = 200
	mostOfText = 200
)

// runView says in lines what happens in a run. It follows the run's events.
type runView struct {
	run  run.Run
	show func(line string)
}

// follow shows an event, if a person wants to know of it.
func (v *runView) follow(e run.Event) {
	before := v.run
	if err := v.run.Apply(e); err != nil {
		return // this is another run than the view's
	}
	who := ""
	if e.In != "" {
		who = cli.OneLine(v.run.Of(e.In).Name(), 60) + ": "
	}
	for _, line := range v.lines(e, before) {
		v.show(who + line)
	}
}

func (v *runView) lines(e run.Event, before run.Run) []string {
	t := v.run.Of(e.In)
	if e.In != "" && (e.Kind == run.Completed || e.Kind == run.Failed) {
		return []string{subagentWords(t)}
	}
	switch e.Kind {
	case run.Started:
		return append([]string{"run " + cli.OneLine(v.run.ID, 80) + " of agent " + cli.OneLine(e.Start.Agent, 80)}, startWords(e.Start)...)
	case run.Answered:
		return v.answered(e)
	case run.Completed:
		return []string{"done: " + summary(v.run)}
	case run.Failed:
		return []string{"failed: " + cli.OneLine(e.Code+": "+e.Text, 400), "so far: " + summary(v.run)}
	}
	if line := cmp.Or(agentLine(e, t), callLine(e, before), runLine(e, t)); line != "" {
		return []string{line}
	}
	return nil
}

// agentLine says what becomes of a subagent, or of a run that another agent goes on with.
func agentLine(e run.Event, t *run.Thread) string {
	switch e.Kind {
	case run.Dispatched:
		return "begins, " + cli.OneLine(agentWords(t), 100)
	case run.Skipped:
		return "is passed over: " + cli.OneLine(e.Text, mostOfText)
	case run.Handed:
		return "is handed to " + cli.OneLine(e.Text, 80) + ", " + cli.OneLine(agentWords(t), 100)
	case run.Cancelled:
		return "is cancelled: " + cli.OneLine(e.Text, mostOfText)
	}
	return ""
}

// callLine says what becomes of a call. before is the run before the event.
func callLine(e run.Event, before run.Run) string {
	switch e.Kind {
	case run.AskedFor:
		return "  " + callWords(before, e.Call) + " needs approval: " + cli.OneLine(e.Text, mostOfText)
	case run.Withheld:
		return "  the answer needs approval: " + cli.OneLine(e.Why, mostOfText)
	case run.Approved:
		return "  " + callWords(before, e.Call) + " is approved"
	case run.Rejected:
		return "  " + callWords(before, e.Call) + " is refused: " + cli.OneLine(e.Code, 60)
	case run.Sent:
		return "  calls " + callWords(before, e.Call)
	case run.Returned:
		return returnedWords(before, e)
	}
	return ""
}

// runLine says what else happens in a run.
func runLine(e run.Event, t *run.Thread) string {
	switch e.Kind {
	case run.Resumed:
		if e.Code == run.CopiedCode {
			return "it was going on elsewhere, or before the store was restored: it goes on here, and calls without an answer may have been made"
		}
	case run.Asked:
		return fmt.Sprintf("turn %d  asks %s", t.Iteration+1, cli.OneLine(e.Route, 100))
	case run.Passed:
		return fmt.Sprintf("  %s does not answer: %s: %s", cli.OneLine(e.Route, 100), cli.OneLine(e.Code, 60), cli.OneLine(e.Text, mostOfText))
	case run.Noted:
		return noteLine(e)
	case run.Paused:
		return "paused: " + cli.OneLine(e.Text, mostOfText)
	case run.Leaving:
		return "leaves for " + cli.OneLine(e.Text, 80)
	case run.Left:
		return "it is with " + cli.OneLine(e.Text, 80) + " now, and goes on there"
	case run.Stayed:
		return "it did not leave, and is paused here"
	}
	return ""
}

// noteLine is a note of a run. It says its code once, and what is ordinary is no warning.
func noteLine(e run.Event) string {
	if e.Code == memoryRead {
		return "  remembers " + cli.OneLine(e.Text, 400)
	}
	text := e.Text
	if !strings.HasPrefix(text, e.Code) {
		text = strings.TrimSuffix(e.Code+": "+text, ": ")
	}
	word := "  warning: "
	for _, ordinary := range []string{"hook.asked", "hook.answered", "judge.asked", "trigger."} {
		if strings.HasPrefix(e.Code, ordinary) {
			word = "  noted: "
		}
	}
	return word + cli.OneLine(text, 400)
}

// answered says what a model answered, and what it wants called.
func (v *runView) answered(e run.Event) []string {
	lines := []string{fmt.Sprintf("  answers with %s%s", cli.Plural(e.Usage.Tokens(), "token", "tokens"), costWords(e.Usage))}
	if e.Text != "" && len(e.Calls) > 0 {
		lines = append(lines, "  says: "+cli.OneLine(e.Text, mostOfText))
	}
	for _, c := range v.run.Of(e.In).Calls {
		lines = append(lines, "  wants "+cli.OneLine(c.Tool, 80)+" "+cli.OneLine(string(c.Arguments.Append(nil)), mostOfArgs))
	}
	return lines
}

// agentWords names the agent at work in a thread.
func agentWords(t *run.Thread) string {
	if t.Start.Own {
		return "the agent itself"
	}
	return "agent " + t.Worker().Agent
}

// subagentWords says how a subagent ended.
func subagentWords(t *run.Thread) string {
	if t.Err != nil {
		return "fails: " + cli.OneLine(t.Err.Code+": "+t.Err.Message, 400)
	}
	if t.Iteration == 0 {
		return "done"
	}
	return "done: " + cli.Plural(t.Iteration, "turn", "turns")
}

// callWords names a call by its tool.
func callWords(r run.Run, id string) string {
	c, ok := r.Call(id)
	if !ok || c.Tool == "" {
		return "call " + cli.OneLine(id, 60)
	}
	if c.IsOutput() {
		return "the answer"
	}
	return cli.OneLine(c.Tool, 80) + " (" + cli.OneLine(id, 60) + ")"
}

func returnedWords(before run.Run, e run.Event) string {
	name := "  " + callWords(before, e.Call)
	switch e.Code {
	case "":
		return name + " answers: " + cli.OneLine(e.Text, mostOfText)
	case string(aaif.OutcomeUnknown):
		return name + " may have been carried out, or not: its answer is lost, and the model is told so. Nothing calls it again"
	}
	return name + " fails: " + cli.OneLine(e.Code+": "+e.Text, mostOfText)
}

// startWords says what bounds a run.
func startWords(s *run.Start) []string {
	l := s.Limits
	return []string{fmt.Sprintf("at most %s, %s of work, $%s or %d tokens of unknown price", cli.Plural(l.Turns, "turn", "turns"), l.Active, usd(l.USD), l.Tokens)}
}

// summary says what a run took.
func summary(r run.Run) string {
	calls, agents := 0, 0
	for t := range r.All() {
		agents += len(t.Agents)
		for _, m := range t.Messages {
			if m.Role == "tool" {
				calls++
			}
		}
	}
	who := ""
	if agents > 1 {
		who = cli.Plural(agents, "agent", "agents") + ", "
	}
	return fmt.Sprintf("%s%s, %s, %s%s, %s of work", who, cli.Plural(r.Turns(), "turn", "turns"), cli.Plural(calls, "call", "calls"),
		cli.Plural(r.Usage.Tokens(), "token", "tokens"), costWords(r.Usage), r.Active.Round(100*time.Millisecond))
}

// costWords says what something cost, as far as it is known.
func costWords(u run.Usage) string {
	switch {
	case u.USD > 0 && u.Unpriced:
		return ", $" + usd(u.USD) + " and more of unknown price"
	case u.USD > 0:
		return ", $" + usd(u.USD)
	}
	return ""
}

func usd(amount float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.4f", amount), "0"), ".")
}

// memoryRead is the code of the note that says what a model was reminded of.
const memoryRead = "memory.read"
