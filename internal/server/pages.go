package server

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/upload"
	"github.com/satchel-memory/satchel/internal/vault/roster"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// Pages say how the owner reads memories in a browser, if Name is set.
type Pages struct {
	// Name is the name below .localhost by which browsers of this machine reach the pages.
	// Browsers send a cookie to every port of a host, so that each store has a name of its
	// own. Empty: there are no pages.
	Name string
	// Store says where the memories lie, for people of this machine.
	Store string
	// Doctor examines the store for the page Health; nil: the page says that nobody does.
	Doctor Doctor
	// Hosts lists the programs of this machine that can be connected; nil: nobody asks.
	Hosts func() []Host
	// Connector connects those programs; nil: only the command line does.
	Connector Connector
	// Many: the store is made for many owners.
	Many bool

	known *knownVisits
	alone bool // only this machine can reach the server; Serve finds out
}

// PageName is the host for the pages of a store with a short name.
func PageName(store string) string { return "m-" + store + ".localhost" }

// places say by which addresses requests reach the server, and no more of the pages.
func (o Options) places() pages.Options {
	var proxies []string
	for _, origin := range o.Origins {
		if strings.HasPrefix(origin, "https://") {
			proxies = append(proxies, origin)
		}
	}
	return pages.Options{Plain: o.Pages.alone, Origins: proxies}
}

// pagesOptions say how browsers reach the pages.
func (o Options) pagesOptions() pages.Options {
	cookie := strings.TrimSuffix(strings.TrimPrefix(o.Pages.Name, "m-"), ".localhost")
	at := o.places()
	return pages.Options{
		Now: time.Now, Owner: o.Owner, Store: o.Pages.Store, Cookie: cookiePrefix + cookie, Plain: at.Plain, Origins: at.Origins, Release: o.Release, Many: o.Pages.Many,
		Report:  o.report,
		Refused: o.reportRefusal,
		Visited: func(r *http.Request, c memory.Caller) {
			gateVisitor(r, c.Owner)
			noteOf(r).setVisitor(c, o.Owner)
			o.Pages.known.note(r)
		},
		Guess: newGuesses(o), Fleet: o.Machines.Fleet,
	}
}

// newPages returns the owner's pages, or nil if there are none.
func newPages(o Options, inbox *upload.Inbox, k *checkups) *pages.Handler {
	b, ok := o.Backend.(vaultBackend)
	if !ok || o.Pages.Name == "" {
		return nil
	}
	runs := runPages{o.Owner, o.Runs.Host, o.Agents}
	backend := ownerPages{vaultBackend: b, operator: o.Owner, inbox: inbox, checkups: k, agents: o.Agents, producer: o.Bundles.Producer,
		exports: o.exports, whole: newOwnerTurns(o.Owner, maxExports), watchPages: watchPages{b, o.Owner, o.Pages.Hosts, &waitCounts{}, runs}, runPages: runs, rosterPages: rosterPages{roster.New(b.Vault), o.Owner}, connectPages: connectPages{o.Owner, o.Pages.Connector}, consentPages: consentPages{o.oauth}}
	return pages.New(backend, o.pagesOptions())
}

// closePages ends what the pages do in the background, which must not outlive the store.
func (s *server) closePages() error {
	s.checkups.Close()
	if s.inbox == nil {
		return nil
	}
	return s.inbox.Close()
}

// mountPages adds the pages.
func (s *server) mountPages(mux *http.ServeMux) {
	if s.pages == nil {
		mux.HandleFunc(pages.Root, func(w http.ResponseWriter, _ *http.Request) { umphttp.WriteError(w, noPages()) })
		mux.HandleFunc("/me", func(w http.ResponseWriter, _ *http.Request) { umphttp.WriteError(w, noPages()) })
		return
	}
	mux.Handle("/me", s.pages)
	mux.Handle("/me/", s.pages)
}

func noPages() error {
	return &memory.Error{Kind: memory.NotFound, Message: "this server has no pages; see GET /.well-known/ump.json"}
}

// acceptsHTML reports whether a browser asks, which names HTML first among what it takes.
func acceptsHTML(r *http.Request) bool {
	return slices.ContainsFunc(strings.Split(r.Header.Get("Accept"), ","), func(part string) bool {
		kind, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		return kind == "text/html"
	})
}

// providerOf names who stored a record, as a filter of lists knows them.
func providerOf(rec memory.Record) []string {
	p := rec.Provenance
	if p == nil {
		return nil
	}
	names := []string{p.Actor, p.Method, rec.Scope.Agent}
	if p.Source != nil {
		names = append(names, p.Source.Provider)
	}
	if p.ActorKind == memory.ByUser {
		names = append(names, "you")
	}
	return names
}
