package pages

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/satchel-memory/satchel/memory"
)

// The paths of the page on which the owner decides about a request, and of its forms.
const (
	consentPath = "/me/consent"
	allowPath   = consentPath + "/allow"
	refusePath  = consentPath + "/refuse"
)

// consentName begins the name of the page about a request, below Root; its id follows.
const consentName = "consent?request="

// consentHandler answers requests about remote assistants that ask for access.
type consentHandler struct{ *Handler }

// consentPage asks the owner what a remote assistant may do.
type consentPage struct {
	frame
	ID       string
	Client   string // as it calls itself
	Checked  string // the host that vouches for the name; empty: nobody does
	Document string // in which it does
	Goes     string // where the access goes
	Here     bool   // to a program of the owner's computer
	Seen     bool
	Resource string
	Context  *ConsentContext
	Ends     string // of the request: a time of today
	May      []tick
	Reach    []choice
	Projects []choice // that the owner may choose among; the first is what belongs to none
	Days     []choice
	Lines    []string // instead of a grant, for an owner who keeps their own key
}

// mostChosen is how many projects an owner may choose.
const mostChosen = 32

// tick is a box that is ticked at first.
type tick struct{ Name, Word, More string }

// consent shows who asks, and for what. Nothing is granted by it.
func (h consentHandler) consent(w http.ResponseWriter, r *http.Request, v visitor) {
	id := r.URL.Query().Get("request")
	asked, err := h.backend.ConsentRequest(r.Context(), v.caller, id, h.heldOf(r))
	if err != nil {
		h.failConsent(w, r, v, err)
		return
	}
	p := consentPage{frame: h.frame(r, v, "An assistant asks for access", "sharing"), ID: id, Client: clientName(asked), Seen: asked.Seen, Resource: asked.Resource, Context: asked.Context,
		Goes: asked.RedirectHost, Here: asked.RedirectHere, May: ticksOf(asked), Days: lastingChoices(asked.Usual, asked.Longest)}
	p.Ends = asked.Ends.In(p.Now.Location()).Format("15:04")
	if asked.Named == NamedByDocument {
		p.Checked, p.Document = asked.Host, asked.Document
	}
	if v.keepsKey {
		if asked.Context == nil { // a context needs a signature at every request
			p.Lines = h.keyLines(r).Lines
		}
		h.show(w, r, http.StatusOK, "consent", p)
		return
	}
	if asked.Context == nil {
		projects, err := h.backend.ProjectNames(r.Context(), v.caller)
		if err == nil {
			if p.Projects = projectChoices(projects, ""); len(p.Projects) > 1 {
				p.Projects[0].Word = "What belongs to no project"
			} else {
				p.Projects = nil
			}
			p.Reach, err = h.reaches(r, v)
		}
		if err != nil {
			h.fail(w, r, v, err)
			return
		}
	}
	h.show(w, r, http.StatusOK, "consent", p)
}

// keyLines are the lines that let an assistant in without a grant, for an owner who keeps
// their own key: this server would have to sign a new token each hour.
func (h consentHandler) keyLines(r *http.Request) ownerLines {
	return ownerLines{Title: "An assistant asks for access", At: "sharing", Back: Root + "sharing",
		Lines: []string{command("token", "mint", "--verb", "read", "--all", "--for", "30d", "--audience", quoted(h.originOf(r)+"/mcp"), "--name", "'…'")},
		Note:  "The assistant gets the token as a header, Authorization: Bearer, for " + h.originOf(r) + "/mcp. Nothing was granted here"}
}

// clientName returns what an assistant calls itself, without characters that nobody sees.
// Anybody may call themselves anything.
func clientName(asked ConsentRequest) string {
	name := strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return -1
		}
		return c
	}, asked.Client)
	return cut(cmp.Or(strings.TrimSpace(name), asked.Host, "A program without a name"), 60)
}

// ticksOf returns a box for each thing that an assistant asks to do.
func ticksOf(asked ConsentRequest) (all []tick) {
	words := map[memory.Verb][2]string{
		memory.ReadVerb: {"read", "search your memories and read them"}, memory.WriteVerb: {"remember and correct", "add memories, and change what they say"},
		memory.DeriveVerb: {"conclude from memories", "keep what it works out from them"}, memory.ExportVerb: {"take copies", "all that it may read, as a file"},
	}
	if asked.Context != nil {
		words = map[memory.Verb][2]string{memory.ReadVerb: {"start from your context", "read what the scope holds when a session begins"}}
	}
	for _, verb := range asked.Verbs {
		word := words[verb]
		if word[0] == "" {
			word = [2]string{"propose corrections", "each waits for you"}
		}
		all = append(all, tick{string(verb), word[0], word[1]})
	}
	return all
}

