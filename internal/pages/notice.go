package pages

import (
	"net/http"
	"net/url"
	"strings"
)

// notice says what was just done, and how to take it back.
type notice struct {
	Text    string
	Undo    string // the name of the act for an undo; empty: it cannot be undone
	Dismiss string // this page without the notice
}

// noticeTexts are what notices say, by the word in the address. The address holds nothing of
// a memory.
var noticeTexts = map[string]string{
	"remembered":   "It is remembered.",
	"known":        "This was remembered already: here it is.",
	"masked":       "It is remembered without what looked like a key or a password. satchel remember --keep-secrets would keep it.",
	"corrected":    "It is corrected. Assistants are given this text from now on.",
	"same":         "The text is the same as before: nothing was changed.",
	"forgotten":    "Forgotten. No assistant is given it any more.",
	"none":         "Nothing was marked, so that nothing was forgotten.",
	"wrong":        "It ranks lower: assistants find it later than before. To change what they are told, correct or forget it.",
	"confirmed":    "It is confirmed, and holds from now on.",
	"rejected":     "It is rejected. Things are as they were.",
	"decided":      "This was decided already.",
	"partly":       "A part of it was done, then something failed. The rest is as it was: try it again.",
	"undone":       "It is as it was before.",
	"waits":        "It waits for you again, and things are as they were before.",
	"erased":       "It is erased. Nobody can bring it back; exports and backups from before still hold it.",
	"erasing":      "It is erased for everybody. The files are cleared as soon as no other program reads them.",
	"paused":       "It is paused. Each of its calls is refused from now on.",
	"resumed":      "It may read and store again.",
	"shared":       "Others can see it from now on.",
	"unshared":     "It is private from now on. Versions from before that were shared can still be read: “How it changed” leads to them, to forget them.",
	"revoked":      "The token is worthless from now on.",
	"ended":        "That browser is turned out.",
	"connected":    "It is connected. “Disconnect” takes every line out again.",
	"disconnected": "It is disconnected. What it stored stays.",
	"limited":      "The quota is changed. What is kept stays.",
	"removed":      "Everything of that owner is erased, and lets nobody in any more.",
	"removing":     "Everything of that owner is erased, and lets nobody in any more. The files are cleared as soon as no other program reads them.",
	"approved":     "It is approved, and the run goes on.",
	"refused":      "It is rejected: the model is told so, and the run goes on.",
	"cancelled":    "The run is ended. It begins nothing more.",
	"goeson":       "The run goes on.",
	"gone":         "It is removed. Nobody can bring it back.",
}

// noticeOf returns the notice that the address of a page names.
func noticeOf(r *http.Request) *notice {
	q := r.URL.Query()
	text := noticeTexts[q.Get("done")]
	if text == "" {
		return nil
	}
	n := &notice{Text: text, Undo: q.Get("undo")}
	if strings.Trim(n.Undo, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || len(n.Undo) > 32 {
		n.Undo = ""
	}
	q.Del("done")
	q.Del("undo")
	n.Dismiss = (&url.URL{Path: r.URL.Path, RawQuery: q.Encode()}).String()
	return n
}

// done leads to a page with a notice. undo is empty for an act that cannot be undone.
func (h *Handler) done(w http.ResponseWriter, r *http.Request, page, word, undo string) {
	at, err := url.Parse(page)
	if err != nil { // impossible: these pages made the path
		at = &url.URL{Path: Root}
	}
	q := at.Query()
	q.Set("done", word)
	if undo != "" {
		q.Set("undo", undo)
	}
	at.RawQuery = q.Encode()
	http.Redirect(w, r, at.String(), http.StatusSeeOther)
}
