package engramhttp

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// The routes of the first edition.
const (
	contextPath     = "/v1/context"
	diffPath        = "/v1/context/diff"
	correctPath     = "/v1/context/correct"
	correctionsPath = "/v1/context/corrections"
	discoveryPath   = engram.DiscoveryPath
	keysPath        = engram.KeysPath
	schemaPath      = "/schema/v0.1.json"
	readSchemaPath  = "/schema/v0.1-read.json"
)

// The routes of edition 0.1.2 and of the roadmap.
const (
	constrainPath    = "/v1/context/constrain"
	constraintsPath  = "/v1/context/constraints"
	batchPath        = "/v1/context/correct/batch"
	subscribePath    = "/v1/context/subscribe"
	subscriptionPath = subscribePath + "/{id}"
	jwksPath         = "/.well-known/jwks.json"
	webFingerPath    = "/.well-known/webfinger"
)

// CorrectionPath is the prefix of a correction's path; its id and the decision follow.
const CorrectionPath = correctionsPath + "/"

// table is every route of the binding.
func table() httpkit.Table[*Handler] { return append(firstRoutes(), laterRoutes()...) }

// firstRoutes are those of the first edition.
func firstRoutes() httpkit.Table[*Handler] {
	part := partParameters()
	return httpkit.Table[*Handler]{
		{Operation: httpkit.Operation{Name: "context", Method: http.MethodGet, Path: contextPath,
			Summary: "The signed context that an assistant starts from",
			Text:    "Every answer is issued and signed when it is asked for, and good for 12 hours. A token for one scope gets that scope where none is named.",
			In:      part, Out: []httpkit.Answer{httpkit.Done(200, "The context.", "EngramContext")}}, Do: (*Handler).context},
		{Operation: httpkit.Operation{Name: "contextDiff", Method: http.MethodGet, Path: diffPath,
			Summary: "What has changed in the context since a time", Text: "generated_at is the next since. The answer is not signed.",
			In:  append([]httpkit.Parameter{httpkit.Query("since", "An RFC 3339 time.", `{"type":"string","format":"date-time"}`).Needed()}, part...),
			Out: []httpkit.Answer{httpkit.Done(200, "The changes.", "EngramDelta")}}, Do: (*Handler).diff},
		{Operation: httpkit.Operation{Name: "correct", Method: http.MethodPost, Path: correctPath,
			Summary: "Propose a correction of a belief", Text: "It waits for the owner. Secrets in it are masked.",
			Body: httpkit.JSON("EngramProposal"), Out: []httpkit.Answer{httpkit.Done(201, "The correction waits.", "EngramProposed")}, Fails: []int{413}}, Do: (*Handler).correct},
		{Operation: httpkit.Operation{Name: "corrections", Method: http.MethodGet, Path: correctionsPath, Who: httpkit.Owner,
			Summary: "Corrections, with the present values of their beliefs", In: waitingParameters(),
			Out: []httpkit.Answer{httpkit.Done(200, "The corrections, oldest first.", "EngramCases")}}, Do: (*Handler).corrections, On: decidesCorrections},
		{Operation: deciding("confirmCorrection", CorrectionPath+"{id...}/confirm", "Confirm a correction"), Do: decide(true), On: decidesCorrections},
		{Operation: deciding("rejectCorrection", CorrectionPath+"{id...}/reject", "Reject a correction"), Do: decide(false), On: decidesCorrections},
		{Operation: httpkit.Operation{Name: "engramDiscovery", Method: http.MethodGet, Path: discoveryPath, Who: httpkit.Everyone,
			Summary: "What this store offers, and where", Out: []httpkit.Answer{httpkit.Done(200, "Issuer, endpoints, scopes.", "EngramDiscovery")}}, Do: (*Handler).discovery},
		{Operation: httpkit.Operation{Name: "engramKeys", Method: http.MethodGet, Path: keysPath, Who: httpkit.Everyone,
			Summary: "The keys that verify contexts", Out: []httpkit.Answer{httpkit.Done(200, "The keys.", "EngramKeys")}}, Do: (*Handler).keys},
		{Operation: httpkit.Operation{Name: "contextSchema", Method: http.MethodGet, Path: schemaPath, Who: httpkit.Everyone,
			Summary: "The JSON Schema of contexts, for writers", Out: schemaAnswer()}, Do: schema(engram.StrictWrite)},
		{Operation: httpkit.Operation{Name: "contextReadSchema", Method: http.MethodGet, Path: readSchemaPath, Who: httpkit.Everyone,
			Summary: "The JSON Schema of contexts, for readers", Out: schemaAnswer()}, Do: schema(engram.TolerantRead)},
	}
}

