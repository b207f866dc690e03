package pages

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// limitText writes a limit for a form; none is empty.
func limitText(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// sizeField writes a number of bytes as the command line reads it.
func sizeField(n int64) string {
	for _, unit := range []struct {
		shift int
		name  string
	}{{40, "T"}, {30, "G"}, {20, "M"}, {10, "K"}} {
		if n > 0 && n%(1<<unit.shift) == 0 {
			return strconv.FormatInt(n>>unit.shift, 10) + unit.name
		}
	}
	return limitText(n)
}

// limitOf reads a number of things, or of bytes with a unit, from a form. Empty: no limit.
func limitOf(text, units string) (int64, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, true
	}
	shift := 0
	if at := strings.Index(units, strings.ToUpper(text[len(text)-1:])); at >= 0 {
		text, shift = text[:len(text)-1], 10*(at+1)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n << shift, err == nil && n >= 0 && n <= math.MaxInt64>>shift
}

// limit sets how much an owner may keep.
func (h ownersHandler) limit(w http.ResponseWriter, r *http.Request, v visitor) {
	o, err := h.theOwner(r, v)
	memories, ok := limitOf(r.PostForm.Get("memories"), "")
	bytes, fine := limitOf(r.PostForm.Get("bytes"), "KMGT")
	if err == nil && (!ok || !fine) {
		err = invalid("write a number of memories, and a size such as 200M or 2G; leave a field empty for no limit")
	}
	if err == nil {
		err = h.backend.LimitOwner(r.Context(), v.caller, o.Owner, memories, bytes)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, ownerPath(o.Owner), "limited", "")
}

// foreseeInvitation says what an invitation gives to whom.
func (h ownersHandler) foreseeInvitation(r *http.Request, v visitor) (effect, error) {
	o, err := h.theOwner(r, v)
	return effect{
		Title: "Invite " + nameOf(o), At: "owners", Button: "Make the link", Back: ownerPath(o.Owner), Command: command("owner", "invite", quoted(string(o.Owner)), "--at", quoted(h.originOf(r))),
		Says: []string{
			"The browser that opens the link first is let in to this owner's memory: it reads, changes and forgets.",
			"The link is good once, for a day. You see it on the next page and never again: send it where only the owner sees it.",
			"When it is used, the owner's log says so.",
		},
	}, err
}

// invitationPage shows the link of an invitation, once.
type invitationPage struct {
	frame
	Row  ownerRow
	Link string
	Ends moment
}

// invite makes an invitation. No address leads to the page that shows it again.
func (h ownersHandler) invite(w http.ResponseWriter, r *http.Request, v visitor) {
	o, err := h.theOwner(r, v)
	var secret string
	var ends time.Time
	if err == nil {
		secret, ends, err = h.backend.InviteOwner(r.Context(), v.caller, o.Owner)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := invitationPage{frame: h.frame(r, v, "The invitation", "owners"), Link: EntranceLink(h.originOf(r), "", secret)}
	p.Row, p.Ends = ownerRowOf(o, p.Now), momentOf(ends, p.Now)
	h.show(w, r, http.StatusOK, "invitation", p)
}

// foreseeRemoval says what is erased with an owner.
func (h ownersHandler) foreseeRemoval(r *http.Request, v visitor) (effect, error) {
	o, err := h.theOwner(r, v)
	if err == nil && o.Home {
		err = invalid("this is your own memory, and the operator stays: satchel erase erases what you keep")
	}
	row := ownerRowOf(o, h.options.Now())
	return effect{
		Title: "Remove " + row.Name, At: "owners", Button: "Erase it all", Back: row.Path, Types: string(o.Owner), TypesWhat: "the owner's key",
		Command: command("owner", "remove", quoted(string(o.Owner)), "--confirm", quoted(string(o.Owner))),
		Says: []string{
			"Everything of this owner is erased, for good: " + row.Keeps + ", with every version, what is attached, contexts, agents and imports.",
			"The owner's key goes, if it is kept here. Tokens, links, passkeys and browsers of this owner let nobody in any more, on every server of this store.",
			"What the log of the operator says about this owner stays. Exports and backups from before still hold what they hold.",
		},
	}, err
}

// remove erases everything of an owner.
func (h ownersHandler) remove(w http.ResponseWriter, r *http.Request, v visitor) {
	o, err := h.theOwner(r, v)
	var cleared bool
	if err == nil {
		cleared, err = h.backend.DropOwner(r.Context(), v.caller, o.Owner)
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	word := "removed"
	if !cleared {
		word = "removing"
	}
	h.done(w, r, ownersPath, word, "")
}
