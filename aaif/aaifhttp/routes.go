package aaifhttp

import (
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// table is every route of the binding.
func table() httpkit.Table[*Handler] {
	return slices.Concat(platformRoutes(), runRoutes(), runPartRoutes(), triggerRoutes())
}

// platformRoutes are those of definitions and states.
func platformRoutes() httpkit.Table[*Handler] {
	return httpkit.Table[*Handler]{
		{Operation: httpkit.Operation{Name: "aaifManifest", Method: http.MethodGet, Path: ManifestPath, Who: httpkit.Everyone,
			Summary: "What this platform offers to agents", Out: published("AaifManifest"), Fails: []int{404}}, Do: (*Handler).manifest},
		{Operation: httpkit.Operation{Name: "aaifReport", Method: http.MethodGet, Path: ReportPath, Who: httpkit.Everyone,
			Summary: "The conformance report", Out: published("AaifReport"), Fails: []int{404}}, Do: (*Handler).report},
		{Operation: httpkit.Operation{Name: "agents", Method: http.MethodGet, Path: AgentsPath, Who: httpkit.Owner,
			Summary: "The agents that are kept", In: pageParameters(),
			Out: []httpkit.Answer{httpkit.Done(200, "A page of agents, by id.", "AaifAgents")}, Fails: []int{400}}, Do: (*Handler).agents},
		{Operation: httpkit.Operation{Name: "keepAgent", Method: http.MethodPost, Path: AgentsPath, Who: httpkit.Owner,
			Summary: "Take a definition in", In: []httpkit.Parameter{
				httpkit.Query("deprecated", "Take a deprecated agent, too.", httpkit.Truth),
				httpkit.Query("keep", "Keep an agent that cannot run here, too.", httpkit.Truth), httpkit.Query("dry_run", "Keep nothing.", httpkit.Truth)},
			Body: documentForms("AaifAgent"), Out: []httpkit.Answer{httpkit.Done(200, "It was here already, or nothing was to be kept.", "AaifReceipt"), located(201, "It is kept.", "AaifReceipt")},
			Fails: []int{400, 404, 408, 409, 413, 415, 422}}, Do: (*Handler).intake},
		{Operation: httpkit.Operation{Name: "agent", Method: http.MethodGet, Path: AgentPath + "{id}", Who: httpkit.Owner,
			Summary: "A definition", In: []httpkit.Parameter{httpkit.Path("id", "The agent's id."), httpkit.Query("revision", "Its revision; the newest, if left out.", `{"type":"integer","minimum":1}`)},
			Out: document("AaifAgent"), Fails: []int{400, 404, 406}}, Do: (*Handler).agent},
		{Operation: httpkit.Operation{Name: "removeAgent", Method: http.MethodDelete, Path: AgentPath + "{id}", Who: httpkit.Owner,
			Summary: "Remove an agent for good, with every revision and checkpoint", In: []httpkit.Parameter{httpkit.Path("id", "The agent's id.")},
			Out: []httpkit.Answer{httpkit.Done(200, "It is removed.", "AaifRemoval")}, Fails: []int{400, 404, 409}}, Do: (*Handler).removeAgent},
		{Operation: httpkit.Operation{Name: "states", Method: http.MethodGet, Path: StatesPath, Who: httpkit.Owner,
			Summary: "The checkpoints that are kept",
			In:      append([]httpkit.Parameter{httpkit.Query("agent_id", "Of one agent.", ""), httpkit.Query("run_id", "Of one run.", "")}, pageParameters()...),
			Out:     []httpkit.Answer{httpkit.Done(200, "A page of checkpoints, newest first.", "AaifStates")}, Fails: []int{400}}, Do: (*Handler).states},
		{Operation: httpkit.Operation{Name: "bringState", Method: http.MethodPost, Path: StatesPath, Who: httpkit.Senders,
			Summary: "Bring a state, over TLS only", Text: "Its migration token admits it once. A sender that repeats the request gets TOKEN_REPLAYED, and so knows that the state arrived.",
			Body: documentForms("AaifState"), Out: []httpkit.Answer{located(201, "It is kept.", "AaifKeptState")}, Fails: []int{400, 404, 408, 409, 413, 415, 422, 426}}, Do: (*Handler).intakeState},
		{Operation: httpkit.Operation{Name: "state", Method: http.MethodGet, Path: StatePath + "{id}", Who: httpkit.Owner,
			Summary: "A checkpoint as it arrived, over TLS only", In: []httpkit.Parameter{httpkit.Path("id", "The state's id.")},
			Out: document("AaifState"), Fails: []int{400, 404, 406, 426}}, Do: (*Handler).state},
		{Operation: httpkit.Operation{Name: "removeState", Method: http.MethodDelete, Path: StatePath + "{id}", Who: httpkit.Owner,
			Summary: "Remove a checkpoint for good", In: []httpkit.Parameter{httpkit.Path("id", "The state's id.")},
			Out: []httpkit.Answer{httpkit.Done(200, "It is removed.", "AaifRemoval")}, Fails: []int{400, 404, 409}}, Do: (*Handler).removeState},
		{Operation: httpkit.Operation{Name: "handoff", Method: http.MethodPost, Path: HandoffPath, Who: httpkit.Senders,
			Summary: "Bring a state frame by frame, over TLS only", Body: frames("AaifFrame"),
			Out:     []httpkit.Answer{{Status: 200, Text: "The frame that completes the handoff: the state is kept.", Body: frames("AaifFrame")}},
			Refused: frames("AaifFrameError"), Fails: []int{400, 404, 408, 409, 413, 415, 422, 426}}, Do: (*Handler).handoff},
	}
}

// runRoutes are those that start and list runs.
func runRoutes() httpkit.Table[*Handler] {
	return httpkit.Table[*Handler]{
		{Operation: httpkit.Operation{Name: "startRun", Method: http.MethodPost, Path: AgentPath + "{id}/runs", Who: httpkit.Owner,
			Summary: "Start a run of an agent, or a batch", Text: "A request with run_id, or with Idempotency-Key, can be repeated: it starts one run.",
			In: []httpkit.Parameter{httpkit.Path("id", "The agent's id."),
				httpkit.Query("wait", "Seconds to wait for the end of the run.", fmt.Sprintf(`{"type":"integer","minimum":0,"maximum":%d}`, int(longestWait.Seconds()))),
				httpkit.Header("Prefer", "wait=SECONDS, or respond-async for a job (RFC 7240).", ""),
				httpkit.Header("Idempotency-Key", "Of your choice.", `{"type":"string","minLength":1,"maxLength":255}`)},
			Body: httpkit.JSON("AaifRunStart"),
			Out: []httpkit.Answer{located(200, "It was started already, or all runs of a batch stand.", "AaifStarted"), located(201, "It is started.", "AaifRun"),
				located(202, "It is a job, and does not stand yet.", "AaifStarted")}, Fails: []int{400, 404, 408, 409, 413, 415, 422}}, Do: (*Handler).startRun, On: runs},
		{Operation: httpkit.Operation{Name: "runs", Method: http.MethodGet, Path: RunsPath, Who: httpkit.Owner,
			Summary: "The runs", In: append([]httpkit.Parameter{httpkit.Query("agent", "Of one agent.", "")}, pageParameters()...),
			Out: []httpkit.Answer{httpkit.Done(200, "A page of runs, newest first.", "AaifRuns")}, Fails: []int{400}}, Do: (*Handler).listRuns, On: runs},
		{Operation: httpkit.Operation{Name: "run", Method: http.MethodGet, Path: RunPath + "{id}", Who: httpkit.Owner,
			Summary: "A run as it stands", In: runID(), Out: ranAs(200, "The run."), Fails: []int{400, 404}}, Do: (*Handler).run, On: runs},
		{Operation: httpkit.Operation{Name: "removeRun", Method: http.MethodDelete, Path: RunPath + "{id}", Who: httpkit.Owner,
			Summary: "Remove a run for good", In: runID(), Out: []httpkit.Answer{httpkit.Done(200, "It is removed.", "AaifRemovedRun")}, Fails: []int{400, 404, 409}}, Do: (*Handler).removeRun, On: runs},
		{Operation: httpkit.Operation{Name: "goOn", Method: http.MethodPost, Path: StatePath + "{id}/resume", Who: httpkit.Owner,
			Summary: "Start the run of a checkpoint, once", In: []httpkit.Parameter{httpkit.Path("id", "The state's id.")},
			Out: []httpkit.Answer{located(201, "The run goes on.", "AaifRun")}, Fails: []int{400, 404, 409, 422}}, Do: (*Handler).goOn, On: runs},
	}
}

// runPartRoutes are those below a run.
func runPartRoutes() httpkit.Table[*Handler] {
	return httpkit.Table[*Handler]{
		{Operation: httpkit.Operation{Name: "runEvents", Method: http.MethodGet, Path: RunPath + "{id}/events", Who: httpkit.Owner,
			Summary: "The events of a run, as server-sent events or as a page of JSON",
			In: append(runID(), httpkit.Query("after", "The number of the last event that the client has.", httpkit.Whole), limitParameter(),
				httpkit.Header("Last-Event-ID", "The same, newer than the parameter.", httpkit.Whole)),
			Out: []httpkit.Answer{{Status: 200, Text: "Events until the run has ended.", Body: []httpkit.Content{{Media: httpkit.EventType, Items: "AaifRunEvent"}, {Media: jsonType, Schema: "AaifRunEvents"}}},
				{Status: 204, Text: "The run has ended, and has no more events."}}, Fails: []int{400, 404}}, Do: (*Handler).runEvents, On: runs},
		{Operation: httpkit.Operation{Name: "runState", Method: http.MethodGet, Path: RunPath + "{id}/state", Who: httpkit.Owner,
			Summary: "A run as a checkpoint, over TLS only", In: runID(), Out: document("AaifState"), Fails: []int{400, 404, 406, 409, 422, 426}}, Do: (*Handler).runState, On: runs},
		{Operation: httpkit.Operation{Name: "decideCall", Method: http.MethodPost, Path: RunPath + "{id}/approval", Who: httpkit.Owner,
			Summary: "Approve or reject a call that a run waits for", In: runID(), Body: httpkit.JSON("AaifDecision"), Out: ranAs(200, "The run."),
			Fails: []int{400, 404, 408, 409, 413, 415, 422}}, Do: (*Handler).decide, On: runs},
		{Operation: httpkit.Operation{Name: "cancelRun", Method: http.MethodPost, Path: RunPath + "{id}/cancel", Who: httpkit.Owner,
			Summary: "End a run", In: runID(), Out: ranAs(200, "The run."), Fails: []int{400, 404, 409, 422}}, Do: change(Runs.Cancel), On: runs},
		{Operation: httpkit.Operation{Name: "resumeRun", Method: http.MethodPost, Path: RunPath + "{id}/resume", Who: httpkit.Owner,
			Summary: "Let a run go on", In: runID(), Out: ranAs(200, "The run."), Fails: []int{400, 404, 409, 422}}, Do: change(Runs.Resume), On: runs},
	}
}

// triggerRoutes are those of what starts agents.
func triggerRoutes() httpkit.Table[*Handler] {
	triggers := func(h *Handler) bool { return h.options.Triggers != nil }
	return httpkit.Table[*Handler]{
		{Operation: httpkit.Operation{Name: "event", Method: http.MethodPost, Path: EventsPath, Who: httpkit.Owner,
			Summary: "Start the agents that an event starts", In: []httpkit.Parameter{httpkit.Header("Idempotency-Key", "Tells the event from every other.", `{"type":"string","minLength":1,"maxLength":255}`)},
			Body: httpkit.JSON("AaifEvent"), Out: []httpkit.Answer{httpkit.Done(202, "What became of each trigger.", "AaifFired")}, Fails: []int{400, 408, 413, 415, 422}}, Do: (*Handler).event, On: triggers},
		{Operation: httpkit.Operation{Name: "hook", Method: http.MethodPost, Path: HookPath + "{path...}", Who: httpkit.Signers,
			Summary: "Start the agents that a webhook starts", Text: "Requests are signed as the Standard Webhooks specification says.",
			In: []httpkit.Parameter{httpkit.Path("path", "The path of the webhook."), httpkit.Header("Webhook-Id", "The delivery's id.", ""),
				httpkit.Header("Webhook-Timestamp", "Seconds since 1970.", ""), httpkit.Header("Webhook-Signature", "v1, and the signature in Base64.", "")},
			Body: []httpkit.Content{{Media: "*/*"}}, Out: []httpkit.Answer{httpkit.Done(202, "How many agents started.", "AaifDelivered")}, Fails: []int{400, 408, 409, 413, 422}}, Do: (*Handler).hook, On: triggers},
	}
}

func runs(h *Handler) bool { return h.options.Runs != nil }

func runID() []httpkit.Parameter { return []httpkit.Parameter{httpkit.Path("id", "The run's id.")} }

func ranAs(status int, text string) []httpkit.Answer {
	return []httpkit.Answer{httpkit.Done(status, text, "AaifRun")}
}

func limitParameter() httpkit.Parameter {
	return httpkit.Query("limit", "The most items of a page.", fmt.Sprintf(`{"type":"integer","minimum":1,"maximum":%d,"default":%d}`, mostItems, manyItems))
}

func pageParameters() []httpkit.Parameter {
	return []httpkit.Parameter{httpkit.Query("after", "The place after which the page begins, as next says.", ""), limitParameter()}
}

// published is an answer that caches keep, or that the client has already.
func published(schema string) []httpkit.Answer {
	return []httpkit.Answer{httpkit.Done(200, "The document.", schema), {Status: 304, Text: "The client has it."}}
}

// document is a document in the encoding that the client prefers.
func document(schema string) []httpkit.Answer {
	return []httpkit.Answer{{Status: 200, Text: "The document.", Body: documentForms(schema)}, {Status: 304, Text: "The client has it."}}
}

// documentForms are the two encodings of a document.
func documentForms(schema string) []httpkit.Content {
	return []httpkit.Content{{Media: jsonType, Schema: schema}, {Media: aaif.CBORMediaType}}
}

func frames(schema string) []httpkit.Content {
	return []httpkit.Content{{Media: handoff.MediaType, Items: schema}}
}

// located is an answer that says in its header where the thing is.
func located(status int, text, schema string) httpkit.Answer {
	a := httpkit.Done(status, text, schema)
	a.Header = []httpkit.Parameter{httpkit.Header("Location", "Where it is.", "")}
	return a
}

// routes is the table, made once.
var routes = sync.OnceValue(table)

// PathOf returns the path of the table that matches a path, with {id} in the place of an id.
func PathOf(path string) (string, bool) { return routes().PathOf(path) }

// Paths returns the paths of the table without an id.
func Paths() []string { return routes().Paths() }
