package umphttp

import (
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// table is every route of the binding.
func table() httpkit.Table[*Handler] {
	read := []httpkit.Parameter{httpkit.Path("id", "The record's id, percent-encoded or not."),
		httpkit.Query("view", "origin: the record as it was authored; current, if left out: as it is now.", `{"type":"string","enum":["origin","current"]}`)}
	return append(httpkit.Table[*Handler]{
		{Operation: httpkit.Operation{Name: "capabilities", Method: http.MethodGet, Path: "/ump/capabilities", Who: httpkit.Everyone,
			Summary: "What this server offers", Text: "With a token it names the owner, too.",
			Out: []httpkit.Answer{httpkit.Done(200, "The capabilities.", "UmpCapabilitiesResponse")}}, Do: (*Handler).capabilities},
		operation(ump.OpRecall, "/ump/recall", httpkit.Guests, "Find memories that answer a question", "UmpRecall", 404),
		operation(ump.OpRemember, "/ump/remember", httpkit.Holders, "Store a memory", "UmpRemember", 404),
		{Operation: httpkit.Operation{Name: "get", Method: http.MethodGet, Path: "/ump/memory/{id...}", Who: httpkit.Guests,
			Summary: "One memory by its id", In: read, Out: []httpkit.Answer{httpkit.Done(200, "The memory.", "UmpGetResponse")}, Fails: []int{400, 404}}, Do: (*Handler).get},
		operation(ump.OpRevise, "/ump/revise", httpkit.Holders, "Replace a memory by a corrected one", "UmpRevise", 404),
		operation(ump.OpForget, "/ump/forget", httpkit.Holders, "Forget a memory", "UmpForget", 404),
		operation(ump.OpFeedback, "/ump/feedback", httpkit.Holders, "Say how useful a memory was", "UmpFeedback", 404),
		{Operation: httpkit.Operation{Name: "exportMemories", Method: http.MethodGet, Path: "/ump/export",
			Summary: "All memories that may leave, as one document",
			In:      []httpkit.Parameter{httpkit.Query("format", "json, or ndjson for one record in each line.", `{"type":"string","enum":["json","ndjson"],"default":"json"}`)},
			Out: []httpkit.Answer{{Status: 200, Text: "The records. Those that the document cannot hold are counted in the trailer " + lossesTrailer + ". An export that breaks off ends without its last chunk.",
				Body: exported()}}, Fails: []int{400}}, Do: (*Handler).export},
		{Operation: httpkit.Operation{Name: "subscribe", Method: http.MethodGet, Path: "/ump/subscribe",
			Summary: "Changes as they happen, as server-sent events",
			In: []httpkit.Parameter{
				httpkit.Query("owner", "Whose memory; the caller's, if left out.", ""),
				httpkit.Query("project", "Changes of one project only.", ""), httpkit.Query("agent", "Changes of one agent only.", ""),
				httpkit.Query("last_event_id", "As Last-Event-ID, for clients that cannot set headers.", httpkit.Whole),
				httpkit.Header("Last-Event-ID", "The number of the last event that the client has.", httpkit.Whole)},
			Out: []httpkit.Answer{{Status: 200, Text: "Events until either side ends the stream. The type of an event is that of its data.",
				Body: []httpkit.Content{{Media: httpkit.EventType, Items: "UmpEvent"}}}}, Fails: []int{400}}, Do: (*Handler).subscribe},
		{Operation: httpkit.Operation{Name: "umpManifest", Method: http.MethodGet, Path: "/.well-known/ump.json", Who: httpkit.Everyone,
			Summary: "The manifest: what this server offers, and where", Out: []httpkit.Answer{httpkit.Done(200, "The manifest.", "UmpManifest")}}, Do: (*Handler).manifest},
	}, publicRoutes()...)
}

// operation returns the route of an operation whose body is its request.
func operation(op ump.Operation, path string, who httpkit.Who, summary, schema string, fails ...int) *httpkit.Route[*Handler] {
	return &httpkit.Route[*Handler]{
		Operation: httpkit.Operation{
			Name: string(op), Method: http.MethodPost, Path: path, Who: who, Summary: summary,
			In:   []httpkit.Parameter{httpkit.Header("Idempotency-Key", "Of your choice: the same request with the same key is carried out once.", `{"type":"string","minLength":1,"maxLength":255}`)},
			Body: httpkit.JSON(schema + "Request"), Out: []httpkit.Answer{httpkit.Done(200, "What was done.", schema+"Response")}, Fails: append([]int{400, 413, 415}, fails...),
		},
		Do: perform(op),
	}
}

// publicRoutes are those of the public documents.
func publicRoutes() httpkit.Table[*Handler] {
	var all httpkit.Table[*Handler]
	for _, e := range PublicDocuments() {
		d := document{lines: e.Format == "ndjson"}
		name := "publicMemories"
		if d.lines {
			name = "publicMemoryLines"
		}
		all = append(all, &httpkit.Route[*Handler]{
			Operation: httpkit.Operation{Name: name, Method: http.MethodGet, Path: "/.well-known/" + e.URL, Who: httpkit.Everyone,
				Summary: "The public memories", Out: []httpkit.Answer{{Status: 200, Text: "The records.", Body: d.bodies()}}, Fails: []int{400}},
			Do: public(d),
			On: func(h *Handler) bool { return h.options.Public != nil },
		})
	}
	return all
}

// exported are the two forms of an export.
func exported() []httpkit.Content {
	return append(document{}.bodies(), document{lines: true}.bodies()...)
}

func (d document) bodies() []httpkit.Content {
	if d.lines {
		return []httpkit.Content{{Media: "application/x-ndjson", Items: "UmpRecord"}}
	}
	return httpkit.JSON("UmpDocument")
}

// routes is the table, made once.
var routes = sync.OnceValue(table)

// PathOf returns the path of the table that matches a path, with {id} in the place of an id.
func PathOf(path string) (string, bool) { return routes().PathOf(path) }

// Describe describes the routes that the handler offers.
func (h *Handler) Describe() httpkit.Description {
	own := h.routes.Offered(h)
	for i := range own {
		if own[i].Who == httpkit.Guests && !h.options.Anonymous {
			own[i].Who = httpkit.Holders
		}
	}
	return httpkit.Description{
		Name: "ump", Title: "Universal Memory Protocol", Text: "Memories: recall, remember, revise, forget. Version 0.1, section 4.2.",
		Routes: own, Schemas: ump.Schemas(),
		Errors: httpkit.Errors{Media: "application/json", Schema: "UmpError", Code: []string{"error", "code"}, Codes: codes(), Always: []int{401, 403, 429, 500, 503}},
	}
}

// codes returns the codes of refusals by status.
func codes() map[int][]string {
	all := map[int][]string{503: {string(memory.Internal)}}
	for _, kind := range []memory.ErrorKind{memory.Unauthorized, memory.ForbiddenScope, memory.NotFound, memory.InvalidRecord,
		memory.ConsentViolation, memory.SignatureInvalid, memory.Unsupported, memory.RateLimited, memory.Internal} {
		status := ump.Status(kind)
		all[status] = append(all[status], string(kind))
	}
	all[http.StatusMethodNotAllowed] = []string{string(memory.Unsupported)}
	all[http.StatusUnsupportedMediaType] = []string{string(memory.Unsupported)}
	all[http.StatusRequestEntityTooLarge] = []string{string(memory.InvalidRecord)}
	return all
}
