package pages

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Fleet holds an owner's machines and this machine's remotes.
type Fleet struct {
	Machines []Machine
	Remotes  []Remote
}

// Machine is one of an owner's machines.
type Machine struct {
	Name    string
	This    bool
	Removed bool
	Asks    bool      // to take part
	Lacks   string    // whether it lacks items of this machine: yes, no, or anything else for unknown
	Met     time.Time // when this machine last heard from it; zero: never
}

// Remote is a place where machines sync.
type Remote struct {
	Name, Address string
	Met           time.Time // the last sync that succeeded; zero: none
	Failed        string    // why the last sync failed; empty: it succeeded
}

// fleetHandler answers requests about machines.
type fleetHandler struct{ *Handler }

// machinesPage lists machines and remotes.
type machinesPage struct {
	frame
	Machines []machineRow
	Remotes  []remoteRow
	Here     bool // the browser is on this machine: only then the page shows addresses
}

type machineRow struct {
	Name  string
	Marks []mark
	Met   moment
	Lacks string
}

type remoteRow struct {
	Name, Address, Failed string
	Met                   moment
}

// machines shows the page of machines.
func (h fleetHandler) machines(w http.ResponseWriter, r *http.Request, v visitor) {
	p := machinesPage{frame: h.frame(r, v, "Machines", "settings"), Here: h.options.isHere(r)}
	fleet, err := h.fleet(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	for _, m := range fleet.Machines {
		row := machineRow{Name: cut(m.Name, 60), Met: momentOf(m.Met, p.Now)}
		switch {
		case m.This:
			row.Marks = []mark{{"this machine", "good"}}
		case m.Removed:
			row.Marks = []mark{{"removed", "plain"}}
		case m.Asks:
			row.Marks, row.Lacks = []mark{{"asks to take part", "wait"}}, "If it is yours: satchel devices accept "+row.Name
		case m.Lacks == "yes":
			row.Lacks = "lacks something from here"
		case m.Lacks == "no":
			row.Lacks = "has all from here"
		}
		p.Machines = append(p.Machines, row)
	}
	for _, s := range fleet.Remotes {
		p.Remotes = append(p.Remotes, remoteRow{cut(s.Name, 60), cut(s.Address, 200), cut(s.Failed, 300), momentOf(s.Met, p.Now)})
	}
	h.show(w, r, http.StatusOK, "machines", p)
}

func (h fleetHandler) fleet(ctx context.Context, c memory.Caller) (Fleet, error) {
	if h.options.Fleet == nil {
		return Fleet{}, nil
	}
	return h.options.Fleet(ctx, c)
}
