package server

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/upload"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ownerPages is the service behind the pages of all owners.
type ownerPages struct {
	vaultBackend
	operator memory.DID    // the owner of the server
	inbox    *upload.Inbox // for files that browsers send
	checkups *checkups     // of the store
	agents   aaif.Backend  // nil: the server keeps none
	producer string        // of the operator's exports
	exports  *ownerTurns   // of downloads, which take as long as their clients like
	whole    *ownerTurns   // of pages that read a whole memory
	watchPages
	runPages
	rosterPages
	connectPages
	consentPages
}

var _ pages.Backend = ownerPages{}

// Enter spends a link's secret or its code.
func (p ownerPages) Enter(ctx context.Context, at pages.Site, secret, browser string) (string, error) {
	return p.visits.Enter(ctx, visit.Site(at), secret, browser)
}

// Exchange makes an entrance for an owner who shows a token.
func (p ownerPages) Exchange(ctx context.Context, token, origin string) (string, time.Time, error) {
	e, err := p.visits.Exchange(ctx, token, origin)
	return e.Secret, e.Ends, err
}

// Resume returns whose cookie it is.
func (p ownerPages) Resume(ctx context.Context, cookie string) (memory.Caller, error) {
	return p.visits.Resume(ctx, cookie)
}

// SignsElsewhere reports whether the caller keeps their own key.
func (p ownerPages) SignsElsewhere(c memory.Caller) bool { return p.visits.SignsElsewhere(c.Owner) }

// Leave ends a visit.
func (p ownerPages) Leave(ctx context.Context, cookie string) error {
	return p.visits.Leave(ctx, cookie)
}

// newestShown is how many memories the first page shows.
const newestShown = 6

// Overview sums up the memory.
func (p ownerPages) Overview(ctx context.Context, c memory.Caller, now time.Time) (o pages.Overview, err error) {
	newest, err := p.Vault.List(ctx, c, vault.ListQuery{Newest: true, ValidAt: now, Limit: newestShown})
	if err != nil {
		return o, err
	}
	o.Memories, o.Newest = newest.Total, newest.Records
	if o.Projects, err = p.Projects(ctx, c); err != nil {
		return o, err
	}
	imports, err := p.Imports(ctx, c)
	if err != nil {
		return o, err
	}
	o.Imports = len(imports)
	o.Weeks, err = p.weeks(ctx, c, now)
	return o, err
}

// Briefing returns what a new session is told.
func (p ownerPages) Briefing(ctx context.Context, c memory.Caller, project string, budget int) (b pages.Briefing, err error) {
	brief, err := p.Vault.Brief(ctx, c, vault.BriefQuery{Project: project, Budget: budget})
	for _, s := range brief.Sections {
		b.Sections = append(b.Sections, pages.Section{Title: s.Title, Memories: s.Records})
	}
	b.Text, b.Tokens, b.Left, b.Usual = brief.Text, recall.Tokens(brief.Text), brief.Omitted, vault.DefaultBrief
	return b, err
}

// weeks counts the memories that were made in each of the last weeks.
func (p ownerPages) weeks(ctx context.Context, c memory.Caller, now time.Time) (weeks [pages.Weeks]int, err error) {
	all, err := p.Vault.List(ctx, c, vault.ListQuery{Limit: 1})
	later := 0 // those made in the weeks counted so far
	for ago := 0; ago < pages.Weeks && later < all.Total && err == nil; ago++ {
		page, err := p.Vault.List(ctx, c, vault.ListQuery{Since: now.AddDate(0, 0, -7*(ago+1)), Newest: true, Limit: 1})
		if err != nil {
			return weeks, err
		}
		weeks[pages.Weeks-1-ago], later = page.Total-later, page.Total
	}
	return weeks, err
}

// Memory returns all about one memory.
func (p ownerPages) Memory(ctx context.Context, c memory.Caller, id memory.ID) (m pages.Memory, err error) {
	if m.Record, err = p.Get(ctx, c, id, memory.CurrentView); err != nil {
		return m, err
	}
	if m.Versions, err = p.History(ctx, c, id); err != nil {
		return m, err
	}
	for i, rec := range m.Versions { // the owner sees a forgotten text until its time is over
		if rec.Lifecycle.Status.Or() != memory.Tombstoned {
			continue
		}
		if m.Versions[i], err = p.Get(ctx, c, rec.ID, memory.CurrentView); err != nil {
			return m, err
		}
	}
	for _, r := range m.Record.Relations {
		m.Related = append(m.Related, p.related(ctx, c, r))
	}
	short, err := p.ShortIDs(ctx, c, []memory.ID{id})
	m.Short, m.Signature = short[id], signatureOf(m.Record)
	return m, err
}

