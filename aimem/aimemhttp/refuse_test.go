package aimemhttp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/memory"
)

// TestRefusals sends what has to be refused and compares status, code and place.
func TestRefusals(t *testing.T) {
	const (
		export, stream, take, brain = "/v1/brain/export", "/v1/brain/export/stream", "/v1/brain/import", "/v1/brain"
		as                          = "Authorization: Bearer "
		media                       = "Content-Type: "
	)
	s := serve(t, &service{}, aimemhttp.Options{MaxBundle: 4096})
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		want                     string
	}{
		{"AIMEM-3.1-3 export without credentials is 401", "GET", export, "", []string{as}, "401 unauthenticated"},
		{"AIMEM-3.1-3 export with a token that is none is 401", "GET", export, "", []string{as + "nothing"}, "401 unauthenticated"},
		{"AIMEM-3.1-14 the stream without credentials is 401", "GET", stream + "?scope=DNA_ONLY", "", []string{as}, "401 unauthenticated"},
		{"AIMEM-3.2-7 import without credentials is 401", "POST", take, bundle(1), []string{as}, "401 unauthenticated"},
		{"AIMEM-3.1-4 export with a token that reads is 403", "GET", export, "", []string{as + "read"}, "403 missing_scope"},
		{"AIMEM-3.1-4 export with a token that writes is 403", "GET", export, "", []string{as + "write"}, "403 missing_scope"},
		{"AIMEM-3.1-14 the stream with a token that reads is 403", "GET", stream, "", []string{as + "read"}, "403 missing_scope"},
		{"AIMEM-3.2-7 import with a token that reads is 403", "POST", take, bundle(1), []string{as + "read"}, "403 missing_scope"},
		{"AIMEM-3.2-7 import with a token that exports is 403", "POST", take, bundle(1), []string{as + "export"}, "403 missing_scope"},
		{"AIMEM-3.2-7 import with a token of one project is 403", "POST", take, bundle(1), []string{as + "project"}, "403 missing_scope"},
		{"AIMEM-5.2-9 nobody but the owner erases", "DELETE", brain + "?confirm=" + string(owner), "", []string{as + "agent"}, "403 missing_scope"},
		{"AIMEM-3-2 DELETE of an export is 405", "DELETE", export, "", nil, "405 method_not_allowed"},
		{"AIMEM-3-2 POST of an export is 405", "POST", export, "", nil, "405 method_not_allowed"},
		{"AIMEM-3-2 GET of the import is 405", "GET", take, "", nil, "405 method_not_allowed"},
		{"AIMEM-3-2 GET of the brain is 405", "GET", brain, "", nil, "405 method_not_allowed"},
		{"a route that is none", "GET", "/v1/brain/other", "", nil, "404 not_found"},
		{"no key is published", "GET", "/.well-known/aimem-pubkey", "", nil, "404 not_found"},
		{"AIMEM-3.1-6 an unknown scope", "GET", export + "?scope=ALL", "", nil, "422 invalid_scope"},
		{"AIMEM-3.1-6 scope in small letters", "GET", export + "?scope=full", "", nil, "422 invalid_scope"},
		{"AIMEM-3.1-6 SINCE without since", "GET", export + "?scope=SINCE", "", nil, "422 since_required"},
		{"AIMEM-3.1-6 SINCE with an empty since", "GET", stream + "?scope=SINCE&since=", "", nil, "422 since_required"},
		{"AIMEM-3.1-6 since that is no time", "GET", export + "?scope=SINCE&since=foo", "", nil, "422 bad_since"},
		{"AIMEM-3.1-6 since with a day that is none", "GET", export + "?scope=SINCE&since=2026-02-30", "", nil, "422 bad_since"},
		{"a misspelled parameter", "GET", export + "?sicne=2026-01-01", "", nil, "422 invalid_parameter"},
		{"AIMEM-3.1-5 a scope that is there twice", "GET", export + "?scope=FULL&scope=DNA_ONLY", "", nil, "422 invalid_parameter"},
		{"AIMEM-3.1-5 the same scope twice", "GET", stream + "?scope=FULL&scope=FULL", "", nil, "422 invalid_parameter"},
		{"on_newer that is there twice", "POST", take + "?on_newer=reject&on_newer=update", bundle(1), nil, "422 invalid_parameter"},
		{"an erasure confirmed twice", "DELETE", brain + "?confirm=" + string(owner) + "&confirm=x", "", nil, "422 invalid_parameter"},
		{"AIMEM-3.1-6 since in minute 60", "GET", export + "?scope=SINCE&since=2026-06-12T10:60:00Z", "", nil, "422 bad_since"},
		{"AIMEM-3.1-6 since with a comma", "GET", export + "?scope=SINCE&since=2026-06-12T10:00:00,5Z", "", nil, "422 bad_since"},
		{"ids of nobody", "GET", export + "?ids=all", "", nil, "422 invalid_parameter"},
		{"include_embeddings that is neither", "GET", export + "?include_embeddings=perhaps", "", nil, "422 invalid_parameter"},
		{"on_newer that is neither", "POST", take + "?on_newer=merge", bundle(1), nil, "422 invalid_parameter"},
		{"foreign_ids that is neither", "POST", take + "?foreign_ids=yes", bundle(1), nil, "422 invalid_parameter"},
		{"AIMEM-5.2-9 an erasure that is not confirmed", "DELETE", brain, "", nil, "422 confirmation_required"},
		{"AIMEM-5.2-9 an erasure of somebody else", "DELETE", brain + "?confirm=did:key:zOther", "", nil, "422 confirmation_required"},
		{"AIMEM-3.2-2 text is 415", "POST", take, bundle(1), []string{media + "text/plain"}, "415 unsupported_media_type"},
		{"AIMEM-3.2-2 a form is 415", "POST", take, bundle(1), []string{media + "application/x-www-form-urlencoded"}, "415 unsupported_media_type"},
		{"AIMEM-3.2-2 a Content-Type that cannot be read is 415", "POST", take, bundle(1), []string{media + "application/"}, "415 unsupported_media_type"},
		{"AIMEM-3.2-2 compressed is 415", "POST", take, bundle(1), []string{"Content-Encoding: gzip"}, "415 unsupported_media_type"},
		{"AIMEM-6.1-3 another charset is 415", "POST", take, bundle(1), []string{media + "application/aimem-bundle+json; charset=latin1"}, "415 unsupported_media_type"},
		{"AIMEM-6.1-1 version 2 of the media type is 422", "POST", take, bundle(1), []string{media + `application/aimem-bundle+json;version="2"`}, "422 unsupported_version"},
		{"AIMEM-5.3-2 two signatures are 422", "POST", take, bundle(1), []string{"AIMEM-Signature: aaaa", "AIMEM-Signature: bbbb"}, "422 signature_invalid"},
		{"AIMEM-5.3-2 a signature that is no base64 is 422", "POST", take, bundle(1), []string{"AIMEM-Signature: ???"}, "422 signature_invalid"},
		{"a body over the limit is 413", "POST", take, bundle(100), nil, "413 body_too_large"},
		{"AIMEM-3.2-1 an empty object is 422", "POST", take, `{}`, nil, "422 missing_field /format"},
		{"AIMEM-3.2-1 what is no JSON is 422", "POST", take, `hello`, nil, "422 not_json"},
		{"AIMEM-3.2-1 an empty body is 422", "POST", take, ``, nil, "422 not_json"},
		{"AIMEM-3.2-1 a list is 422", "POST", take, `[]`, nil, "422 not_object"},
		{"AIMEM-3.2-5 a malformed envelope is 422", "POST", take, bundle(1, `scope="ALL"`), nil, "422 invalid_scope /scope"},
		{"AIMEM-7-5 version 2 is 422", "POST", take, bundle(1, `version="2"`), nil, "422 unsupported_version /version"},
		{"AIMEM-7-4 version 2 with a wrong checksum is 422", "POST", take, strings.Replace(bundle(1, `version="2"`), "Thing", "Think", 1), nil, "422 unsupported_version /version"},
		{"AIMEM-7-1 a version that is a number is 422", "POST", take, bundle(1, `version=1`), nil, "422 unsupported_version /version"},
		{"AIMEM-3.2-4 a wrong checksum is 409", "POST", take, strings.Replace(bundle(1), "Thing", "Think", 1), nil, "409 checksum_mismatch /checksum"},
		{"AIMEM-3.2-9 the place of what is wrong", "POST", take, bundle(1, `chunks=[{"id":"urn:aimem:other:1","content":"x","memory_type":"fact","created_at":"2026-04-01T09:30:00Z","zone":"low"}]`), nil, "422 invalid_zone /chunks/0/zone"},
		{"a stream that is said to be a bundle is 422", "POST", take, "{}\n{}", nil, "422 not_json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.do(t, c.method, c.path, c.body, c.header...)
			p := a.problem(t)
			if got := strings.TrimSpace(fmt.Sprint(p.Status, " ", p.Code, " ", p.Pointer)); got != c.want {
				t.Errorf("got %s (%s), want %s", got, p.Detail, c.want)
			}
			if a.StatusCode == 401 && !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer") {
				t.Error("401 does not say how to sign in")
			}
			if a.StatusCode == 405 && a.Header.Get("Allow") == "" {
				t.Error("405 does not say what is allowed")
			}
			if s.open.Load() != 0 {
				t.Errorf("%d spools are left", s.open.Load())
			}
		})
	}
	if n := len(s.service.imported) + s.service.erased + len(s.service.exported); n != 0 {
		t.Errorf("the service was asked %d times", n)
	}
}