// laterRoutes are those of edition 0.1.2 and of the roadmap.
func laterRoutes() httpkit.Table[*Handler] {
	return httpkit.Table[*Handler]{
		{Operation: httpkit.Operation{Name: "constrain", Method: http.MethodPost, Path: constrainPath,
			Summary: "Set a hard rule", Text: "The owner's rule is in force at once; that of an assistant waits for the owner.",
			Body: httpkit.JSON("EngramConstraintProposal"), Out: []httpkit.Answer{httpkit.Done(201, "The rule.", "EngramConstrained")}, Fails: []int{413}}, Do: (*Handler).constrain, On: offersRules},
		{Operation: httpkit.Operation{Name: "unconstrain", Method: http.MethodDelete, Path: constrainPath + "/{id}", Who: httpkit.Owner,
			Summary: "Delete a hard rule", In: []httpkit.Parameter{httpkit.Path("id", "The rule's id.")},
			Out: []httpkit.Answer{httpkit.Done(200, "The rule is deleted.", "EngramDeletedConstraint")}}, Do: (*Handler).unconstrain, On: offersRules},
		{Operation: httpkit.Operation{Name: "constraints", Method: http.MethodGet, Path: constraintsPath, Who: httpkit.Owner,
			Summary: "Hard rules, with those that wait", In: waitingParameters(),
			Out: []httpkit.Answer{httpkit.Done(200, "The rules.", "EngramConstraints")}}, Do: (*Handler).constraints, On: func(h *Handler) bool { return h.constrains != nil }},
		{Operation: deciding("confirmConstraint", constraintsPath+"/{id...}/confirm", "Confirm a hard rule"), Do: decideConstraint(true), On: offersRules},
		{Operation: deciding("rejectConstraint", constraintsPath+"/{id...}/reject", "Reject a hard rule"), Do: decideConstraint(false), On: offersRules},
		{Operation: httpkit.Operation{Name: "correctBatch", Method: http.MethodPost, Path: batchPath,
			Summary: "Propose up to 100 corrections", Body: httpkit.JSON("EngramBatch"),
			Out: []httpkit.Answer{httpkit.Done(200, "A result for each.", "EngramBatchResults")}, Fails: []int{413}}, Do: (*Handler).batch, On: func(h *Handler) bool { return h.batches != nil && h.options.Next.Batch }},
		{Operation: httpkit.Operation{Name: "subscribeContext", Method: http.MethodPost, Path: subscribePath,
			Summary: "Have an address told of changes, by id alone", Body: httpkit.JSON("EngramSubscribe"),
			Out: []httpkit.Answer{httpkit.Done(201, "The subscription.", "EngramSubscription")}, Fails: []int{413}}, Do: (*Handler).subscribe, On: offersHooks},
		{Operation: httpkit.Operation{Name: "subscriptions", Method: http.MethodGet, Path: subscribePath, Who: httpkit.Owner,
			Summary: "Who is told of changes", Out: []httpkit.Answer{httpkit.Done(200, "The subscriptions.", "EngramSubscriptions")}}, Do: (*Handler).subscriptions, On: offersHooks},
		{Operation: httpkit.Operation{Name: "unsubscribeContext", Method: http.MethodDelete, Path: subscriptionPath,
			Summary: "End a subscription", In: []httpkit.Parameter{httpkit.Path("id", "The subscription's id.")},
			Out: []httpkit.Answer{httpkit.Done(200, "It has ended.", "EngramUnsubscribed")}}, Do: (*Handler).unsubscribe, On: offersHooks},
		{Operation: httpkit.Operation{Name: "jwks", Method: http.MethodGet, Path: jwksPath, Who: httpkit.Everyone,
			Summary: "The keys that verify contexts, as a JWK set",
			Out:     []httpkit.Answer{{Status: 200, Text: "The keys.", Body: []httpkit.Content{{Media: "application/jwk-set+json", Schema: "EngramJWKS"}}}}}, Do: (*Handler).jwks, On: func(h *Handler) bool { return h.options.Next.JWKS }},
		{Operation: httpkit.Operation{Name: "webFinger", Method: http.MethodGet, Path: webFingerPath, Who: httpkit.Everyone,
			Summary: "Where the memory of an account is",
			In: []httpkit.Parameter{httpkit.Query("resource", "The account, such as acct:ana@memory.example.", "").Needed(),
				{Name: "rel", In: httpkit.InQuery, Text: "The links that are wanted.", Many: true}},
			Out: []httpkit.Answer{{Status: 200, Text: "The account's links.", Body: []httpkit.Content{{Media: "application/jrd+json", Schema: "EngramWebFinger"}}}}}, Do: (*Handler).webFinger, On: func(h *Handler) bool { return len(h.options.Next.Accounts) > 0 }},
	}
}

