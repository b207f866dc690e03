package pages

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Sharing says who else gets in.
type Sharing interface {
	// Tokens lists the tokens that the owner gave, those that are in force first.
	Tokens(ctx context.Context, c memory.Caller, now time.Time) ([]Token, error)
	// RevokeToken makes a token worthless. It fails with kind NotFound if there is none.
	RevokeToken(ctx context.Context, c memory.Caller, id string) error
	// MintToken makes a token and returns it; nobody can read it again.
	MintToken(ctx context.Context, c memory.Caller, o TokenOrder) (secret string, t Token, err error)
	// SetVisibility says who can see a memory, and returns the version that says so. Earlier
	// versions stay as they are.
	SetVisibility(ctx context.Context, c memory.Caller, id memory.ID, to memory.Visibility) (memory.ID, error)
	// Visits lists the browsers that were let in. cookie is that of the visit that asks.
	Visits(ctx context.Context, c memory.Caller, cookie string) ([]Visit, error)
	// EndVisit turns a browser out, by the id in the list.
	EndVisit(ctx context.Context, c memory.Caller, id string) error
}

// Visit is a browser that was let in.
type Visit struct {
	ID, Browser      string
	Made, Seen, Ends time.Time
	This             bool // the one that asks
}

// sharingHandler answers requests about who else gets in.
type sharingHandler struct{ *Handler }

// visitRow is a browser as pages show it.
type visitRow struct {
	Visit
	Made, Seen, Ends moment
}

// sharingPage says who else gets in.
type sharingPage struct {
	frame
	Tokens  []tokenRow
	Ended   []tokenRow
	Visits  []visitRow
	Shared  string // the list of shared memories
	Public  string
	Command string
}

// mostEnded is how many tokens that are over the page shows.
const mostEnded = 20

// shared answers who else gets in.
func (h sharingHandler) shared(w http.ResponseWriter, r *http.Request, v visitor) {
	p := sharingPage{frame: h.frame(r, v, "Sharing", "sharing"), Shared: listPath("visibility", "shared"), Public: listPath("visibility", "public"), Command: command("token", "list")}
	tokens, err := h.backend.Tokens(r.Context(), v.caller, p.Now)
	var visits []Visit
	if err == nil {
		visits, err = h.backend.Visits(r.Context(), v.caller, h.cookieOf(r))
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	for _, t := range tokens {
		switch row := tokenRowOf(t, p.Now); {
		case !t.Ended:
			p.Tokens = append(p.Tokens, row)
		case len(p.Ended) < mostEnded:
			p.Ended = append(p.Ended, row)
		}
	}
	for _, x := range visits {
		p.Visits = append(p.Visits, visitRow{x, momentOf(x.Made, p.Now), momentOf(x.Seen, p.Now), momentOf(x.Ends, p.Now)})
	}
	h.show(w, r, http.StatusOK, "sharing", p)
}

// revoke makes a token worthless.
func (h sharingHandler) revoke(w http.ResponseWriter, r *http.Request, v visitor) {
	if err := h.backend.RevokeToken(r.Context(), v.caller, r.PostForm.Get("id")); err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, Root+"sharing", "revoked", "")
}

// endVisit turns a browser out.
func (h sharingHandler) endVisit(w http.ResponseWriter, r *http.Request, v visitor) {
	if err := h.backend.EndVisit(r.Context(), v.caller, r.PostForm.Get("id")); err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, Root+"sharing", "ended", "")
}
