package pages

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"strconv"
	"sync"
	"time"
)

//go:embed html/*.html
var htmlFiles embed.FS

// templates are the parsed files of folder html. Each page is one template, in the frame
// that layout.html defines.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"asset": assetPath, "counted": counted, "act": actOf, "judged": judgedOf, "away": func(to string) template.URL { return template.URL(to) }}).ParseFS(htmlFiles, "html/*.html"))
})

// frame is what every page shows around its content.
type frame struct {
	Title    string
	At       string // the entry of the navigation that the page belongs to
	In       bool   // somebody was let in
	Owner    string
	Token    string // for the forms of the visit
	Asked    string // what stands in the field for searches
	Now      time.Time
	Done     *notice // what was just done; nil: nothing
	Activity Activity
	Live     bool // it follows what happens
	// Operator: the owner's is the folder of the server.
	Operator bool
	Many     bool   // the store is made for many owners
	KeepsKey bool   // the owner keeps their own key
	Theme    string // light or dark; empty: the system's
	// Refresh loads the page again after a moment where there are no scripts: something is
	// under way.
	Refresh bool
}

// frame returns the frame of a page.
func (h *Handler) frame(r *http.Request, v visitor, title, at string) frame {
	f := frame{Title: title, At: at, In: v.in(), Owner: shortDID(string(v.caller.Owner)), Token: v.token, Now: h.options.Now(), Done: noticeOf(r), Theme: themeOf(r), Operator: v.caller.Owner == h.options.Owner, KeepsKey: v.keepsKey, Many: h.options.Many}
	if !f.In {
		return f
	}
	if activity, err := h.backend.Activity(r.Context(), v.caller, -1); err == nil { // without, the page is not live
		f.Activity, f.Live = activity, true
	}
	return f
}

// act is a form with one button and nothing else.
type act struct{ Path, Token, Word, Class string }

// actOf returns the form that posts to a path, of a visit whose forms bring a token.
func actOf(path, token, do, word, class string) act {
	return act{path + "/" + do, token, word, class}
}

// show answers with a page.
func (h *Handler) show(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	if err := write(w, r, status, name, data); err != nil {
		h.options.Report(r, err)
		http.Error(w, "this page is broken; the log of the server says how", http.StatusInternalServerError)
	}
}

// write makes a page and sends it whole. It sends nothing if the page cannot be made.
func write(w http.ResponseWriter, r *http.Request, status int, name string, data any) error {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name+".html", data); err != nil {
		return err
	}
	page := bytes.Map(visible, b.Bytes())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page) // the client has gone; nobody reads an error
	}
	return nil
}

// shortDID returns as much of an owner's DID as tells people apart.
func shortDID(did string) string {
	const kept = 18
	if len(did) <= kept+1 {
		return did
	}
	return did[:kept] + "…"
}
