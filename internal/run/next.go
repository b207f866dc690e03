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
	GiveUp    Do = "give up" // a limit is reached: Code, Text
	Wait      Do = "wait"    // for a person, or for another platform
	NothingDo Do = "nothing" // the run has ended
)

// Action is what is to be done next.
type Action struct {
	Do         Do
	Call       Call
	Code, Text string
	Until      time.Time // of Wait and Deny: when there is something to do without a person; zero: never
}

// Next returns what a run has to do at a time. It is a pure function.
func (r *Run) Next(now time.Time) Action {
	switch {
	case r.Status.Ended():
		return Action{Do: NothingDo}
	case r.Status == aaif.Paused, r.Status == aaif.Migrating:
		return Action{Do: Wait}
	}
	for _, c := range r.Calls {
		switch {
		case c.Stage == Asking && !c.Until.IsZero() && !now.Before(c.Until):
			return Action{Do: Deny, Call: c, Until: c.Until}
		case c.Stage == Asking:
			return Action{Do: Wait, Call: c, Until: c.Until}
		}
	}
	if r.Active >= r.Start.Limits.Active {
		return Action{Do: GiveUp, Code: string(aaif.RunTimeout), Text: "the run took longer than " + r.Start.Limits.Active.String()}
	}
	if len(r.Calls) > 0 {
		c := r.Calls[0]
		if spent := r.spent(); spent != "" && c.Stage != InFlight && !c.IsOutput() {
			return Action{Do: GiveUp, Code: string(aaif.BudgetExceeded), Text: spent}
		}
		return Action{Do: map[Stage]Do{Wanted: Judge, Open: MakeCall, InFlight: Recover}[c.Stage], Call: c}
	}
	if r.answers() {
		return Action{Do: Finish}
	}
	return r.within()
}

// answers reports whether the latest turn is the answer: a turn of a model that asks for
// no call.
func (r *Run) answers() bool {
	if len(r.Messages) == 0 {
		return false
	}
	last := r.Messages[len(r.Messages)-1]
	return last.Role == "assistant" && last.CallID == ""
}

// within returns the next turn, unless a limit forbids it (AAIF-4.3-23, AAIF-8.1-8).
func (r *Run) within() Action {
	l := r.Start.Limits
	switch {
	case r.Iteration >= l.Turns:
		return Action{Do: GiveUp, Code: string(aaif.MaxIterations), Text: "the model was asked as often as is allowed, and did not come to an end"}
	case r.spent() != "":
		return Action{Do: GiveUp, Code: string(aaif.BudgetExceeded), Text: r.spent()}
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
