package server

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/memory"
)

// watchPages is the service behind the pages about assistants, tokens and the log.
type watchPages struct {
	vaultBackend
	operator  memory.DID    // whose machine this is
	listHosts func() []Host // nil: this server does not know them
	waits     *waitCounts
	runs      runPages
}

// Host is a program of this machine that can be connected, as the command connect sees it.
type Host struct {
	Name      string   // in commands
	Title     string   // for people
	Calls     []string // names that it gives itself, besides Name
	Installed bool
	Connected bool
	File      string // of its settings
	Notes     string // of its standing instructions; empty: it has none
	After     string // what its user has to do once it is connected
	Elsewhere string // the store that its entry names; empty: this one
	Broken    string // why File cannot be understood, with the line; empty: it can
	Backup    string // of File, as it was before satchel; empty: there is none
}

// hosts lists the programs that can be connected. Only whose machine this is learns what of
// them is on it.
func (p watchPages) hosts(c memory.Caller) []Host {
	if p.listHosts == nil {
		return nil
	}
	all := p.listHosts()
	for i, h := range all {
		if c.Owner != p.operator {
			all[i] = Host{Name: h.Name, Title: h.Title, Calls: h.Calls}
		}
	}
	return all
}

// goesBy reports whether a program goes by a folded name.
func (h Host) goesBy(folded string) bool {
	return folded == assistant.Fold(h.Name) || slices.ContainsFunc(h.Calls, func(n string) bool { return assistant.Fold(n) == folded })
}

// Assistants lists the assistants.
func (p watchPages) Assistants(ctx context.Context, c memory.Caller, now time.Time) ([]pages.Assistant, error) {
	since := now.AddDate(0, 0, -pages.CountedDays)
	readers, err := p.assistants.Readers(ctx, c, since)
	if err != nil {
		return nil, err
	}
	paused, err := p.assistants.Paused(ctx, c)
	if err != nil {
		return nil, err
	}
	wrote, err := p.wrote(ctx, c, since)
	if err != nil {
		return nil, err
	}
	names, err := p.tokenNames(ctx, c)
	if err != nil {
		return nil, err
	}
	list := newAssistantList(p.hosts(c), names)
	for _, r := range readers {
		a := list.of(r.Host, r.Host, r.Token)
		a.Times, a.Given = a.Times+r.Times, a.Given+r.Given
		if r.Last.After(a.Last) {
			a.Last = r.Last
		}
	}
	for _, x := range paused {
		list.of(x.Name, x.Name, "").Paused = x.Since
	}
	for name, n := range wrote {
		a := list.of(name, name, "")
		a.Wrote += n
		a.From = append(a.From, name)
	}
	slices.SortStableFunc(list.all, func(a, b pages.Assistant) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(yes(b.Connected), yes(a.Connected)), cmp.Compare(a.Name, b.Name))
	})
	return list.all, nil
}

// assistantList lists assistants, and finds them by any of their names.
type assistantList struct {
	hosts  []Host            // the first of all, in the same order
	tokens map[string]string // names of tokens by their ids
	all    []pages.Assistant
}

func newAssistantList(hosts []Host, tokens map[string]string) *assistantList {
	l := &assistantList{hosts: hosts, tokens: tokens}
	for _, h := range hosts {
		l.all = append(l.all, pages.Assistant{Name: h.Name, Title: h.Title, Known: true, Installed: h.Installed, Connected: h.Connected, File: h.File, Notes: h.Notes,
			After: h.After, Elsewhere: h.Elsewhere, Broken: h.Broken, Backup: h.Backup})
	}
	return l
}

// of returns the assistant of a name or a token, until the next call. It adds an unknown one.
func (l *assistantList) of(name, title, token string) *pages.Assistant {
	key := cmp.Or(assistant.Fold(name), unnamed)
	if token != "" {
		key, title = pages.TokenMark+token, cmp.Or(l.tokens[token], title, token)
	} else if i := slices.IndexFunc(l.hosts, func(h Host) bool { return h.goesBy(key) }); i >= 0 {
		return &l.all[i]
	}
	i := slices.IndexFunc(l.all, func(a pages.Assistant) bool { return a.Name == key })
	if i < 0 {
		i, l.all = len(l.all), append(l.all, pages.Assistant{Name: key, Title: cmp.Or(title, "An assistant without a name"), Token: token})
	}
	return &l.all[i]
}

// unnamed stands in addresses for the name of assistants that have none. No name folds to it.
const unnamed = "-"

func yes(b bool) int {
	if b {
		return 1
	}
	return 0
}

// mostWritten is how many of the newest memories are looked at to count who wrote them.
const mostWritten = 2000

