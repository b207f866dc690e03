package server

import "net/http"

// cors lets assistants that run in a browser, on a page of any site, find the issuer, register,
// get tokens, and use them at what the tokens are for. None of these routes looks at cookies, so
// that a page has what its token grants and nothing of the owner's visit. The routes are open
// under a name that strangers reach by TLS, not under those of this machine: there a page could
// reach what it cannot reach otherwise.
func cors(o Options, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Origin") == "" || !o.isForPages(r) {
			next.ServeHTTP(w, r)
			return
		}
		header := w.Header()
		header.Set("Access-Control-Allow-Origin", "*") // browsers send no cookies then
		header.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Retry-After, WWW-Authenticate")
		header.Set("Cross-Origin-Resource-Policy", "cross-origin")
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
		header.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		header.Set("Access-Control-Max-Age", "600") // seconds
		w.WriteHeader(http.StatusNoContent)
	})
}

// isForPages reports whether pages of other sites may send a request.
func (o Options) isForPages(r *http.Request) bool {
	if o.oauth == nil || !o.oauth.IsForPages(r) {
		return false
	}
	_, encrypted, _ := o.places().Reached(r)
	return encrypted
}
