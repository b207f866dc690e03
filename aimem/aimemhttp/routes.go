package aimemhttp

import (
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// The routes.
const (
	exportPath = "/v1/brain/export"
	streamPath = "/v1/brain/export/stream"
	importPath = "/v1/brain/import"
	brainPath  = "/v1/brain"
	keyPath    = aimem.KeyPath
	specPath   = "/.well-known/aimem-spec"
)

// table is every route of the profile.
func table() httpkit.Table[*Handler] {
	return httpkit.Table[*Handler]{
		{Operation: httpkit.Operation{Name: "exportBrain", Method: http.MethodGet, Path: exportPath,
			Summary: "The memory as one bundle", Text: exportText, In: exportParameters(),
			Out:   []httpkit.Answer{{Status: 200, Text: "The bundle.", Header: signed(), Body: []httpkit.Content{{Media: aimem.MediaType, Schema: "AimemBundle"}}}},
			Fails: []int{422, 505}}, Do: export(documentForm())},
		{Operation: httpkit.Operation{Name: "exportBrainLines", Method: http.MethodGet, Path: streamPath,
			Summary: "The memory as a bundle line by line, of any size", Text: exportText, In: exportParameters(),
			Out:   []httpkit.Answer{{Status: 200, Text: "The envelope, then a record in each line.", Header: signed(), Body: []httpkit.Content{{Media: aimem.StreamMediaType, Items: "AimemLine"}}}},
			Fails: []int{422, 505}}, Do: export(streamForm())},
		{Operation: httpkit.Operation{Name: "importBrain", Method: http.MethodPost, Path: importPath,
			Summary: "Take a bundle in", Text: "Nothing of a bundle is stored before all of it was checked. A conflict of one chunk leaves the others alone, and is listed.",
			In: importParameters(),
			Body: []httpkit.Content{{Media: aimem.MediaType, Schema: "AimemBundle"}, {Media: "application/json", Schema: "AimemBundle"},
				{Media: aimem.StreamMediaType, Items: "AimemLine"}},
			Out: []httpkit.Answer{httpkit.Done(200, "What became of the chunks.", "AimemReport")}, Fails: []int{400, 409, 413, 415, 422, 501}}, Do: (*Handler).importBundle},
		{Operation: httpkit.Operation{Name: "eraseBrain", Method: http.MethodDelete, Path: brainPath, Who: httpkit.Owner,
			Summary: "Erase everything of the owner, for good",
			In:      []httpkit.Parameter{httpkit.Query("confirm", "The tenant_id of an export, which is the owner's DID.", "").Needed()},
			Out:     []httpkit.Answer{httpkit.Done(200, "What was erased.", "AimemErasure")}, Fails: []int{422}}, Do: (*Handler).erase},
		{Operation: httpkit.Operation{Name: "aimemKey", Method: http.MethodGet, Path: keyPath, Who: httpkit.Everyone,
			Summary: "The key that verifies exports", Out: []httpkit.Answer{{Status: 200, Text: "A COSE_Key.", Body: []httpkit.Content{{Media: aimem.KeyMediaType}}}}, Fails: []int{404}}, Do: (*Handler).publicKey},
		{Operation: httpkit.Operation{Name: "aimemSpec", Method: http.MethodGet, Path: specPath, Who: httpkit.Everyone,
			Summary: "How bundles are exchanged here", Out: []httpkit.Answer{httpkit.Done(200, "Versions, limits, signatures.", "AimemSpec")}}, Do: (*Handler).spec},
	}
}

const exportText = "Of a token it has the records that the token may export. An export that breaks off ends without its last chunk, and its checksum does not match."

func exportParameters() []httpkit.Parameter {
	return []httpkit.Parameter{
		httpkit.Query("scope", "FULL, if left out; DNA_ONLY: preferences, decisions, identity, pitfalls, procedures and what is pinned; SINCE: what was made since a time.", `{"type":"string","enum":["FULL","DNA_ONLY","SINCE"],"default":"FULL"}`),
		httpkit.Query("since", "With SINCE: a time with any offset, or a day.", ""),
		httpkit.Query("include_embeddings", "With embeddings.", httpkit.Truth),
		httpkit.Query("embedding_model", "Of which model.", ""),
		httpkit.Query("ids", "origin: the ids that chunks came with.", `{"type":"string","enum":["own","origin"],"default":"own"}`),
		httpkit.Query("history", "Superseded versions, too.", httpkit.Truth),
		httpkit.Query("to_peer", "As for somebody else, without what is private.", httpkit.Truth),
	}
}

func importParameters() []httpkit.Parameter {
	return []httpkit.Parameter{
		httpkit.Query("dry_run", "Say what would become of the bundle, and store nothing.", httpkit.Truth),
		httpkit.Query("on_newer", "What to do with chunks that are newer than those here.", `{"type":"string","enum":["reject","update"],"default":"reject"}`),
		httpkit.Query("restore", "Take in again what was deleted here.", httpkit.Truth),
		httpkit.Query("foreign_ids", "accept: also ids of another namespace than the bundle's producer.", `{"type":"string","enum":["reject","accept"],"default":"reject"}`),
		httpkit.Header(aimem.SignatureHeader, "The signature of the bundle.", ""),
	}
}

// signed is the header of a signed export.
func signed() []httpkit.Parameter {
	return []httpkit.Parameter{httpkit.Header(aimem.SignatureHeader, "A detached COSE_Sign1, if exports are signed.", "")}
}

// routes is the table, made once.
var routes = sync.OnceValue(table)

// PathOf returns the path of the table that matches a path.
func PathOf(path string) (string, bool) { return routes().PathOf(path) }

// Describe describes the routes that the handler offers.
func (h *Handler) Describe() httpkit.Description {
	return httpkit.Description{
		Name: "aimem", Title: "AIMEM Bundle", Text: "A whole memory leaves and comes as one document. draft-vu-aimem-bundle-00, section 3.",
		Routes: h.routes.Offered(h), Schemas: httpkit.Schemas(aimem.Schemas()),
		Errors: httpkit.Errors{Media: "application/problem+json", Schema: "AimemProblem", Code: []string{"code"}, Codes: codes(), Always: []int{401, 403, 429, 500, 503}},
	}
}

// codes returns the codes of refusals by status.
func codes() map[int][]string {
	all := map[int][]string{}
	for _, c := range aimem.Codes() {
		all[c.Status()] = append(all[c.Status()], string(c))
	}
	for _, own := range []struct {
		status int
		code   aimem.Code
	}{
		{http.StatusBadRequest, refusedCode}, {http.StatusForbidden, refusedCode}, {http.StatusNotFound, notFound}, {http.StatusMethodNotAllowed, methodNotAllowed},
		{http.StatusUnprocessableEntity, invalidQuery}, {http.StatusUnprocessableEntity, refusedCode}, {http.StatusTooManyRequests, rateLimited},
		{http.StatusInternalServerError, internal}, {http.StatusNotImplemented, notOffered}, {http.StatusServiceUnavailable, unavailable}, {http.StatusHTTPVersionNotSupported, notOffered},
	} {
		all[own.status] = append(all[own.status], string(own.code))
	}
	return all
}
