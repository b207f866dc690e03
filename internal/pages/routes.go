package pages

import (
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// route says what a path answers, and what a request needs for that. [Handler.serve] makes
// all checks, so that no page is served without them.
type route struct {
	path string
	// read answers GET and HEAD, and changes nothing. nil: there is nothing to see.
	read page
	// write answers POST of a form of the same visit. nil: nothing can be sent.
	write page
	// preview says what write will do. The owner reads that and confirms it before, see
	// [Handler.stepUp]. nil: write asks nobody.
	preview func(*http.Request, visitor) (effect, error)
	// lines are what owners who keep their own key see instead of read and write. nil: no key
	// is needed.
	lines func(*http.Request) ownerLines
	// readable: these owners see what read answers nevertheless.
	readable bool
	// file: the form brings a file. write reads it, and checks that it is of the same visit.
	file bool
	// open answers everybody and makes the checks itself. nil: a visit is needed.
	open http.HandlerFunc
}

// routes is the table of all paths.
func (h *Handler) routes() []route {
	agents, assistants, changes, imports := agentHandler{h}, watchHandler{h}, changeHandler{h}, importHandler{h}
	owners, passkeys, projects, sharing := ownersHandler{h}, passkeyHandler{h}, projectHandler{h}, sharingHandler{h}
	consent := consentHandler{h}
	audit, exports, health, settings, timeline, runs, waiting := auditHandler{h}, exportHandler{h}, healthHandler{h}, settingsHandler{h}, timelineHandler{h}, runHandler{h}, judgeHandler{h}
	events := &eventHandler{Handler: h, open: map[memory.DID]int{}}
	return []route{
		{path: "/me", open: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, Root, http.StatusSeeOther) }},
		{path: EnterPath, open: h.enter},
		{path: ExchangePath, open: h.exchange},
		{path: AskPath, open: passkeys.askPasskey},
		{path: "/me/static/{digest}/{name}", open: h.static},
		{path: eventsPath, open: events.events},

		{path: Root + "{$}", read: h.home},
		{path: "/me/help", read: h.help},
		{path: "/me/leave", write: h.leave},
		{path: "/me/search", read: h.search},
		{path: "/me/context", read: h.context},
		{path: "/me/memories", read: h.memories},
		{path: "/me/memories/new", read: changes.newMemory, write: changes.remember, lines: h.rememberLines},
		{path: "/me/memories/forget", write: changes.forgetMarked},
		{path: "/me/memories/{id}", read: h.memory},
		{path: "/me/memories/{id}/raw", read: h.raw},
		{path: "/me/memories/{id}/readers", read: assistants.readers},
		{path: "/me/memories/{id}/correct", read: changes.correctForm, write: changes.correct, lines: h.correctLines},
		{path: "/me/memories/{id}/forget", write: changes.forget},
		{path: "/me/memories/{id}/wrong", write: changes.wrong},
		{path: "/me/memories/{id}/erase", write: changes.erase, preview: changes.previewErase},
		{path: "/me/memories/{id}/share", write: sharing.share, preview: sharing.previewShare, lines: h.shareLines},
		{path: "/me/memories/{id}/unshare", write: sharing.unshare, lines: h.shareLines},
		{path: "/me/undo", write: changes.undo},

		{path: waitingPath, read: waiting.waiting},
		{path: waitingPath + "/all", write: waiting.decideAll},
		{path: waitingPath + "/{id}", read: waiting.editWaiting, write: waiting.decide},
		{path: "/me/timeline", read: timeline.timeline},
		{path: "/me/graph/{id}", read: timeline.graph},
		{path: "/me/projects", read: projects.projects},
		{path: "/me/projects/join", read: projects.joinOf, write: projects.join},
		{path: "/me/projects/part", write: projects.part},

		{path: "/me/imports", read: imports.imports, write: imports.send, file: true, lines: h.importLines, readable: true},
		{path: "/me/imports/{n}", read: imports.importOf},
		{path: "/me/imports/{n}/undo", read: imports.undoOf, write: imports.undo},
		{path: "/me/uploads/{file}", read: imports.upload},
		{path: "/me/uploads/{file}/start", write: imports.uploadDo(Importer.StartUpload)},
		{path: "/me/uploads/{file}/stop", write: imports.uploadDo(Importer.StopUpload)},
		{path: "/me/uploads/{file}/drop", write: imports.uploadDo(Importer.DropUpload)},
		{path: "/me/export", read: exports.exports, write: exports.export},

		{path: "/me/assistants", read: assistants.assistants},
		{path: "/me/assistants/{name}", read: assistants.assistant},
		{path: "/me/assistants/{name}/pause", write: assistants.pause},
		{path: "/me/assistants/{name}/resume", write: assistants.resume},
		{path: "/me/assistants/{name}/connect", write: assistants.changeConnection(false), preview: assistants.previewConnection(false)},
		{path: "/me/assistants/{name}/disconnect", write: assistants.changeConnection(true), preview: assistants.previewConnection(true)},
		{path: "/me/assistants/{name}/try", write: assistants.try},
		{path: "/me/sharing", read: sharing.shared},
		{path: "/me/sharing/new", read: sharing.newToken, lines: h.mintLines},
		{path: "/me/sharing/mint", write: sharing.mint, preview: sharing.previewToken, lines: h.mintLines},
		{path: "/me/sharing/revoke", write: sharing.revoke},
		{path: "/me/sharing/end", write: sharing.endVisit},
		{path: consentPath, read: consent.consent},
		{path: allowPath, write: consent.allow, preview: consent.previewConsent, lines: consent.keyLines},
		{path: refusePath, write: consent.refuseConsent},
		{path: "/me/audit", read: audit.audit},
		{path: "/me/audit/log.ndjson", read: audit.auditFile},

		{path: "/me/agents", read: agents.agents},
		{path: "/me/agents/{id}", read: agents.agent},
		{path: "/me/agents/{id}/download", write: agents.agentDownload},
		{path: "/me/agents/{id}/remove", write: agents.remove, preview: agents.previewRemoval},
		{path: "/me/checkpoints/{id}/download", write: agents.checkpointDownload},
		{path: "/me/checkpoints/{id}/remove", write: agents.removeCheckpoint, preview: agents.previewCheckpoint},

		{path: runsPath, read: runs.runs},
		{path: runsPath + "/{id}", read: runs.run},
		{path: runsPath + "/{id}/decide", write: runs.decide},
		{path: runsPath + "/{id}/cancel", write: runs.cancel},
		{path: runsPath + "/{id}/resume", write: runs.resume},

		{path: "/me/health", read: health.health},
		{path: "/me/health/check", write: health.examine(false)},
		{path: "/me/health/mend", write: health.examine(true)},
		{path: "/me/settings", read: settings.settings, write: settings.setTheme},
		{path: ErasePath, write: changes.eraseAll, preview: changes.previewErasure},
		{path: "/me/machines", read: fleetHandler{h}.machines},
		{path: passkeysPath, read: passkeys.passkeyList, write: passkeys.addPasskey},
		{path: offerPath, write: passkeys.offerPasskey},
		{path: dropPath, write: passkeys.dropPasskey},
		{path: ownersPath, read: owners.only(owners.owners)},
		{path: ownersPath + "/{did}", read: owners.only(owners.owner)},
		{path: ownersPath + "/{did}/invite", write: owners.only(owners.invite), preview: owners.previewInvitation},
		{path: ownersPath + "/{did}/quota", write: owners.only(owners.limit)},
		{path: ownersPath + "/{did}/remove", write: owners.only(owners.remove), preview: owners.previewRemoval},

		{path: Root, read: func(w http.ResponseWriter, r *http.Request, v visitor) {
			h.fail(w, r, v, &memory.Error{Kind: memory.NotFound})
		}},
	}
}

