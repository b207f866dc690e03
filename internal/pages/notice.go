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
	"erased":  "It is erased. Nobody can bring it back; exports and backups from before still hold it.",
	"erasing": "It is erased for everybody. The files are cleared as soon as no other program reads them.",
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
