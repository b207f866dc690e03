package pages

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// Operator tells the operator of a store about its owners, and nothing of what they keep.
// For every other caller its methods fail with kind ForbiddenScope.
type Operator interface {
	// OwnerList returns one page of the owners who are in, in the order of their arrival,
	// from behind the owner after on; empty: from the first.
	OwnerList(ctx context.Context, c memory.Caller, after memory.DID) (OwnerList, error)
	// OwnerNamed describes an owner who is in. It fails with kind NotFound for others.
	OwnerNamed(ctx context.Context, c memory.Caller, owner memory.DID) (OwnerInfo, error)
	// InviteOwner makes the secret of a link that lets a browser in to an owner's pages once,
	// until ends. It fails like OwnerNamed.
	InviteOwner(ctx context.Context, c memory.Caller, owner memory.DID) (secret string, ends time.Time, err error)
	// LimitOwner sets how much an owner may keep; 0: no limit. What is kept stays.
	LimitOwner(ctx context.Context, c memory.Caller, owner memory.DID, memories, bytes int64) error
	// DropOwner erases everything of an owner, for good, and closes the account. It returns
	// false while files still hold what is erased.
	DropOwner(ctx context.Context, c memory.Caller, owner memory.DID) (cleared bool, err error)
}

// OwnerList is one page of owners.
type OwnerList struct {
	Owners []OwnerInfo
	Next   memory.DID // the mark for the next page; empty: there is none
}

// OwnerInfo is an owner as the operator sees one.
type OwnerInfo struct {
	Owner       memory.DID
	Label       string // the operator's name for the owner; empty: none
	Home        bool   // the operator's own
	Held        bool   // the owner's key is in the store
	Memories    int
	Bytes       int64
	MaxMemories int64 // 0: no limit
	MaxBytes    int64 // 0: no limit
	Added, Seen time.Time
	Moved       bool // to another key, or another store
}

// ownersPath is the path of the operator's page.
const ownersPath = "/me/owners"

// ownersHandler answers the operator.
type ownersHandler struct{ *Handler }

// operates reports whether a visitor is the operator: the owner of the server's home folder.
// The backend refuses everybody else, too.
func (h ownersHandler) operates(v visitor) bool {
	return v.in() && h.options.Owner != "" && v.caller.Owner == h.options.Owner
}

// only serves a page to the operator. For others there is none.
func (h ownersHandler) only(p page) page {
	return func(w http.ResponseWriter, r *http.Request, v visitor) {
		if !h.operates(v) {
			h.fail(w, r, v, &memory.Error{Kind: memory.NotFound})
			return
		}
		p(w, r, v)
	}
}

// theOwner returns the owner that the path of the operator's request names.
func (h ownersHandler) theOwner(r *http.Request, v visitor) (OwnerInfo, error) {
	if !h.operates(v) {
		return OwnerInfo{}, &memory.Error{Kind: memory.NotFound}
	}
	return h.backend.OwnerNamed(r.Context(), v.caller, memory.DID(r.PathValue("did")))
}

// ownerRow is an owner as pages show one.
type ownerRow struct {
	OwnerInfo
	Path, Name string
	Keeps, May string
	Seen, In   moment
	Marks      []mark
}

func ownerPath(owner memory.DID) string { return ownersPath + "/" + url.PathEscape(string(owner)) }

func ownerRowOf(o OwnerInfo, now time.Time) ownerRow {
	r := ownerRow{OwnerInfo: o, Path: ownerPath(o.Owner), Name: nameOf(o), Seen: momentOf(o.Seen, now), In: momentOf(o.Added, now)}
	r.Keeps = counted(o.Memories, "memory", "memories") + ", " + size.Bytes(o.Bytes).String()
	r.May = quotaWords(o.MaxMemories, o.MaxBytes)
	say := func(applies bool, word, class string) {
		if applies {
			r.Marks = append(r.Marks, mark{word, class})
		}
	}
	say(o.Home, "you", "good")
	say(!o.Held && !o.Home, "keeps their own key", "plain")
	say(o.Moved, "moved", "gone")
	say(o.MaxMemories > 0 && int64(o.Memories) >= o.MaxMemories || o.MaxBytes > 0 && o.Bytes >= o.MaxBytes, "full", "wait")
	return r
}

// nameOf names an owner for people.
func nameOf(o OwnerInfo) string {
	if o.Label != "" {
		return cut(o.Label, 60)
	}
	return shortDID(string(o.Owner))
}

// quotaWords says how much an owner may keep.
func quotaWords(memories, bytes int64) string {
	switch {
	case memories == 0 && bytes == 0:
		return "as much as there is room for"
	case bytes == 0:
		return counted(int(memories), "memory", "memories")
	case memories == 0:
		return size.Bytes(bytes).String()
	}
	return counted(int(memories), "memory", "memories") + " and " + size.Bytes(bytes).String()
}

// ownersPage lists the owners.
type ownersPage struct {
	frame
	Rows        []ownerRow
	First, Next string
}

func (h ownersHandler) owners(w http.ResponseWriter, r *http.Request, v visitor) {
	after := r.URL.Query().Get("after")
	list, err := h.backend.OwnerList(r.Context(), v.caller, memory.DID(after))
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := ownersPage{frame: h.frame(r, v, "Owners", "owners")}
	for _, o := range list.Owners {
		p.Rows = append(p.Rows, ownerRowOf(o, p.Now))
	}
	if after != "" {
		p.First = ownersPath
	}
	if list.Next != "" {
		p.Next = pathWith(ownersPath, "after", string(list.Next))
	}
	h.show(w, r, http.StatusOK, "owners", p)
}

// ownerPage shows one owner.
type ownerPage struct {
	frame
	Row             ownerRow
	Memories, Bytes string // of the quota, as its form shows them
	Commands        []string
}

func (h ownersHandler) owner(w http.ResponseWriter, r *http.Request, v visitor) {
	o, err := h.theOwner(r, v)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := ownerPage{frame: h.frame(r, v, nameOf(o), "owners"), Memories: limitText(o.MaxMemories), Bytes: sizeField(o.MaxBytes)}
	p.Row = ownerRowOf(o, p.Now)
	p.Commands = []string{command("owner", "quota", quoted(string(o.Owner)), "--bytes", "200M")}
	if !o.Home {
		p.Commands = append(p.Commands, command("owner", "invite", quoted(string(o.Owner)), "--at", quoted(h.originOf(r))), command("owner", "remove", quoted(string(o.Owner)), "--confirm", quoted(string(o.Owner))))
	}
	h.show(w, r, http.StatusOK, "owner", p)
}