func decidesCorrections(h *Handler) bool { return h.decides != nil }

func offersRules(h *Handler) bool { return h.constrains != nil && h.options.Constraints }

func offersHooks(h *Handler) bool { return h.subscribes != nil && h.options.Next.Subscriptions }

// deciding describes a decision of the owner.
func deciding(name, path, summary string) httpkit.Operation {
	answer := "EngramCase"
	if strings.HasPrefix(path, constraintsPath) {
		answer = "EngramContextConstraint"
	}
	return httpkit.Operation{Name: name, Method: http.MethodPost, Path: path, Who: httpkit.Owner, Summary: summary, Text: "It can be decided once.",
		In: []httpkit.Parameter{httpkit.Path("id", "The id of what waits.")}, Body: httpkit.JSON("EngramDecision"), BodyOptional: true,
		Out: []httpkit.Answer{httpkit.Done(200, "As it is now.", answer)}, Fails: []int{413}}
}

func partParameters() []httpkit.Parameter {
	return []httpkit.Parameter{
		httpkit.Query("scope", "Which part of the memory.", `{"type":"string","enum":["full","professional","personal","financial","minimal","custom"]}`),
		{Name: "categories", In: httpkit.InQuery, Text: "Categories of beliefs, once for each.", Many: true},
	}
}

func waitingParameters() []httpkit.Parameter {
	return []httpkit.Parameter{httpkit.Query("status", "pending: those alone that wait for the owner.", `{"type":"string","enum":["pending","pending_user_confirmation"]}`)}
}

func schemaAnswer() []httpkit.Answer {
	return []httpkit.Answer{{Status: 200, Text: "A JSON Schema of 2020-12.", Body: []httpkit.Content{{Media: "application/schema+json", Schema: "EngramSchema"}}}}
}

// routes is the table, made once.
var routes = sync.OnceValue(table)

// PathOf returns the path of the table that matches a path, with {id} in the place of an id.
func PathOf(path string) (string, bool) { return routes().PathOf(path) }

// Paths returns the paths of the table without an id.
func Paths() []string { return routes().Paths() }

// IsPublic reports whether a path needs no token (decision E-06).
func IsPublic(path string) bool { return routes().Open(path) }

// Describe describes the routes that the handler offers.
func (h *Handler) Describe() httpkit.Description {
	own := h.routes.Offered(h)
	for i := range own {
		own[i].In = append(slices.Clone(own[i].In), httpkit.Header(versionHeader, "The version that the client speaks.", ""),
			httpkit.Query(versionMember, "The same.", ""))
	}
	return httpkit.Description{
		Name: "engram", Title: "Engram Standard", Text: "Who a person is and what they prefer, signed, for an assistant to start from. Version 0.1, section 3.9.",
		Routes: own, Schemas: engram.Schemas(),
		Errors: httpkit.Errors{Media: "application/json", Schema: "EngramError", Code: []string{"error", "code"}, Codes: codes(), Always: []int{400, 401, 403, 404, 406, 429, 500, 503}},
	}
}

// codes returns the codes of refusals by status.
func codes() map[int][]string {
	all := map[int][]string{}
	for _, c := range engram.Codes() {
		all[c.Status()] = append(all[c.Status()], string(c))
	}
	for _, status := range []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable} {
		all[status] = append(all[status], string(codeOf(status)))
	}
	return all
}
