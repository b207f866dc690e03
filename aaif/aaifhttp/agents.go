package aaifhttp

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// agents lists the agents by id, a page at a time.
func (h *Handler) agents(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	p, err := parametersOf(r, "after", "limit")
	if err != nil {
		return err
	}
	return sendPage(w, p, AgentsPath, "agents", func(limit int) ([]aaif.KeptAgent, error) {
		return h.backend.Agents(r.Context(), c, p.text("after"), limit)
	}, func(k aaif.KeptAgent) string { return k.AgentID }, agentValue)
}

// agentValue describes a kept definition.
func agentValue(k aaif.KeptAgent) canon.Value {
	return canon.Object(member("agent_id", k.AgentID), canon.Member{Name: "revision", Value: canon.Int(int64(k.Revision))},
		member("name", k.Name), optional("version", k.Version), optional("status", string(k.Status)),
		member("digest", k.Digest), optional("signer", string(k.Signer)), instant("received_at", k.Received), some("cannot_run", k.CannotRun), some("off", k.Off))
}

// some returns a list of texts as a member, if there are any.
func some(name string, list []string) canon.Member {
	if len(list) == 0 {
		return canon.Member{Name: name}
	}
	return texts(name, list)
}

// agent returns a kept definition in the requested encoding (AAIF-9-4). A signed
// definition keeps every byte.
func (h *Handler) agent(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	p, err := parametersOf(r, "revision")
	if err != nil {
		return err
	}
	revision, err := p.number("revision", 1, math.MaxInt32, 0)
	if err != nil {
		return err
	}
	k, err := h.backend.Agent(r.Context(), c, r.PathValue("id"), revision)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Location", AgentPath+url.PathEscape(k.AgentID)+"?revision="+strconv.Itoa(k.Revision))
	return sendDocument(w, r, k.Document, k.Digest)
}

// send answers with JSON that must not be cached.
func send(w http.ResponseWriter, status int, v canon.Value) {
	httpkit.Send(w, status, jsonType, v.Append(nil))
}

// optional returns a text as a member, or none for an empty text.
func optional(name, text string) canon.Member {
	if text == "" {
		return canon.Member{Name: name}
	}
	return member(name, text)
}

func instant(name string, at time.Time) canon.Member {
	if at.IsZero() {
		return canon.Member{Name: name}
	}
	return member(name, at.UTC().Format(time.RFC3339Nano))
}

func texts(name string, list []string) canon.Member {
	items := make([]canon.Value, len(list))
	for i, text := range list {
		items[i] = canon.String(text)
	}
	return canon.Member{Name: name, Value: canon.Array(items...)}
}
