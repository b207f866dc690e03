package pages

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/text/size"
)

// limitText writes a limit for a form; none is empty.
func limitText(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// sizeField writes a number of bytes for a form; no limit is empty.
func sizeField(n int64) string {
	if n == 0 {
		return ""
	}
	return size.Bytes(n).Exact()
}

// limitsOf reads a number of memories and a number of bytes from a form. Empty: no limit.
func limitsOf(form url.Values) (memories int64, bytes size.Bytes, err error) {
	if text := strings.TrimSpace(form.Get("memories")); text != "" {
		if memories, err = strconv.ParseInt(text, 10, 64); err != nil || memories < 0 {
			return 0, 0, invalid("write a number of memories, or leave the field empty for no limit")
		}
	}
	if text := strings.TrimSpace(form.Get("bytes")); text != "" {
		if bytes.UnmarshalText([]byte(strings.ToUpper(text))) != nil {
			return 0, 0, invalid("write a size such as 200M or 2G, or leave the field empty for no limit")
		}
	}
	return memories, bytes, nil
}

// limit sets how much an owner may keep.
func (h ownersHandler) limit(w http.ResponseWriter, r *http.Request, v visitor) {
	o, err := h.theOwner(r, v)
	var memories int64
	var bytes size.Bytes
	if err == nil {
		memories, bytes, err = limitsOf(r.PostForm)
	}
	if err == nil {
		err = h.backend.LimitOwner(r.Context(), v.caller, o.Owner, memories, int64(bytes))
	}
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	h.done(w, r, ownerPath(o.Owner), "limited", "")
}

// previewInvitation says what an invitation gives to whom.
func (h ownersHandler) previewInvitation(r *http.Request, v visitor) (effect, error) {
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

// previewRemoval says what is erased with an owner.
func (h ownersHandler) previewRemoval(r *http.Request, v visitor) (effect, error) {
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
