package pages

import (
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// runWords are the states of runs in an owner's words.
var runWords = map[string]string{
	"awaiting_approval": "waits for an approval", "awaiting_tool_result": "waits for a tool", "paused": "stands still", "running": "was running",
	"migrating": "on its way", "completed": "done", "failed": "failed",
}

// runWord returns the words for a state, or the state itself if it has none.
func runWord(status string) string {
	if word := runWords[status]; word != "" {
		return word
	}
	return strings.ReplaceAll(cut(status, 40), "_", " ")
}

// previewRemoval says what is removed with an agent.
func (h agentHandler) previewRemoval(r *http.Request, v visitor) (effect, error) {
	id := r.PathValue("id")
	a, err := h.backend.AgentOf(r.Context(), v.caller, id, 0)
	var states []Checkpoint
	if err == nil {
		states, err = h.backend.Checkpoints(r.Context(), v.caller, id)
	}
	e := effect{Title: "Remove this agent for good", At: "agents", Button: "Remove it", Back: agentPath(id), Command: command("agent", "remove", quoted(id)), Says: []string{
		"“" + cut(oneLine(a.Name), 120) + "”", "Its definition goes with every revision, up to number " + grouped(a.Revision) + ".",
	}}
	switch n := len(states); {
	case n >= PageSize:
		e.Says = append(e.Says, "So do its runs that stand still, "+grouped(n)+" and more.")
	case n > 0:
		e.Says = append(e.Says, "So "+counted(n, "run that stands still goes", "runs that stand still go")+": nobody can go on with it.")
	}
	e.Says = append(e.Says, "Nobody can bring it back. Download it first if you want to keep it.")
	return e, err
}

// remove removes an agent.
func (h agentHandler) remove(w http.ResponseWriter, r *http.Request, v visitor) {
	h.finishRemoval(w, r, v, h.backend.RemoveAgent(r.Context(), v.caller, r.PathValue("id")))
}

// previewCheckpoint says what is removed with a checkpoint.
func (h agentHandler) previewCheckpoint(r *http.Request, v visitor) (effect, error) {
	id := r.PathValue("id")
	all, err := h.backend.Checkpoints(r.Context(), v.caller, "")
	if err != nil {
		return effect{}, err
	}
	at := slices.IndexFunc(all, func(c Checkpoint) bool { return c.ID == id })
	if at < 0 {
		return effect{}, &memory.Error{Kind: memory.NotFound}
	}
	return effect{Title: "Remove this run for good", At: "agents", Button: "Remove it", Back: agentPath(all[at].Agent), Command: command("agent", "state", "remove", quoted(id)), Says: []string{
		"The run " + cut(id, 40) + ": " + runWord(all[at].Status) + ".", "No platform can go on with it from here. Nobody can bring it back.",
	}}, nil
}

// removeCheckpoint removes a checkpoint.
func (h agentHandler) removeCheckpoint(w http.ResponseWriter, r *http.Request, v visitor) {
	h.finishRemoval(w, r, v, h.backend.RemoveCheckpoint(r.Context(), v.caller, r.PathValue("id")))
}

func (h agentHandler) finishRemoval(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, Root+"agents", "gone", "")
}
