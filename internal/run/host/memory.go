package host

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/notes"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/vault/meaning"
	"github.com/satchel-memory/satchel/memory"
)

// remember gives a thread of a run the memory of its agent, and its tools.
func (h *Host) remember(ctx context.Context, c memory.Caller, r *run.Run, t *run.Thread, m *run.Setup, s Settings, of subject) error {
	own, err := h.memoryOf(ctx, c, r, t, m, h.reporter(of, s, m.Operator).Spans)
	if err != nil || own == nil || t.Worker().Leads { // who leads asks no model; its memory is passed on
		return err
	}
	m.Memory = own
	m.Tools, err = own.Tools(m.Tools)
	return err
}

// memoryOf returns the memory of a thread's agent; nil: it has none.
func (h *Host) memoryOf(ctx context.Context, c memory.Caller, r *run.Run, t *run.Thread, m *run.Setup, spans trace.Spans) (*notes.Memory, error) {
	d := m.Definition
	d.ID = t.Worker().Agent
	opt := notes.Options{
		Store: h.notes, Caller: c, Definition: d, Over: m.Over, Run: r.ID, User: r.Start.User, Session: r.Start.Session, Passed: passedTo(r, t),
		Came: r.Began, Now: h.opt.Now, Spans: spans, Ended: r.Status.Ended(), State: t.Came(),
	}
	if s := meaning.Of(h.opt.Vault); s != nil {
		used, on, err := s.Current(ctx, c)
		if err != nil {
			return nil, err
		}
		if on {
			opt.Meaning, opt.Misplaced = s, misplaced(append(slices.Clip(m.Over), d), m.Operator, used.URL)
		}
	}
	return notes.Open(ctx, opt)
}

// passedTo returns the notes of another agent that the agent of a thread may read. The other agent
// handed the thread over; without a handoff it is the thread's lead.
func passedTo(r *run.Run, t *run.Thread) notes.PassedNotes {
	at, from := t.Worker(), ""
	if over := r.Over(t); len(t.Agents) > 1 {
		from = t.Agents[len(t.Agents)-2].Agent
	} else if len(over) > 0 {
		from = over[0].Worker().Agent
	}
	if from == "" || from == at.Agent || !at.Memory.LongTerm && len(at.Memory.Keys) == 0 {
		return notes.PassedNotes{}
	}
	return notes.PassedNotes{Agent: from, LongTerm: at.Memory.LongTerm, Keys: at.Memory.Keys}
}

// misplaced says why the server of embeddings may not get the data of an agent and of its leads;
// empty: it may. The server has the regions of the provider with the same address in the table of
// models. A server on this machine keeps no data elsewhere (AAIF-4.9-6).
func misplaced(all []aaif.Definition, o route.Operator, address string) string {
	u, err := url.Parse(address)
	if err == nil {
		ip, failed := netip.ParseAddr(u.Hostname())
		if u.Hostname() == "localhost" || failed == nil && ip.IsLoopback() {
			return ""
		}
		i := slices.IndexFunc(o.Providers, func(p route.Provider) bool {
			at, err := url.Parse(p.BaseURL)
			return err == nil && p.BaseURL != "" && strings.EqualFold(at.Host, u.Host)
		})
		name := "the server of embeddings"
		if i >= 0 {
			name = o.Providers[i].Name
		} else {
			o.Providers = append(slices.Clone(o.Providers), route.Provider{Name: name})
		}
		misplaced := func(d aaif.Definition) bool {
			ask := route.Request{Chain: []route.Candidate{{Target: route.Target{Provider: name, Model: "embeddings"}}}, Residency: string(d.Agent.Compliance.Residency)}
			return len(route.Decide(ask, o, nil).Order) == 0
		}
		if i = slices.IndexFunc(all, misplaced); i < 0 {
			return ""
		}
		all = all[i:]
	}
	residency := string(all[0].Agent.Compliance.Residency)
	return "the server of embeddings is not known to keep data in the region " + residency
}

// snapshot returns what the agent at work in a thread remembers, for the checkpoint of the thread.
func (h *Host) snapshot(ctx context.Context, c memory.Caller, r *run.Run, t *run.Thread) ([]aaif.MemoryItem, error) {
	w := t.Worker()
	if w.Remote != "" {
		return nil, nil
	}
	d, err := h.pinned(ctx, c, w)
	if err != nil {
		return nil, err
	}
	above, err := over(ctx, h, c, r, t)
	if err != nil {
		return nil, err
	}
	m, err := h.memoryOf(ctx, c, r, t, &run.Setup{Definition: d, Over: above}, trace.Spans{})
	if err != nil || m == nil {
		return nil, err
	}
	return m.Snapshot(ctx)
}