// related reads the memory at the other end of a relation, if it is one and may be read.
func (p ownerPages) related(ctx context.Context, c memory.Caller, r memory.Relation) pages.Relation {
	out := pages.Relation{Type: r.Type, Target: r.Target}
	if strings.HasPrefix(r.Target, memory.IDPrefix) {
		if other, err := p.Get(ctx, c, memory.ID(r.Target), memory.CurrentView); err == nil {
			out.Text = other.Body.Text
		}
	}
	return out
}

// signatureOf says whether a record is as its owner signed it.
func signatureOf(rec memory.Record) pages.Signature {
	switch {
	case rec.Integrity == nil:
		return pages.Unsigned
	case ump.Verify(rec.Form()) != nil:
		return pages.Broken
	}
	return pages.Signed
}

// Search answers a question.
func (p ownerPages) Search(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	return p.RecallNoting(ctx, c, q)
}

// List returns one page of memories.
func (p ownerPages) List(ctx context.Context, c memory.Caller, q pages.ListQuery) (pages.List, error) {
	ask := vault.ListQuery{Project: q.Project, Since: q.Since, ValidAt: q.ValidAt, Import: q.Import, After: q.After, Before: q.Before,
		Newest: true, Limit: pages.PageSize}
	if q.Kind != "" {
		ask.Kinds = []memory.Kind{q.Kind}
	}
	if q.Status != "" {
		ask.Statuses = []memory.Status{q.Status}
	}
	if q.Visibility != "" || q.From != "" {
		return p.sift(ctx, c, q, ask)
	}
	page, err := p.Vault.List(ctx, c, ask)
	out := pages.List{Memories: page.Records, Total: page.Total}
	switch n := len(page.Places); {
	case q.Before != "" && n > 0:
		out.Newer, out.Older = page.Next, page.Places[n-1]
	case q.After != "" && n > 0:
		out.Newer, out.Older = page.Places[0], page.Next
	default:
		out.Older = page.Next
	}
	return out, err
}

// sifted is how many records are read at a time to find those that the store's own filter
// does not tell apart.
const sifted = 1000

// busy refuses a second long piece of work of an owner.
func busy(op string) error {
	return &memory.Error{Kind: memory.RateLimited, Op: op, Message: "something that reads the whole memory is under way already"}
}

// sift reads on until a page is full.
func (p ownerPages) sift(ctx context.Context, c memory.Caller, q pages.ListQuery, ask vault.ListQuery) (pages.List, error) {
	leave, ok := p.whole.take(ctx, c.Owner)
	if !ok {
		return pages.List{}, busy("list")
	}
	defer leave()
	out, back := pages.List{Total: -1}, q.Before != ""
	var places []string // of the memories found, in the direction of the search
	ask.Limit = sifted
	for more := true; more && len(places) <= pages.PageSize; {
		page, err := p.Vault.List(ctx, c, ask)
		if err != nil {
			return out, err
		}
		if back {
			slices.Reverse(page.Records)
			slices.Reverse(page.Places)
		}
		for i, rec := range page.Records {
			if wanted(rec, q) && len(places) <= pages.PageSize {
				out.Memories, places = append(out.Memories, rec), append(places, page.Places[i])
			}
		}
		more = page.Next != ""
		if ask.After = page.Next; back {
			ask.After, ask.Before = "", page.Next
		}
	}
	full := len(places) > pages.PageSize
	if full {
		out.Memories, places = out.Memories[:pages.PageSize], places[:pages.PageSize]
	}
	n := len(places)
	switch {
	case n == 0:
		return out, nil
	case back:
		slices.Reverse(out.Memories)
		out.Older = places[0]
		if full {
			out.Newer = places[n-1]
		}
		return out, nil
	case full:
		out.Older = places[n-1]
	}
	if q.After != "" {
		out.Newer = places[0]
	}
	return out, nil
}

// wanted reports whether a record is seen by whom, and from whom, a list asks for.
func wanted(rec memory.Record, q pages.ListQuery) bool {
	seen := rec.Scope.Visibility
	if seen == "" {
		seen = memory.Private
	}
	if q.Visibility != "" && q.Visibility != seen {
		return false
	}
	return q.From == "" || slices.ContainsFunc(providerOf(rec), func(name string) bool { return strings.EqualFold(name, q.From) })
}
