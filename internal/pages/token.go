package pages

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Token is a token that the owner gave somebody.
type Token struct {
	ID       string
	Name     string
	Verbs    []memory.Verb
	Whole    bool // its holder is the owner
	Scope    memory.Scope
	Projects []string  // instead of the one of Scope; "" is what belongs to none
	For      string    // the assistant that it was made for; empty: for none
	Until    time.Time // zero: not known
	Ended    bool      // it expired or was revoked
	Why      string    // expired or revoked
	Used     time.Time // when its holder read last, as far as the journal goes
	Within   string    // the words of a scope of contexts
}

// TokenOrder says what a new token is for.
type TokenOrder struct {
	Name       string
	Verbs      []memory.Verb
	Project    string
	Visibility memory.Visibility
	Until      time.Time
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
	case t.Scope.Agent != "" && slices.Equal(t.Verbs, []memory.Verb{memory.DeriveVerb}):
		r.May, r.About = "give tasks to agent "+cut(t.Scope.Agent, 60)+", where it is served", "no memory"
	default:
		r.About = aboutWords(t.Scope, t.Projects...)
	}
	if !t.Used.IsZero() {
		r.Path = assistantPath(TokenMark + t.ID)
	}
	return r
}

// TokenMark begins the name of a token's holder in addresses; the token's id follows. The
// name of a program cannot begin so: it is folded, and a folded name holds no colon.
const TokenMark = "token:"

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

// grantWords says which memories the owner is about to open.
func grantWords(s memory.Scope, projects ...string) string {
	about := aboutWords(s, projects...)
	if s.Project == "" && len(projects) == 0 {
		about += ", in all projects, also those to come"
	}
	return "It is about " + about + "."
}

// aboutWords says which memories a scope is about, in some projects if any are given.
func aboutWords(s memory.Scope, projects ...string) string {
	what := map[memory.Visibility]string{memory.Private: "all memories, private ones too", memory.Public: "public memories"}[s.Visibility]
	if what == "" {
		what = "shared and public memories"
	}
	if s.Project != "" {
		what += " of " + cut(s.Project, 60)
	}
	if len(projects) > 0 {
		var names []string
		for _, p := range projects {
			names = append(names, cmp.Or(cut(p, 60), "no project"))
		}
		what += " of " + strings.Join(names, ", ")
	}
	if s.Agent != "" {
		what += " from " + cut(s.Agent, 60)
	}
	return what
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
	projects, err := h.backend.ProjectNames(r.Context(), v.caller)
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

// previewToken says whom a token lets in.
func (h sharingHandler) previewToken(r *http.Request, _ visitor) (effect, error) {
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
			grantWords(memory.Scope{Project: o.Project, Visibility: o.Visibility}),
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
