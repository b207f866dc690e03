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

// agents lists the agents that are here, a page at a time, in the order of their ids.
func (h *Handler) agents(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.owned(r, c); err != nil {
		return err
	}
	p, err := parametersOf(r, "after", "limit")
	if err != nil {
		return err
	}
	limit, err := p.number("limit", 1, mostItems, manyItems)
	if err != nil {
		return err
	}
	kept, err := h.backend.Agents(r.Context(), c, p.text("after"), limit+1)
	if err != nil {
		return err
	}
	kept, more := pageOf(kept, limit)
	next := ""
	if more {
		next = nextPage(AgentsPath, p, kept[limit-1].AgentID)
	}
	items := make([]canon.Value, len(kept))
	for i, k := range kept {
		items[i] = keptValue(k)
	}
	send(w, http.StatusOK, canon.Object(canon.Member{Name: "agents", Value: canon.Array(items...)}, optional("next", next)))
	return nil
}

// keptValue describes a definition that is here.
func keptValue(k aaif.Kept) canon.Value {
	return canon.Object(member("agent_id", k.AgentID), canon.Member{Name: "revision", Value: canon.Int(int64(k.Revision))},
		member("name", k.Name), optional("version", k.Version), optional("status", string(k.Status)),
		member("digest", k.Digest), optional("signer", string(k.Signer)), instant("received_at", k.Received), some("cannot_run", k.CannotRun), some("off", k.Off))
}

// some is a list of texts, if there are any.
func some(name string, list []string) canon.Member {
	if len(list) == 0 {
		return canon.Member{Name: name}
	}
	return texts(name, list)
}

// agent gives a definition away as it is kept: byte for byte what was signed, where it
// is signed, and in the encoding that is asked for (AAIF-9-4).
func (h *Handler) agent(id string) task {
	return func(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		if err := h.owned(r, c); err != nil {
			return err
		}
		p, err := parametersOf(r, "revision")
		if err != nil {
			return err
		}
		revision, err := p.number("revision", 1, math.MaxInt32, 0)
		if err != nil {
			return err
		}
		k, err := h.backend.Agent(r.Context(), c, id, revision)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Location", AgentPath+url.PathEscape(k.AgentID)+"?revision="+strconv.Itoa(k.Revision))
		return sendDocument(w, r, k.Document, k.Digest)
	}
}

// send answers with JSON, which nobody keeps.
func send(w http.ResponseWriter, status int, v canon.Value) {
	httpkit.Send(w, status, jsonType, v.Append(nil))
}

// optional is a member that is left out where there is nothing to say.
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