// routeNames tells the routes of paths apart. Its handlers are never called.
var routeNames = sync.OnceValue(func() *http.ServeMux {
	mux := http.NewServeMux()
	for _, t := range (&Handler{}).routes() {
		mux.Handle(t.path, http.NotFoundHandler())
	}
	return mux
})

// RouteOf returns the route of a path without what a person or a stranger chose, and
// whether the path belongs to the pages.
func RouteOf(path string) (string, bool) {
	if !Has(path) {
		return "", false
	}
	_, name := routeNames().Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
	return strings.TrimSuffix(name, "{$}"), true
}

// serve answers the requests of a route.
func (h *Handler) serve(t route) http.Handler {
	if t.open != nil {
		return t.open
	}
	if t.preview != nil {
		t.read, t.write = h.stepUp(t.preview, t.write)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, posts := t.read, r.Method == http.MethodPost
		if posts {
			answer = t.write
		}
		if answer == nil || !posts && r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.refuseMethod(w, r, t)
			return
		}
		if posts && (!h.fromHere(w, r) || !t.file && !h.parseForm(w, r)) {
			return
		}
		v, err := h.visitor(r)
		switch {
		case memory.KindOf(err) == memory.Unauthorized && posts:
			h.refuse(w, r, stranger())
		case memory.KindOf(err) == memory.Unauthorized:
			http.Redirect(w, r, enterPath(r.URL), http.StatusSeeOther)
		case err != nil:
			h.fail(w, r, v, err)
		case posts && !t.file && !v.isToken(r.PostForm.Get("token")):
			h.refuse(w, r, foreignForm())
		case v.keepsKey && t.lines != nil && (posts || !t.readable):
			h.showLines(w, r, v, t.lines(r))
		default:
			answer(w, r, v)
		}
	})
}

// refuseMethod refuses a method that a route does not answer.
func (h *Handler) refuseMethod(w http.ResponseWriter, r *http.Request, t route) {
	var allowed []string
	if t.read != nil {
		allowed = append(allowed, http.MethodGet, http.MethodHead)
	}
	if t.write != nil {
		allowed = append(allowed, http.MethodPost)
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	h.refuse(w, r, wrongMethod())
}
