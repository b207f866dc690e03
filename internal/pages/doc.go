// Package pages shows an owner's memory in a browser: what assistants know, and why. The
// pages are made on the server and work without JavaScript; scripts only shorten the way.
// The package has no rules of its own: it asks a [Backend] for everything, as the bindings
// do. What it shows was written by strangers, so that all of it appears as text.
//
//	/me/                           home                       home.go
//	/me/enter, /me/passkeys        browsers are let in        enter.go, passkeys.go, stepup.go
//	/me/memories, …/{id}           what is remembered         memories.go, memory.go, new.go
//	…/correct, …/erase, /me/undo   changes, and taking back   change.go, correct.go, erase.go (and /me/settings/erase)
//	/me/waiting                    what waits for the owner   waiting.go
//	/me/search, /me/context        what assistants are given  search.go, asking.go, context.go
//	/me/assistants                 who reads, who is paused   assistants.go, readers.go, connect.go
//	/me/timeline, /me/graph/{id}   facts in time, relations   timeline.go, graph.go
//	/me/imports, /me/uploads       imports, files to import   imports.go
//	/me/export, /me/sharing        exports, tokens            export.go, sharing.go, token.go
//	/me/machines                   the owner's machines       machines.go
//	/me/consent                    remote assistants ask      consent.go
//	/me/audit, /me/health          the log, and faults        audit.go, health.go
//	/me/agents, /me/projects       agents and projects        agents.go, agents_remove.go, projects.go
//	/me/runs                       what agents do, approvals  runs.go, run.go
//	/me/owners                     the operator's page        owners.go, owners_change.go
//	/me/settings, /me/help         look, words and keys       settings.go, help.html
//	/me/events                     what changes meanwhile     events.go
//	/me/static/…                   style, scripts, pictures   static.go
//
// handler.go tells requests apart, visitor.go says who asks, notice.go says what was done,
// own_key.go serves owners who keep their own key. The templates lie in html, what browsers
// load in static.
package pages
