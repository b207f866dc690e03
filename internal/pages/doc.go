// Package pages shows an owner's memory in a browser: what assistants know, and why. The
// pages are made on the server and work without JavaScript; scripts only shorten the way.
// The package has no rules of its own: it asks a [Backend] for everything, as the bindings
// do. What it shows was written by strangers, so that all of it appears as text.
//
//	/me/                     home
//	/me/enter                a browser is let in
//	/me/memories             all memories, page by page
//	/me/memories/{id}        one memory; …/raw its document
//	/me/search               what an assistant is given for a question
//	/me/context              what a new session is told
//	/me/help                 words and keys
//	/me/static/…             style, scripts and pictures, for everybody
//
// handler.go tells requests apart, visitor.go says who asks, enter.go lets browsers in, and
// each page has a file of its own. The templates lie in html, what browsers load in static.
package pages
