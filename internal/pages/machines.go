package pages

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Fleet is what a machine knows of an owner's others.
type Fleet struct {
	Machines []Machine
	Places   []Place
}

// Machine is a machine of the owner's.
type Machine struct {
	Name    string
	This    bool
	Removed bool
	Asks    bool   // to take part
	Lacks   string // yes, no, or empty: not known
	Met     time.Time
}

// Place is where machines meet.
type Place struct {
	Name, Address string
	Met           time.Time
	Failed        string // why the last meeting failed; empty: it did not
}

// fleetHandler answers requests about machines.
type fleetHandler struct{ *Handler }

// machinesPage lists machines, and where they meet.
type machinesPage struct {
	frame
	Machines []machineRow
	Places   []placeRow
	Here     bool // addresses are shown to browsers of this machine alone
}

type machineRow struct {
	Name  string
	Marks []mark
	Met   moment
	Lacks string
}

type placeRow struct {
	Name, Address, Failed string
	Met                   moment
}

// machines lists machines.
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
	for _, s := range fleet.Places {
		p.Places = append(p.Places, placeRow{cut(s.Name, 60), cut(s.Address, 200), cut(s.Failed, 300), momentOf(s.Met, p.Now)})
	}
	h.show(w, r, http.StatusOK, "machines", p)
}

func (h fleetHandler) fleet(ctx context.Context, c memory.Caller) (Fleet, error) {
	if h.options.Fleet == nil {
		return Fleet{}, nil
	}
	return h.options.Fleet(ctx, c)
}
