package pages

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
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

// Token is a token that the owner gave somebody.
type Token struct {
	ID     string
	Name   string
	Verbs  []memory.Verb
	Whole  bool // its holder is the owner
	Scope  memory.Scope
	For    string    // the assistant that it was made for; empty: for none
	Until  time.Time // zero: not known
	Ended  bool      // it expired or was revoked
	Why    string    // expired or revoked
	Used   time.Time // when its holder read last, as far as the journal goes
	Within string    // the words of a scope of contexts
}

// TokenOrder says what a new token is for.
type TokenOrder struct {
	Name       string
	Verbs      []memory.Verb
	Project    string
	Visibility memory.Visibility
	Until      time.Time
}

// Visit is a browser that was let in.
type Visit struct {
	ID, Browser      string
	Made, Seen, Ends time.Time
	This             bool // the one that asks
}

// sharingHandler answers requests about who else gets in.
type sharingHandler struct{ *Handler }

// sharing adds the pages about who else gets in.
func (all *Handler) sharing() {
	h := sharingHandler{all}
	h.mux.Handle("/me/sharing", h.reads(h.shared))
	h.mux.Handle("/me/sharing/new", h.reads(h.newToken))
	h.mux.Handle("/me/sharing/mint", h.stepUp(h.foreseeToken, h.mint))
	h.mux.Handle("/me/sharing/revoke", h.writes(h.revoke))
	h.mux.Handle("/me/sharing/end", h.writes(h.endVisit))
	h.mux.Handle("/me/memories/{id}/share", h.stepUp(h.foreseeShare, h.share))
	h.mux.Handle("/me/memories/{id}/unshare", h.writes(h.unshare))
}

// sharingRoutes lists the paths of these pages.
func sharingRoutes() []string {
	return []string{"/me/sharing", "/me/sharing/new", "/me/sharing/mint", "/me/sharing/revoke", "/me/sharing/end", "/me/memories/{id}/share", "/me/memories/{id}/unshare"}
}

// tokenRow is a token as pages show it.
type tokenRow struct {
	Token
	Title string
	May   string
	About string
	Until moment
	Used  moment
	Path  string // what its holder read
}

func tokenRowOf(t Token, now time.Time) tokenRow {
	r := tokenRow{Token: t, Title: cut(cmp.Or(t.Name, t.For, t.ID), 60), Until: momentOf(t.Until, now), Used: momentOf(t.Used, now), May: mayWords(t.Verbs)}
	switch {
	case t.Whole:
		r.May, r.About = "all that you may", "everything"
	case t.For != "":
		r.May, r.About = "start from your context, propose corrections", cmp.Or(t.Within, "what the token says")
	default:
		r.About = aboutWords(t.Scope)
	}
	if !t.Used.IsZero() {
		r.Path = assistantPath(tokenName(t.ID))
	}
	return r
}

// tokenName is the name of a token's holder in addresses.
func tokenName(id string) string { return "token-" + id }

// verbWords are the verbs in an owner's words.
var verbWords = map[memory.Verb]string{
	memory.ReadVerb: "read", memory.WriteVerb: "remember and correct", memory.DeriveVerb: "conclude from memories", memory.ExportVerb: "take copies",
}

func mayWords(verbs []memory.Verb) string {
	var all []string
	for _, v := range verbs {
		all = append(all, cmp.Or(verbWords[v], string(v)))
	}
	return strings.Join(all, ", ")
}

func aboutWords(s memory.Scope) string {
	what := map[memory.Visibility]string{memory.Private: "all memories, private ones too", memory.Public: "public memories"}[s.Visibility]
	if what == "" {
		what = "shared and public memories"
	}
	if s.Project != "" {
		what += " of " + cut(s.Project, 60)
	}
	if s.Agent != "" {
		what += " from " + cut(s.Agent, 60)
	}
	return what
}

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

// newTokenPage asks what a new token is for.
type newTokenPage struct {
	frame
	Projects []choice
	Days     []choice
	Reach    []choice
}