// TestFailures compares what the service fails with and what is said of it.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"AIMEM-3-3 embeddings without consent", &aimem.Fault{Code: aimem.EmbeddingConsentRequired, Detail: "d"}, "403 embedding_consent_required "},
		{"AIMEM-3-3 a scope that is not granted", &memory.Error{Kind: memory.ForbiddenScope, Message: "no"}, "403 missing_scope "},
		{"AIMEM-3-3 too much at once", &memory.Error{Kind: memory.RateLimited}, "429 rate_limited 1"},
		{"AIMEM-3-3 the store is away", &memory.Error{Kind: memory.Internal, Err: memory.ErrUnavailable}, "503 unavailable 2"},
		{"AIMEM-3-3 the store is broken", errors.New("secret cause"), "500 internal "},
		{"AIMEM-3-3 a consent that forbids", &memory.Error{Kind: memory.ConsentViolation}, "403 refused "},
		{"AIMEM-3-3 a record that is refused", &memory.Error{Kind: memory.InvalidRecord}, "422 refused "},
		{"AIMEM-3-3 what is not there", &memory.Error{Kind: memory.NotFound}, "404 not_found "},
		{"AIMEM-3-3 what is not offered", &memory.Error{Kind: memory.Unsupported}, "501 not_offered "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, &service{fails: c.err}, aimemhttp.Options{})
			for _, a := range []answer{s.do(t, "GET", "/v1/brain/export", ""), s.do(t, "POST", "/v1/brain/import", bundle(1)), s.do(t, "DELETE", "/v1/brain?confirm="+string(owner), "")} {
				p := a.problem(t)
				if got := fmt.Sprint(p.Status, " ", p.Code, " ", a.Header.Get("Retry-After")); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
				if strings.Contains(string(a.body), "secret") || a.Header.Get("Content-Disposition") != "" {
					t.Errorf("the answer says too much: %s, %v", a.body, a.Header)
				}
			}
		})
	}
}
