package server

import (
	"net/http"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// ownTable is every route that belongs to no protocol: a row is dispatched and described.
func ownTable() httpkit.Table[*server] {
	text := []httpkit.Content{{Media: "text/plain"}}
	return httpkit.Table[*server]{
		{Operation: httpkit.Operation{Name: "home", Method: http.MethodGet, Path: "/", Who: httpkit.Everyone, Summary: "The name and version of the program",
			Out: []httpkit.Answer{{Status: 200, Text: "A text.", Body: text}, {Status: 303, Text: "Browsers go to the owner's pages.", Header: []httpkit.Parameter{httpkit.Header("Location", "The pages.", "")}}}}, Do: (*server).home},
		{Operation: httpkit.Operation{Name: "live", Method: http.MethodGet, Path: "/healthz", Who: httpkit.Everyone, Summary: "Whether the process answers",
			Out: []httpkit.Answer{{Status: 200, Text: "It does.", Body: text}}}, Do: func(_ *server, w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
			return show(live, w, r)
		}},
		{Operation: httpkit.Operation{Name: "ready", Method: http.MethodGet, Path: "/readyz", Who: httpkit.Everyone, Summary: "Whether the server takes more requests",
			Out: []httpkit.Answer{{Status: 200, Text: "It does.", Body: text}, {Status: 503, Text: "The store does not answer, or the server is stopping.", Body: text}}},
			Do: func(s *server, w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
				return show(s.ready(), w, r)
			}},
		{Operation: httpkit.Operation{Name: "metrics", Method: http.MethodGet, Path: "/metrics", Who: httpkit.Owner, Summary: "Counts for Prometheus",
			Out: []httpkit.Answer{{Status: 200, Text: "Counts, without anything of what is remembered.", Body: text}}, Fails: []int{401}}, Do: (*server).showMetrics},
		{Operation: httpkit.Operation{Name: "openapi", Method: http.MethodGet, Path: "/openapi.json", Who: httpkit.Everyone, Summary: "This description",
			Out: []httpkit.Answer{httpkit.Done(200, "A description of OpenAPI 3.1.", "Description"), {Status: 304, Text: "The client has it."}}}, Do: (*server).showDescription},
		docsRoute("docs", "/docs", "This description for people"),
		docsRoute("docsStyle", "/docs/style.css", "The looks of these pages"),
		docsRoute("docsRoute", "/docs/{name}", "A route for people", httpkit.Path("name", "The name of the route, as operationId.")),
		docsRoute("docsShape", "/docs/shapes/{name}", "A schema for people", httpkit.Path("name", "The name of the schema.")),
	}
}

// ownRoutes is the table, made once.
var ownRoutes = sync.OnceValue(func() httpkit.Table[*server] { return append(ownTable(), machineRoutes()...) })

// mountOwn adds the server's own routes.
func (s *server) mountOwn(mux *http.ServeMux) {
	mounted := map[string]bool{}
	for _, row := range s.own {
		if mounted[row.Path] {
			continue
		}
		mounted[row.Path] = true
		if row.Path == "/" {
			mux.HandleFunc("/{$}", s.serveOwn)
			continue
		}
		mux.HandleFunc(row.Template(), s.serveOwn)
	}
}

// serveOwn answers a request of one of the server's own routes.
func (s *server) serveOwn(w http.ResponseWriter, r *http.Request) {
	routes := s.own.At(s, r)
	way := routes.For(r.Method)
	if way == nil {
		umphttp.WriteError(w, umphttp.WrongMethod(routes.Methods()...))
		return
	}
	if err := way.Do(s, w, r, memory.Caller{}); err != nil {
		if memory.KindOf(err) == memory.Internal {
			s.options.report(r, err)
		}
		umphttp.WriteError(w, err)
	}
}

// home names the program. Browsers that ask for nothing else go to the owner's pages.
func (s *server) home(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	if s.pages == nil {
		return show(homePage(s.options.Release), w, r)
	}
	w.Header().Set("Vary", "Accept")
	if r.Method == http.MethodGet && acceptsHTML(r) {
		http.Redirect(w, r, pages.Root, http.StatusSeeOther)
		return nil
	}
	return show(homePage(s.options.Release), w, r)
}

// docsRoute is the route of a page of the description.
func docsRoute(name, path, summary string, in ...httpkit.Parameter) *httpkit.Route[*server] {
	media := "text/html"
	if strings.HasSuffix(path, ".css") {
		media = "text/css"
	}
	return &httpkit.Route[*server]{
		Operation: httpkit.Operation{Name: name, Method: http.MethodGet, Path: path, Who: httpkit.Everyone, Summary: summary, In: in,
			Out: []httpkit.Answer{{Status: 200, Text: "The page.", Body: []httpkit.Content{{Media: media}}}, {Status: 304, Text: "The client has it."}}, Fails: []int{404}},
		Do: (*server).showDocs,
	}
}
