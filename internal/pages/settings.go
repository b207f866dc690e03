package pages

import "net/http"

// themeCookie remembers the theme. It says nothing about anybody, and scripts may see it.
const themeCookie = "satchel-theme"

// themeLasts is how long a browser remembers the theme, in seconds.
const themeLasts = 400 * 24 * 60 * 60

// settingsHandler answers requests about settings.
type settingsHandler struct{ *Handler }

// settingsPage shows what can be changed.
type settingsPage struct {
	frame
	Themes []choice
	Whole  string // the owner's DID
	Store  string // empty: it is not told to other machines
	Zone   string
}

// settings shows what can be changed.
func (h settingsHandler) settings(w http.ResponseWriter, r *http.Request, v visitor) {
	p := settingsPage{frame: h.frame(r, v, "Settings", "settings"), Whole: string(v.caller.Owner)}
	p.Themes = choices(p.Theme, "", "As the system has it", "light", "Light", "dark", "Dark")
	if h.options.isHere(r) && p.Operator {
		p.Store = h.options.Store
	}
	p.Zone = p.Now.Format("UTC-07:00")
	h.show(w, r, http.StatusOK, "settings", p)
}

// themeOf returns the theme that a browser shows: light, dark, or empty for the system's.
func themeOf(r *http.Request) string {
	c, err := r.Cookie(themeCookie)
	if err != nil || c.Value != "light" && c.Value != "dark" {
		return ""
	}
	return c.Value
}

// setTheme remembers the theme in the browser.
func (h settingsHandler) setTheme(w http.ResponseWriter, r *http.Request, v visitor) {
	theme, lasts := r.PostForm.Get("theme"), themeLasts
	switch theme {
	case "light", "dark":
	case "":
		lasts = -1
	default:
		h.fail(w, r, v, invalid("there is no such theme"))
		return
	}
	encrypted, _ := h.encrypted(r)
	http.SetCookie(w, &http.Cookie{Name: themeCookie, Value: theme, Path: Root, MaxAge: lasts, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted})
	http.Redirect(w, r, Root+"settings", http.StatusSeeOther)
}