// reaches returns which memories the owner may open, with how many there are. None is chosen
// beforehand: what is usual for one owner gives away another's.
func (h consentHandler) reaches(r *http.Request, v visitor) ([]choice, error) {
	all := reachChoices("-")
	for i, c := range all {
		total := 0
		for _, visibility := range reachedBy(memory.Visibility(c.Value)) {
			list, err := h.backend.List(r.Context(), v.caller, ListQuery{Visibility: visibility})
			if err != nil {
				return nil, err
			}
			total += max(list.Total, 0)
		}
		all[i].Word = c.Word + " (" + grouped(total) + ")"
	}
	return all, nil
}

// reachedBy returns the visibilities of the memories that a grant reaches.
func reachedBy(most memory.Visibility) []memory.Visibility {
	switch most {
	case memory.Private:
		return []memory.Visibility{""} // any
	case memory.Public:
		return []memory.Visibility{memory.Public}
	}
	return []memory.Visibility{memory.Shared, memory.Public}
}

// lastingChoices returns how long a grant may last, in days.
func lastingChoices(usual, longest time.Duration) []choice {
	const day = 24 * time.Hour
	days := []int{1, 7, 30, 90, 365, int(usual / day), int(longest / day)}
	slices.Sort(days)
	var pairs []string
	for _, n := range slices.Compact(days) {
		if n < 1 || time.Duration(n)*day > longest {
			continue
		}
		word := map[int]string{1: "A day", 7: "A week", 365: "A year"}[n]
		pairs = append(pairs, strconv.Itoa(n), cmp.Or(word, strconv.Itoa(n)+" days"))
	}
	return choices(strconv.Itoa(int(usual/day)), pairs...)
}

// decisionOf reads what the owner grants from the form of a page.
func (h consentHandler) decisionOf(r *http.Request, asked ConsentRequest) (d ConsentDecision, err error) {
	for _, verb := range asked.Verbs {
		if r.FormValue(string(verb)) != "" {
			d.Verbs = append(d.Verbs, verb)
		}
	}
	if text := r.FormValue("days"); text != "" {
		days, err := strconv.Atoi(text)
		if err != nil || days < 1 || time.Duration(days) > asked.Longest/(24*time.Hour) {
			return d, invalid("say how long the access lasts")
		}
		d.Until = h.options.Now().Add(time.Duration(days) * 24 * time.Hour).Truncate(time.Second)
	}
	if asked.Context == nil {
		d.Visibility = memory.Visibility(r.FormValue("reach"))
		if !d.Visibility.Valid() {
			return d, invalid("say which memories it may reach: choose one of the three")
		}
		if d.Projects, err = chosenProjects(r.PostForm); err != nil {
			return d, err
		}
	}
	d.Replaces = asked.Seen && r.PostForm.Get("replaces") != ""
	if len(d.Verbs) == 0 {
		return d, invalid("say what it may do: tick at least one box, or refuse")
	}
	return d, nil
}

// chosenProjects reads which projects the owner opens; none: every one.
func chosenProjects(form url.Values) ([]string, error) {
	some := slices.Compact(slices.Sorted(slices.Values(form["project"])))
	switch which := form.Get("projects"); {
	case len(some) > mostChosen:
		return nil, invalid("choose at most 32 projects, or all of them")
	case which == "some" && len(some) == 0:
		return nil, invalid("say in which projects: tick at least one, or choose all projects")
	case which == "some":
		return some, nil
	case len(some) > 0:
		return nil, invalid("you ticked projects: choose “only in these”, or tick none")
	}
	return nil, nil
}

