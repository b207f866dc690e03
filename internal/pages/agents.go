package pages

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// AgentKeeper keeps definitions of agents, and runs that stand still. Its methods fail with
// kind Unsupported where the server keeps none, and with NotFound for what is not kept.
type AgentKeeper interface {
	// AgentList lists the newest revision of each agent after an id, at most PageSize.
	AgentList(ctx context.Context, c memory.Caller, after string) ([]Agent, error)
	// AgentOf returns a revision of an agent with its document; 0: the newest.
	AgentOf(ctx context.Context, c memory.Caller, id string, revision int) (Agent, error)
	// Checkpoints lists the checkpoints of an agent, newest first, at most PageSize; of all
	// agents for an empty id.
	Checkpoints(ctx context.Context, c memory.Caller, agent string) ([]Checkpoint, error)
	// CheckpointOf returns the document of a checkpoint. The audit log says so.
	CheckpointOf(ctx context.Context, c memory.Caller, id string) ([]byte, error)
	// RemoveAgent removes an agent for good, with every revision and every checkpoint.
	RemoveAgent(ctx context.Context, c memory.Caller, id string) error
	// RemoveCheckpoint removes a checkpoint for good.
	RemoveCheckpoint(ctx context.Context, c memory.Caller, id string) error
}

// Agent is a definition of an agent.
type Agent struct {
	ID, Name, Version, Status string
	Revision                  int
	Signer                    string // who signed it; empty: nobody
	Received                  time.Time
	Lacks                     []string // what this machine lacks to run it
	Off                       []string // what it would do without
	Advice                    []Advice // of AgentOf
	Document                  []byte   // of AgentOf: indented JSON
}

// Advice is what a reader of a definition would say about it.
type Advice struct{ Where, Text string }

// Checkpoint is a run that stands still.
type Checkpoint struct {
	ID, Agent, Run, Status, From, Left string
	At, Received                       time.Time
	Warnings                           []string
}

// agentHandler answers requests about agents.
type agentHandler struct{ *Handler }

// agentsPage lists agents and checkpoints.
type agentsPage struct {
	frame
	Rows        []agentRow
	Checkpoints []checkpointRow
	Next        string
	None        bool // this server keeps no agents
}

// agentRow is an agent in a list.
type agentRow struct {
	Agent
	Path string
	When moment
}

// checkpointRow is a checkpoint in a list.
type checkpointRow struct {
	Checkpoint
	Path     string
	Short    string
	State    string // Status in words
	Asks     bool   // for somebody's approval, where it runs
	At, When moment
}

func agentPath(id string) string { return Root + "agents/" + url.PathEscape(id) }

func checkpointRows(all []Checkpoint, now time.Time) (rows []checkpointRow) {
	for _, c := range all {
		rows = append(rows, checkpointRow{Checkpoint: c, Path: agentPath(c.Agent), Short: cut(c.ID, 8), State: runWord(c.Status), Asks: c.Status == "awaiting_approval", At: momentOf(c.At, now), When: momentOf(c.Received, now)})
	}
	return rows
}

// agents lists what is kept.
func (h agentHandler) agents(w http.ResponseWriter, r *http.Request, v visitor) {
	p := agentsPage{frame: h.frame(r, v, "Agents", "agents")}
	all, err := h.backend.AgentList(r.Context(), v.caller, r.URL.Query().Get("after"))
	var states []Checkpoint
	if err == nil {
		states, err = h.backend.Checkpoints(r.Context(), v.caller, "")
	}
	if p.None = memory.KindOf(err) == memory.Unsupported; err != nil && !p.None {
		h.fail(w, r, v, err)
		return
	}
	for _, a := range all {
		a.Name = cut(a.Name, 120)
		p.Rows = append(p.Rows, agentRow{a, agentPath(a.ID), momentOf(a.Received, p.Now)})
	}
	if len(all) == PageSize {
		p.Next = pathWith(Root+"agents", "after", all[len(all)-1].ID)
	}
	p.Checkpoints = checkpointRows(states, p.Now)
	h.show(w, r, http.StatusOK, "agents", p)
}

// agentPage shows one agent.
type agentPage struct {
	frame
	Agent
	When        moment
	Path        string
	Revisions   []choice
	Before      int // the revision that Changes compare with; 0: there is none
	Changes     []changedLine
	Document    string
	Checkpoints []checkpointRow
	Command     string
}

// mostRevisions is how many revisions the page leads to.
const mostRevisions = 50

// agent shows one revision of an agent, and what changed since the one before.
func (h agentHandler) agent(w http.ResponseWriter, r *http.Request, v visitor) {
	p := agentPage{frame: h.frame(r, v, "Agent", "agents"), Path: agentPath(r.PathValue("id"))}
	revision := 0
	if asked := r.URL.Query().Get("revision"); asked != "" {
		n, err := strconv.Atoi(asked)
		if err != nil || n < 1 {
			h.fail(w, r, v, &memory.Error{Kind: memory.NotFound})
			return
		}
		revision = n
	}
	if err := h.readAgent(r, v, &p, revision); err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.show(w, r, http.StatusOK, "agent", p)
}

func (h agentHandler) readAgent(r *http.Request, v visitor, p *agentPage, revision int) error {
	id := r.PathValue("id")
	newest, err := h.backend.AgentOf(r.Context(), v.caller, id, 0)
	if err != nil {
		return err
	}
	if p.Agent = newest; revision != 0 && revision != newest.Revision {
		if p.Agent, err = h.backend.AgentOf(r.Context(), v.caller, id, revision); err != nil {
			return err
		}
	}
	p.When, p.Command = momentOf(p.Received, p.Now), command("agent", "get", quoted(id))
	p.Title, p.Name = cut(p.Name, 60), cut(p.Name, 120)
	for n := newest.Revision; n > max(0, newest.Revision-mostRevisions); n-- {
		p.Revisions = append(p.Revisions, choice{Value: strconv.Itoa(n), Word: "Revision " + strconv.Itoa(n), Chosen: n == p.Revision})
	}
	if p.Revision > 1 {
		before, err := h.backend.AgentOf(r.Context(), v.caller, id, p.Revision-1)
		if err == nil {
			p.Before, p.Changes = p.Revision-1, changedLines(string(before.Document), string(p.Agent.Document))
		} else if memory.KindOf(err) != memory.NotFound {
			return err
		}
	}
	if len(p.Agent.Document) <= mostDocument {
		p.Document = string(p.Agent.Document)
	}
	states, err := h.backend.Checkpoints(r.Context(), v.caller, id)
	p.Checkpoints = checkpointRows(states, p.Now)
	return err
}

// agentDownload sends the newest definition of an agent as a file.
func (h agentHandler) agentDownload(w http.ResponseWriter, r *http.Request, v visitor) {
	a, err := h.backend.AgentOf(r.Context(), v.caller, r.PathValue("id"), 0)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	sendFile(w, "agent.json", "application/json", a.Document)
}

// checkpointDownload sends a checkpoint as a file.
func (h agentHandler) checkpointDownload(w http.ResponseWriter, r *http.Request, v visitor) {
	document, err := h.backend.CheckpointOf(r.Context(), v.caller, r.PathValue("id"))
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	sendFile(w, "checkpoint.json", "application/json", document)
}

// sendFile sends a document that a browser saves and does not show.
func sendFile(w http.ResponseWriter, name, kind string, content []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) // the client has gone; nobody reads an error
}
