package pages

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// RunKeeper shows runs of agents, and lets the owner decide about them. Its methods fail with
// kind Unsupported where the server runs no agents of the caller, and with NotFound for a run
// that is not kept.
type RunKeeper interface {
	// RunList lists runs after a mark, newest first, at most RunsShown. next is the mark for
	// more; empty: there are none.
	RunList(ctx context.Context, c memory.Caller, after string) (list []Run, next string, err error)
	// RunOf returns a run with its steps.
	RunOf(ctx context.Context, c memory.Caller, id string) (Run, error)
	// DecideRun approves or rejects a call, or an answer, for which a run waits. It fails with a
	// [RunRefusal] if the run does not wait for exactly that.
	DecideRun(ctx context.Context, c memory.Caller, id string, d RunDecision) error
	// CancelRun ends a run. It fails with a [RunRefusal] if the run has ended.
	CancelRun(ctx context.Context, c memory.Caller, id string) error
	// ResumeRun lets a run go on. It fails with a [RunRefusal] if the run waits for a decision,
	// or has ended.
	ResumeRun(ctx context.Context, c memory.Caller, id string) error
}

// RunRefusal says to people why nothing was done to a run.
type RunRefusal string

// Error returns the text.
func (r RunRefusal) Error() string { return string(r) }

// RunsShown is how many runs a list shows at once.
const RunsShown = 20

// Run is a run of an agent.
type Run struct {
	ID, Agent, Name string // Name is the agent's
	Status          string
	Began, Changed  time.Time
	Unread          bool // its journal cannot be read here; what follows is not known
	Turns, Calls    int
	Tokens          int
	USD             float64
	Unpriced        bool // a model without a known price was asked
	Worked          time.Duration
	Waits           []RunWait
	Resumes         bool // it goes on once the owner resumes it
	Copied          bool // it was going on in another store
	Output          string
	Code, Failure   string // why it failed
	Platform        string // that has it, or is to get it
	Own             string // the flags with which it was started, if a server does not go on with it
	Steps           []RunStep
	Earlier         int // steps before these
}

// Ended reports whether a run is over.
func (r Run) Ended() bool { return r.Status == "completed" || r.Status == "failed" }

// RunWait is a call, or the answer of a run, for which a person is asked.
type RunWait struct {
	Call, Tool, Why, Digest string
	Thread                  string // of the subagent that asks; empty: the run's own agent
	Arguments               []Argument
	Answer                  string // it is the answer; empty: it is a call
	AskedAt, Until          time.Time
}

// Argument is a value in the arguments of a call, with its place in them: "to[0].name".
type Argument struct{ Name, Value string }

// RunDecision decides about a call.
type RunDecision struct {
	Call    string
	Approve bool
	Digest  string // of the call that the owner saw, for an approval
	Why     string // for the model, where it is rejected
}

// RunStep is something that happened in a run.
type RunStep struct {
	Number int64
	At     time.Time
	Kind   string // as the journal has it
	Thread string // the subagent; empty: the run's own agent
	Tool   string
	Route  string // of a model
	Code   string
	Text   string
	Wants  []RunCall // what a model wants to be called
	Tokens int
}

// RunCall is a call as a model asks for it.
type RunCall struct {
	Tool      string
	Arguments []Argument
}

// runHandler answers requests about runs.
type runHandler struct{ *Handler }

const runsPath = Root + "runs"

func runPath(id string) string { return runsPath + "/" + url.PathEscape(id) }

// runsPage lists runs.
type runsPage struct {
	frame
	Rows []runRow
	Next string
	None string // why this server runs none
	Work int    // how many of the rows are under way
	Wait int    // how many of them wait for the owner
}

// runRow is a run in words.
type runRow struct {
	Run
	Path, Short, State string
	Class              string // of the mark
	When, Last         moment
	Cost               string
}

func runRowOf(r Run, now time.Time) runRow {
	row := runRow{Run: r, Path: runPath(r.ID), Short: cut(r.ID, 8), State: stateWord(r), Class: "plain", When: momentOf(r.Began, now), Last: momentOf(r.Changed, now), Cost: costWord(r)}
	row.Name = cut(oneLine(r.Name), 120)
	switch {
	case len(r.Waits) > 0:
		row.Class = "wait"
	case r.Status == "running", r.Status == "awaiting_tool_result":
		row.Class = "open"
	case r.Status == "completed":
		row.Class = "good"
	case r.Status == "failed":
		row.Class = "bad"
	}
	return row
}

// stateWord says how a run stands.
func stateWord(r Run) string {
	switch {
	case len(r.Waits) > 0:
		return "waits for you"
	case r.Copied && !r.Ended():
		return "was going on elsewhere"
	case r.Platform != "" && r.Status == "completed":
		return "left"
	case r.Code == "CANCELLED":
		return "cancelled"
	case r.Status == "running":
		return "runs"
	case r.Status == "awaiting_tool_result":
		return "calls a tool"
	}
	return runWord(r.Status)
}

// costWord says what a run has cost so far.
func costWord(r Run) string {
	usd := "$" + strconv.FormatFloat(r.USD, 'f', 4, 64)
	switch {
	case r.USD == 0:
		return counted(r.Tokens, "token", "tokens")
	case r.Unpriced:
		return usd + " and more"
	}
	return usd
}

// underWay reports whether a run changes by itself.
func (r Run) underWay() bool {
	return !r.Ended() && len(r.Waits) == 0 && !r.Resumes && !r.Copied && r.Own == "" && r.Status != "paused" && r.Status != "migrating"
}

// runs lists runs.
func (h runHandler) runs(w http.ResponseWriter, r *http.Request, v visitor) {
	p := runsPage{frame: h.frame(r, v, "Runs", "runs")}
	list, next, err := h.backend.RunList(r.Context(), v.caller, r.URL.Query().Get("after"))
	if memory.KindOf(err) == memory.Unsupported {
		p.None, err = sentence(messageOf(err), "It was started with --no-agents."), nil
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	for _, one := range list {
		p.Rows = append(p.Rows, runRowOf(one, p.Now))
		if one.underWay() {
			p.Work++
		}
		if len(one.Waits) > 0 {
			p.Wait++
		}
	}
	if next != "" {
		p.Next = pathWith(runsPath, "after", next)
	}
	p.Refresh = p.Work > 0
	h.show(w, r, http.StatusOK, "runs", p)
}