// previewConsent says what the owner is about to grant, in whole sentences.
func (h consentHandler) previewConsent(r *http.Request, v visitor) (effect, error) {
	id := r.FormValue("request")
	asked, err := h.backend.ConsentRequest(r.Context(), v.caller, id, h.heldOf(r))
	if err != nil {
		return effect{fail: h.failConsent}, err
	}
	d, err := h.decisionOf(r, asked)
	if err != nil {
		return effect{}, err
	}
	until := d.Until
	if until.IsZero() {
		until = h.options.Now().Add(asked.Usual)
	}
	name := "“" + clientName(asked) + "”"
	says := []string{name + " may until " + until.Format("2 January 2006") + ": " + doesWords(asked, d.Verbs) + "."}
	if asked.Context != nil {
		says = append(says, "It is about the scope “"+cut(asked.Context.Scope, 60)+"” of your context, and no memory beyond.")
	} else {
		says = append(says, grantWords(memory.Scope{Visibility: d.Visibility}, d.Projects...))
	}
	goes := "The access goes to " + asked.RedirectHost + "."
	if asked.RedirectHere {
		goes = "The access goes to a program on your own computer (" + asked.RedirectHost + ")."
	}
	switch {
	case asked.Named != NamedByDocument:
		goes += " Nobody checked the name."
	case asked.RedirectHere:
		goes += " Any program on it can ask under this name."
	}
	if d.Replaces {
		goes += " What you allowed it before for this address ends when it takes this up."
	} else if asked.Seen {
		goes += " What you allowed it before goes on too."
	}
	return effect{Title: "Allow " + name, At: "sharing", Button: "Allow", Back: consentAddress(id), Says: append(says, goes,
		"What it reads goes to whoever runs it. You can revoke it at any time under Sharing; what it has read by then stays read.")}, nil
}

// doesWords says what an assistant may do.
func doesWords(asked ConsentRequest, verbs []memory.Verb) string {
	var all []string
	for _, t := range ticksOf(asked) {
		if slices.Contains(verbs, memory.Verb(t.Name)) {
			all = append(all, t.Word)
		}
	}
	return strings.Join(all, ", ")
}

// allow grants what the owner confirmed.
func (h consentHandler) allow(w http.ResponseWriter, r *http.Request, v visitor) {
	id, held := r.PostForm.Get("request"), h.heldOf(r)
	asked, err := h.backend.ConsentRequest(r.Context(), v.caller, id, held)
	var d ConsentDecision
	if err == nil {
		d, err = h.decisionOf(r, asked)
	}
	to := ""
	if err == nil {
		to, err = h.backend.Consent(r.Context(), v.caller, id, held, d)
	}
	h.leadBack(w, r, v, "Allowed", to, err)
}

// refuseConsent refuses the request.
func (h consentHandler) refuseConsent(w http.ResponseWriter, r *http.Request, v visitor) {
	to, err := h.backend.RefuseConsent(r.Context(), v.caller, r.PostForm.Get("request"), h.heldOf(r))
	h.leadBack(w, r, v, "Refused", to, err)
}

// onwardPage leads back to an assistant at once, and has a link for browsers that wait.
type onwardPage struct {
	frame
	What, To string
	Host     string // that To leads to; empty: it opens a program
}

// leadBack leads the browser back to the assistant. A redirection would do where browsers did
// not hold redirections of a form to form-action, also those that the other site adds.
func (h consentHandler) leadBack(w http.ResponseWriter, r *http.Request, v visitor, what, to string, err error) {
	if err != nil {
		h.failConsent(w, r, v, err)
		return
	}
	where, err := url.Parse(to)
	if err != nil || !leadsAway(where) {
		h.fail(w, r, v, &memory.Error{Kind: memory.Internal, Op: "consent", Err: err, Message: "the assistant's address leads nowhere"})
		return
	}
	p := onwardPage{frame: h.frame(r, v, what, "sharing"), What: what, To: where.String()}
	if where.Scheme == "https" || where.Scheme == "http" {
		p.Host = where.Host
	}
	h.dropCookie(w, r, h.cookieName(r)+ConsentSuffix) // the request is answered
	w.Header().Set("Refresh", "0; url="+p.To)
	h.show(w, r, http.StatusOK, "onward", p)
}

// leadsAway reports whether an address opens a site or a program, and runs nothing here.
func leadsAway(u *url.URL) bool {
	return u.Scheme != "" && !slices.Contains([]string{"about", "blob", "data", "file", "filesystem", "javascript", "vbscript"}, strings.ToLower(u.Scheme))
}

// heldOf returns what the browser shows for a request that it brought.
func (h *Handler) heldOf(r *http.Request) string {
	cookie, err := r.Cookie(h.cookieName(r) + ConsentSuffix)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// failConsent answers a request that is over, or that another browser brought.
func (h *Handler) failConsent(w http.ResponseWriter, r *http.Request, v visitor, err error) {
	if memory.KindOf(err) != memory.NotFound {
		h.fail(w, r, v, err)
		return
	}
	f := failure{http.StatusNotFound, "This request is over", "It was answered, it waited too long, or another browser brought it. Nothing was granted by this page.", "Go back to the assistant, and connect it again."}
	h.show(w, r, f.status, "failure", failedPage(h.frame(r, v, f.Title, "sharing"), f))
}

// consentAddress returns the address of the page for a request.
func consentAddress(id string) string { return Root + consentName + url.QueryEscape(id) }