// wrote counts the memories that programs stored since an instant, by their names, among the
// newest ones.
func (p watchPages) wrote(ctx context.Context, c memory.Caller, since time.Time) (map[string]int, error) {
	counts := map[string]int{}
	q := vault.ListQuery{Since: since, Newest: true, Limit: 1000}
	for seen := 0; seen < mostWritten; {
		page, err := p.Vault.List(ctx, c, q)
		if err != nil {
			return nil, err
		}
		for _, rec := range page.Records {
			if s := rec.Provenance; s != nil && s.Source != nil && s.Source.Provider != "" && s.ActorKind == memory.ByAgent {
				counts[s.Source.Provider]++
			}
		}
		seen += len(page.Records)
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	return counts, nil
}

// tokenNames returns the names of the owner's tokens by their ids.
func (p watchPages) tokenNames(ctx context.Context, c memory.Caller) (map[string]string, error) {
	grants, err := p.Vault.Tokens(ctx, c)
	names := make(map[string]string, len(grants))
	for _, g := range grants {
		names[g.ID] = cmp.Or(g.Name, claimsOf(g.Claims).runtime())
	}
	return names, err
}

// memoriesShown is how many memories a reading names.
const memoriesShown = 8

// Readings returns one page of what assistants read.
func (p watchPages) Readings(ctx context.Context, c memory.Caller, q pages.ReadingQuery) (list pages.ReadingList, err error) {
	ask := assistant.Query{Memory: q.Memory, After: q.After, Since: q.Since, Limit: q.Limit}
	var hosts []Host
	if q.Assistant != "" {
		hosts = p.hosts(c)
	}
	if token, ok := strings.CutPrefix(q.Assistant, pages.TokenMark); ok {
		ask.Token = token
	} else if q.Assistant == unnamed {
		ask.NoName, ask.Own = true, true
	} else if q.Assistant != "" {
		ask.Hosts = []string{q.Assistant}
		if i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name == q.Assistant }); i >= 0 {
			ask.Hosts = append(ask.Hosts, hosts[i].Calls...)
		}
		ask.Own = true
	}
	page, err := p.assistants.Readings(ctx, c, ask)
	if err != nil || len(page.Readings) == 0 {
		return list, err
	}
	if hosts == nil {
		hosts = p.hosts(c)
	}
	names, err := p.tokenNames(ctx, c)
	if err != nil {
		return list, err
	}
	list.Older = page.Next
	for _, r := range page.Readings {
		out := pages.Reading{At: r.At, Place: r.Place(), Way: r.Way, Token: r.Token != "", Project: r.Project, Times: r.Times, Given: r.Given, Question: r.Question}
		out.Assistant, out.Title = readerName(hosts, names, r)
		if q.Memory == "" {
			out.Memories = p.shownOf(ctx, c, r.IDs)
		}
		list.Readings = append(list.Readings, out)
	}
	return list, nil
}

// readerName names who was given memories, in addresses and for people.
func readerName(hosts []Host, tokens map[string]string, r assistant.Reading) (name, title string) {
	if r.Token != "" {
		return pages.TokenMark + r.Token, cmp.Or(tokens[r.Token], r.Host, r.Token)
	}
	folded := assistant.Fold(r.Host)
	if i := slices.IndexFunc(hosts, func(h Host) bool { return h.goesBy(folded) }); i >= 0 {
		return hosts[i].Name, hosts[i].Title
	}
	if folded == "" {
		return unnamed, "an assistant without a name"
	}
	return folded, r.Host
}

// shownOf reads the first of some memories. It leaves out those that cannot be read.
func (p watchPages) shownOf(ctx context.Context, c memory.Caller, ids []memory.ID) (all []pages.ReadMemory) {
	for _, id := range ids[:min(len(ids), memoriesShown)] {
		if rec, err := p.Get(ctx, c, id, memory.CurrentView); err == nil && rec.Body.Text != "" {
			all = append(all, pages.ReadMemory{ID: id, Text: rec.Body.Text})
		}
	}
	return all
}

// PauseAssistant keeps a program out, by all names that it gives itself.
func (p watchPages) PauseAssistant(ctx context.Context, c memory.Caller, name string) error {
	var also []string
	hosts := p.hosts(c)
	if i := slices.IndexFunc(hosts, func(h Host) bool { return h.Name == name }); i >= 0 {
		also = hosts[i].Calls
	}
	return p.assistants.Pause(ctx, c, name, also...)
}

// ResumeAssistant lets a program in again.
func (p watchPages) ResumeAssistant(ctx context.Context, c memory.Caller, name string) error {
	return p.assistants.Resume(ctx, c, name)
}
