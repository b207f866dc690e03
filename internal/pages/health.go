package pages

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Doctor examines the store and everything around it.
type Doctor interface {
	// Checkup returns what the last examination found, and whether one is under way. It
	// begins none.
	Checkup(ctx context.Context, c memory.Caller) (Checkup, error)
	// Examine begins an examination; with mend it mends before what can be mended without
	// loss. It does nothing while one is under way.
	Examine(ctx context.Context, c memory.Caller, mend bool) error
}

// Checkup is what an examination found.
type Checkup struct {
	Busy     bool
	Ended    time.Time // the moment; zero: there was none since the server started
	Findings []Finding
	Facts    []Fact
	Failure  error // why there are no findings
}

// Finding is the result of one check.
type Finding struct {
	Check, Message string
	OK             bool
	Remedy         string // what to do about it
	Mends          bool   // Examine can mend it
}

// Fact is something about the store that is no fault. Its value names no memory and nobody.
type Fact struct{ Name, Value string }

// healthHandler answers requests about health.
type healthHandler struct{ *Handler }

// examine lets the doctor look through the store, or mend it.
func (h healthHandler) examine(mend bool) page {
	return func(w http.ResponseWriter, r *http.Request, v visitor) {
		if err := h.backend.Examine(r.Context(), v.caller, mend); err != nil {
			h.fail(w, r, v, err)
			return
		}
		http.Redirect(w, r, Root+"health", http.StatusSeeOther)
	}
}

// healthPage shows what doctor says.
type healthPage struct {
	frame
	Checkup
	Wrong, Right []Finding
	Mends        bool // some of Wrong
	When         moment
	Broken       string
	Support      string
}

// health shows whether anything is wrong, the first thing to do above all.
func (h healthHandler) health(w http.ResponseWriter, r *http.Request, v visitor) {
	p := healthPage{frame: h.frame(r, v, "Health", "health")}
	var err error
	if p.Checkup, err = h.backend.Checkup(r.Context(), v.caller); err != nil {
		h.fail(w, r, v, err)
		return
	}
	for _, f := range p.Findings {
		if f.OK {
			p.Right = append(p.Right, f)
			continue
		}
		p.Wrong, p.Mends = append(p.Wrong, f), p.Mends || f.Mends
	}
	if p.Failure != nil {
		p.Broken = failureOf(p.Failure).Text
	}
	p.When, p.Refresh, p.Support = momentOf(p.Ended, p.Now), p.Busy, supportText(h.options.Release, p.Checkup)
	h.show(w, r, http.StatusOK, "health", p)
}

// supportText sums up a checkup for somebody who helps. It holds the names of checks, no
// message: those name paths and memories.
func supportText(release string, c Checkup) string {
	var b strings.Builder
	fmt.Fprintf(&b, "satchel %s\n", release)
	for _, f := range c.Facts {
		fmt.Fprintf(&b, "%s: %s\n", strings.ToLower(f.Name), f.Value)
	}
	if c.Ended.IsZero() {
		b.WriteString("checked: no\n")
		return b.String()
	}
	fmt.Fprintf(&b, "checked: %s\n", c.Ended.UTC().Format(time.RFC3339))
	for _, f := range c.Findings {
		word := "ok"
		if !f.OK {
			word = "WRONG"
		}
		fmt.Fprintf(&b, "%-5s %s\n", word, f.Check)
	}
	return b.String()
}
