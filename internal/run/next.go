package run

import (
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

// Do says what is to be done next.
type Do string

// What a run may have to do.
const (
	AskModel  Do = "ask"     // ask a model for the next turn
	Judge     Do = "judge"   // decide whether a call may be made
	MakeCall  Do = "call"    // call a tool
	Recover   Do = "recover" // a call may have been made by an earlier holder
	Deny      Do = "deny"    // nobody answered in time
	Finish    Do = "finish"  // the latest turn is the answer
	Lead      Do = "lead"    // decide what the subagents do next
	GiveUp    Do = "give up" // a limit is reached: Code, Text
	Wait      Do = "wait"    // for a person, or for another platform
	NothingDo Do = "nothing" // the run has ended
)

// Action is what is to be done next.
type Action struct {
	In         string // the thread
	Do         Do
	Call       Call
	Code, Text string
	Whole      bool      // of GiveUp: the whole run ends
	Until      time.Time // of Wait and Deny: when there is something to do without a person; zero: never
}

// Next returns what a run has to do at a time: the first of what its threads have to do, or
// [Wait] if none has to do anything. It is a pure function.
func (r *Run) Next(now time.Time) Action {
	rest := Action{Do: Wait}
	for _, a := range r.Actions(now) {
		switch {
		case a.Do != Wait:
			return a
		case !a.Until.IsZero() && (rest.Until.IsZero() || a.Until.Before(rest.Until)):
			rest = a
		case rest.Until.IsZero() && rest.Call.ID == "":
			rest = a
		}
	}
	return rest
}

// Actions returns what the threads of a run have to do at a time, one action for each that
// has not ended. If the whole run has one thing to do, there is no other action.
func (r *Run) Actions(now time.Time) (all []Action) {
	switch {
	case r.Status.Ended():
		return []Action{{Do: NothingDo}}
	case r.Status == aaif.Paused, r.Status == aaif.Migrating:
		return []Action{{Do: Wait}}
	}
	for t := range r.All() {
		if t.Status.Ended() {
			continue
		}
		a := r.next(t, now)
		if a.In = t.In; a.Do != Wait && a.Do != Deny && r.Active >= r.Start.Limits.Active {
			a = r.timeUp()
		}
		if a.Whole {
			return []Action{a}
		}
		all = append(all, a)
	}
	return all
}

// timeUp ends a run that has used up its time.
func (r *Run) timeUp() Action {
	return Action{Do: GiveUp, Whole: true, Code: string(aaif.RunTimeout), Text: "the run took longer than " + r.Start.Limits.Active.String()}
}

// next returns what a thread has to do.
func (r *Run) next(t *Thread, now time.Time) Action {
	for _, c := range t.Calls {
		switch {
		case c.Stage == Asking && !c.Until.IsZero() && !now.Before(c.Until):
			return Action{Do: Deny, Call: c, Until: c.Until}
		case c.Stage == Asking:
			return Action{Do: Wait, Call: c, Until: c.Until}
		}
	}
	switch {
	case t.In != "" && t.Active >= t.Start.Limits.Active:
		return Action{Do: GiveUp, Code: string(aaif.RunTimeout), Text: "the agent took longer than " + t.Start.Limits.Active.String()}
	case len(t.Calls) > 0:
		c := t.Calls[0]
		if spent := r.spent(); spent != "" && c.Stage != InFlight && !c.IsOutput() {
			return Action{Do: GiveUp, Whole: true, Code: string(aaif.BudgetExceeded), Text: spent}
		}
		return Action{Do: map[Stage]Do{Wanted: Judge, Open: MakeCall, InFlight: Recover}[c.Stage], Call: c}
	case t.Worker().Leads && r.news(t):
		return Action{Do: Lead}
	case t.Worker().Leads:
		return Action{Do: Wait}
	case t.answers():
		return Action{Do: Finish}
	}
	return r.within(t)
}

// answers reports whether the latest turn is the answer: a turn of a model that asks for
// no call.
func (t *Thread) answers() bool {
	if len(t.Messages) == 0 {
		return false
	}
	last := t.Messages[len(t.Messages)-1]
	return last.Role == "assistant" && last.CallID == "" || t.Worker().Remote != "" && last.Role == "tool"
}

// within returns the next turn, unless a limit forbids it (AAIF-4.3-23, AAIF-8.1-8).
func (r *Run) within(t *Thread) Action {
	switch {
	case t.Iteration >= t.Start.Limits.Turns:
		return Action{Do: GiveUp, Code: string(aaif.MaxIterations), Text: "the model was asked as often as is allowed, and did not come to an end"}
	case r.spent() != "":
		return Action{Do: GiveUp, Whole: true, Code: string(aaif.BudgetExceeded), Text: r.spent()}
	}
	return Action{Do: AskModel}
}

// spent says which budget is used up; empty: none is.
func (r *Run) spent() string {
	switch l := r.Start.Limits; {
	case r.Usage.USD >= l.USD:
		return "the run has cost as much as is allowed"
	case r.Usage.Unpriced && r.Usage.Tokens() >= l.Tokens:
		return "the run has used as many tokens as are allowed, of models whose price is not known"
	}
	return ""
}