func dayChoices(chosen string) []choice {
	return choices(chosen, "1", "A day", "7", "A week", "30", "30 days", "90", "90 days", "365", "A year")
}

func reachChoices(chosen string) []choice {
	return choices(chosen, "shared", "Shared and public memories", "public", "Public memories", "private", "All, private ones too")
}

// newToken asks what a new token is for.
func (h sharingHandler) newToken(w http.ResponseWriter, r *http.Request, v visitor) {
	projects, err := h.backend.Projects(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := newTokenPage{frame: h.frame(r, v, "Give somebody a token", "sharing"), Projects: projectChoices(projects, ""), Days: dayChoices("30"), Reach: reachChoices("shared")}
	h.show(w, r, http.StatusOK, "newtoken", p)
}

// orderOf reads what a form says of a new token.
func (h sharingHandler) orderOf(r *http.Request) (o TokenOrder, err error) {
	o = TokenOrder{Name: strings.TrimSpace(r.FormValue("name")), Project: r.FormValue("project"), Visibility: memory.Visibility(cmp.Or(r.FormValue("reach"), "shared"))}
	for _, verb := range []memory.Verb{memory.ReadVerb, memory.WriteVerb, memory.DeriveVerb, memory.ExportVerb} {
		if r.FormValue(string(verb)) != "" {
			o.Verbs = append(o.Verbs, verb)
		}
	}
	days, failed := strconv.Atoi(cmp.Or(r.FormValue("days"), "30"))
	switch {
	case len(o.Verbs) == 0:
		return o, invalid("say what the holder may do: tick at least one box")
	case failed != nil || days < 1 || days > 365:
		return o, invalid("a token is good for 1 to 365 days")
	case !o.Visibility.Valid():
		return o, invalid("say which memories the holder may see")
	case len(o.Name) > 60:
		return o, invalid("the name is longer than 60 bytes")
	}
	o.Until = h.options.Now().AddDate(0, 0, days).Truncate(time.Second)
	return o, nil
}

// foreseeToken says whom a token lets in.
func (h sharingHandler) foreseeToken(r *http.Request, _ visitor) (effect, error) {
	o, err := h.orderOf(r)
	if err != nil {
		return effect{}, err
	}
	words := []string{"token", "mint"}
	for _, verb := range o.Verbs {
		words = append(words, "--verb", string(verb))
	}
	if o.Project == "" {
		words = append(words, "--all")
	} else {
		words = append(words, "--project", quoted(o.Project))
	}
	words = append(words, "--visibility", string(o.Visibility), "--until", o.Until.Format("2006-01-02"))
	if o.Name != "" {
		words = append(words, "--name", quoted(o.Name))
	}
	return effect{
		Title: "Give somebody a token", At: "sharing", Button: "Make the token", Back: Root + "sharing", Command: command(words...),
		Says: []string{
			"Whoever has the token may until " + o.Until.Format("2 January 2006") + ": " + mayWords(o.Verbs) + ".",
			"It is about " + aboutWords(memory.Scope{Project: o.Project, Visibility: o.Visibility}) + ".",
			"It is shown once. You can revoke it at any time; what its holder has read by then stays read.",
		},
	}, nil
}

// tokenPage shows a new token, once.
type tokenPage struct {
	frame
	Row     tokenRow
	Secret  string
	Address string // of this server's MCP
}

// mint makes a token. The answer shows it, and no address leads to that page again.
func (h sharingHandler) mint(w http.ResponseWriter, r *http.Request, v visitor) {
	o, err := h.orderOf(r)
	var secret string
	var t Token
	if err == nil {
		secret, t, err = h.backend.MintToken(r.Context(), v.caller, o)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := tokenPage{frame: h.frame(r, v, "The new token", "sharing"), Secret: secret, Address: h.originOf(r) + "/mcp"}
	p.Row = tokenRowOf(t, p.Now)
	h.show(w, r, http.StatusOK, "token", p)
}
