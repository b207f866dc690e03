package a2ahttp

import (
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// table is every route of the binding. The first card is that of the first agent.
func table() httpkit.Table[*Handler] {
	agent := httpkit.Path("id", "The agent's id.")
	return httpkit.Table[*Handler]{
		{Operation: showing("agentCard", a2a.CardPath), Do: (*Handler).card},
		{Operation: showing("agentCardOf", AgentPath+"{id}"+a2a.CardPath, agent), Do: (*Handler).card},
		{Operation: httpkit.Operation{Name: "askAgent", Method: http.MethodPost, Path: AgentPath + "{id}",
			Summary: "Work with an agent, by JSON-RPC", Text: "Streaming methods answer with events, each an answer of JSON-RPC.",
			In:   []httpkit.Parameter{agent, httpkit.Header(a2a.VersionHeader, "The edition of the request; 0.3, if left out.", "")},
			Body: httpkit.JSON("A2aRequest"),
			Out: []httpkit.Answer{{Status: 200, Text: "The answer, or the fault.",
				Body: []httpkit.Content{{Media: jsonType, Schema: "A2aAnswer"}, {Media: httpkit.EventType, Items: "A2aAnswer"}}}},
			Fails: []int{400, 404, 413, 415, 501}}, Do: func(h *Handler, w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
			h.call(w, r, r.PathValue("id"))
			return nil
		}},
	}
}

// showing describes the route of a card.
func showing(name, path string, in ...httpkit.Parameter) httpkit.Operation {
	return httpkit.Operation{Name: name, Method: http.MethodGet, Path: path, Who: httpkit.Everyone, Summary: "The card of a served agent", In: in,
		Out: []httpkit.Answer{httpkit.Done(200, "The card.", "A2aCard"), {Status: 304, Text: "The client has it."}}, Fails: []int{404}}
}

// routes is the table, made once.
var routes = sync.OnceValue(table)

// PathOf returns the path of the table that matches a path, with {id} in the place of an id.
func PathOf(path string) (string, bool) { return routes().PathOf(path) }

// Describe describes the routes that the handler offers.
func (h *Handler) Describe() httpkit.Description {
	return httpkit.Description{
		Name: "a2a", Title: "Agents for other agents", Text: "Agents that other agents may work with. A2A 1.0 and 0.3, over JSON-RPC.",
		Routes: h.routes.Offered(h), Schemas: httpkit.Schemas(a2a.Schemas()),
		Errors: httpkit.Errors{Media: jsonType, Schema: "A2aRefusal", Always: []int{401, 403, 429, 500, 503}},
	}
}
